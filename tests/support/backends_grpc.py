"""A gRPC backend and client without generated code: methods take and give plain bytes.

`/echo.Echo/Say` answers once, `/echo.Echo/Chat` answers each message of a stream as it comes, `/echo.Echo/Fail` fails
with a status of its own.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc

from tests.support.certificates import Pair, authority


def _say(request: bytes, context: Any) -> bytes:
    return b"said " + request


def _chat(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
    for request in requests:
        yield b"heard " + request


def _fail(request: bytes, context: Any) -> bytes:
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not today")
    return b""


@contextmanager
def grpc_backend(pair: Pair | None = None) -> Iterator[int]:
    """The port of a gRPC server, with TLS when a pair is given."""
    server = grpc.server(ThreadPoolExecutor(4))
    methods = {
        "Say": grpc.unary_unary_rpc_method_handler(_say),
        "Chat": grpc.stream_stream_rpc_method_handler(_chat),
        "Fail": grpc.unary_unary_rpc_method_handler(_fail),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo.Echo", methods),))
    if pair is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        keys = grpc.ssl_server_credentials([(pair.pem_key.encode(), pair.crt.encode())])
        port = server.add_secure_port("127.0.0.1:0", keys)
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()


@contextmanager
def grpc_client(port: int, host: str) -> Iterator[Any]:
    """A channel over TLS to 127.0.0.1:port that asks for `host`."""
    trust = grpc.ssl_channel_credentials(authority().crt.encode())
    options = (("grpc.ssl_target_name_override", host), ("grpc.default_authority", host), ("grpc.enable_http_proxy", 0))
    with grpc.secure_channel(f"127.0.0.1:{port}", trust, options) as channel:
        yield channel
