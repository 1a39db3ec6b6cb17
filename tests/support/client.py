"""The client: bytes out as they are written here, an `Answer` back.

Nothing normalises a target on its way, adds a header or follows a redirect, which is why this is not a library. HTTP/2
alone comes from httpx. Every request is a connection of its own unless a `Line` is opened.
"""

import http.client
import json
import select
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any

import httpx
from cryptography import x509

from tests.support.certificates import authority, trusting_client

LOOPBACK = "127.0.0.1"
PATIENCE = 15.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def reason(self) -> str | None:
        """Why nginx itself made this error; a backend's own answer has none."""
        return self.header("X-Headgate-Reason")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def backend(self) -> str | None:
        """The name of the backend that answered; None when nginx did."""
        return self.header("X-Backend")

    def received(self, name: str) -> list[str]:
        """What an echoing backend saw of a header."""
        return [value for key, value in self.json["headers"] if key.lower() == name.lower()]


class Line:
    """One connection, for as many requests as wanted."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._file: IO[bytes] = connected.makefile("rb")

    def close(self) -> None:
        """A socket stays open for as long as a file made from it."""
        self._file.close()

    def send(self, raw: bytes) -> None:
        self.socket.sendall(raw)

    def ask(self, target: str = "/", *, host: str = "", **more: Any) -> Answer:
        self.send(request(target, host=host, keep=True, **more))
        return self.read(more.get("method", "GET"))

    def read(self, method: str = "GET") -> Answer:
        return _read(self._file, method)

    def read_line(self) -> bytes:
        return self._file.readline()

    def is_silent(self) -> bool:
        """Has nothing come yet?"""
        return not select.select([self.socket], [], [], 0)[0]

    def read_exactly(self, length: int) -> bytes:
        return self._file.read(length)


@contextmanager
def line(
    port: int, *, tls: str | None = None, context: ssl.SSLContext | None = None, receive_buffer: int = 0
) -> Iterator[Line]:
    """Connect; `tls` is the name to ask for."""
    plain = socket.socket()
    if receive_buffer:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.settimeout(PATIENCE)
    with ExitStack() as stack:
        connected = stack.enter_context(plain)
        connected.connect((LOOPBACK, port))
        if tls is not None:
            secured = (context or trusting_client()).wrap_socket(connected, server_hostname=tls)
            connected = stack.enter_context(secured)
        made = Line(connected)
        stack.callback(made.close)
        yield made


def ask(port: int, target: str = "/", *, host: str = "", tls: bool = False, **more: Any) -> Answer:
    """One request on a connection of its own; with TLS the host is the name that is asked for and checked."""
    with line(port, tls=host if tls else None) as opened:
        opened.send(request(target, host=host, **more))
        return opened.read(more.get("method", "GET"))


def request(
    target: str = "/",
    *,
    host: str = "",
    method: str = "GET",
    headers: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
    keep: bool = False,
) -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host or LOOPBACK}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    if not keep and not any(name.lower() == "connection" for name, _ in headers):
        lines.append("Connection: close")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _read(file: IO[bytes], method: str) -> Answer:
    first = file.readline()
    if not first:
        raise ConnectionError("the connection was closed without an answer")
    status = int(first.split(b" ", 2)[1])
    headers = tuple(http.client.parse_headers(file).items())
    answer = Answer(status, headers, b"")
    if method == "HEAD" or status in (204, 304) or status < 200:
        return answer
    return Answer(status, headers, _body(file, answer))


def _body(file: IO[bytes], head: Answer) -> bytes:
    if (length := head.header("content-length")) is not None:
        whole = file.read(int(length))
        if len(whole) < int(length):
            raise ConnectionError("the answer was cut short")
        return whole
    if (head.header("transfer-encoding") or "").lower() != "chunked":
        return file.read()
    whole = b""
    while size := int(file.readline() or b"0", 16):
        whole += file.read(size)
        file.readline()
    file.readline()
    return whole


def handshake(port: int, name: str | None) -> x509.Certificate:
    """The certificate that is shown to whoever asks for this name, unchecked. `ssl.SSLError` when refused."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((LOOPBACK, port), PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname=name) as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
    assert shown is not None
    return x509.load_der_x509_certificate(shown)


def is_refused(port: int, name: str | None) -> bool:
    """Does nginx refuse the handshake for this name, with an alert and not by accident?"""
    try:
        handshake(port, name)
    except ssl.SSLError as why:
        return "UNRECOGNIZED_NAME" in str(why).upper()
    return False


def ask_http2(port: int, target: str = "/", *, host: str, **more: Any) -> httpx.Response:
    """One request over TLS by a client that offers HTTP/2 and HTTP/1.1."""
    # A context of its own: httpx writes the protocols that it offers into the one that it is given.
    context = ssl.create_default_context(cadata=authority().crt)
    with httpx.Client(http2=True, verify=context, timeout=PATIENCE, trust_env=False) as client:
        url = f"https://{LOOPBACK}:{port}{target}"
        return client.request(
            more.pop("method", "GET"),
            url,
            headers={"Host": host, **more.pop("headers", {})},
            extensions={"sni_hostname": host},
            **more,
        )
