"""The gRPC backend of examples/grpc, which speaks `grpc/greeter.proto` and health checks, and a client for it.

The two messages are one string field each, so their wire format is written here by hand and nothing needs to be
generated from the .proto file. The client goes through nginx over real TLS: it trusts the certificate in the example's
Secret, and asks for grpc.example.com at 127.0.0.1 as `curl --resolve` would.

    .venv/bin/python examples/greeter.py 8443 world
"""

import base64
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import grpc.aio
import yaml

HOST = "grpc.example.com"
SERVICE = "headgate.example.Greeter"
SECRET = Path(__file__).parent / "grpc" / "secret.yaml"
HEALTHY = b"\x08\x01"  # grpc.health.v1.HealthCheckResponse{status: SERVING}
STRING_FIELD_1 = b"\x0a"


def encode(text: str) -> bytes:
    """A message whose only field, number 1, is this string."""
    written = text.encode()
    return STRING_FIELD_1 + _varint(len(written)) + written


def decode(message: bytes) -> str:
    """The string in field 1; empty when the field was left out."""
    if not message.startswith(STRING_FIELD_1):
        return ""
    at = 1
    while message[at] & 0x80:
        at += 1
    return message[at + 1 :].decode()


def _varint(number: int) -> bytes:
    written = bytearray()
    while number >= 0x80:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def greeter(address: str, *, signature: str) -> grpc.aio.Server:
    """A server that is ready to be started; its greetings end with the signature."""

    async def check(_request: bytes, _context: object) -> bytes:
        return HEALTHY

    async def greet(request: bytes, _context: object) -> bytes:
        return encode(f"Hello {decode(request)}, says {signature}")

    async def greet_often(request: bytes, _context: object) -> AsyncIterator[bytes]:
        for count in (1, 2, 3):
            yield encode(f"Hello {decode(request)} ({count}), says {signature}")

    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                SERVICE,
                {
                    "Greet": grpc.unary_unary_rpc_method_handler(greet),
                    "GreetOften": grpc.unary_stream_rpc_method_handler(greet_often),
                },
            ),
            grpc.method_handlers_generic_handler(
                "grpc.health.v1.Health", {"Check": grpc.unary_unary_rpc_method_handler(check)}
            ),
        )
    )
    server.add_insecure_port(address)
    return server


def channel(port: int) -> grpc.Channel:
    """A connection to the example's host name on this machine."""
    secret = yaml.safe_load(SECRET.read_text(encoding="utf-8"))
    trusted = grpc.ssl_channel_credentials(base64.b64decode(secret["data"]["tls.crt"]))
    named = [("grpc.ssl_target_name_override", HOST), ("grpc.default_authority", HOST)]
    return grpc.secure_channel(f"127.0.0.1:{port}", trusted, options=named)


def main(port: int, name: str) -> None:
    with channel(port) as through:
        print(decode(through.unary_unary(f"/{SERVICE}/Greet")(encode(name))))
        for greeting in through.unary_stream(f"/{SERVICE}/GreetOften")(encode(name)):
            print(decode(greeting))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8443, sys.argv[2] if len(sys.argv) > 2 else "world")
