"""Backends on loopback that say what reached them: an HTTP/1.1 server written down to the bytes.

Written by hand on purpose: a test wants the raw target, headers in their order, the number of the connection, and
answers that a decent server would refuse to give. All servers share one event loop in a thread of its own; what they
saw can be read from any thread. Other protocols are in `backends_websocket`, `backends_http2` and `backends_grpc`.
"""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlsplit

T = TypeVar("T")
Headers: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    target: str
    version: str
    headers: Headers
    connection: int

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name: str) -> str | None:
        found = self.all(name)
        return found[0] if found else None


@dataclass
class Exchange:
    """A request being answered; a handler does what it likes with it."""

    request: Seen
    name: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    body_read: bool = field(default=False)

    async def body(self) -> bytes:
        self.body_read = True
        if (length := self.request.header("content-length")) is not None:
            return await self.reader.readexactly(int(length))
        if self.request.header("transfer-encoding") is None:
            return b""
        whole = b""
        while size := int((await self.reader.readline()).strip() or b"0", 16):
            whole += await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()
        return whole

    async def answer(self, status: int = 200, body: bytes = b"", *headers: tuple[str, str]) -> None:
        await self.begin(status, ("Content-Length", str(len(body))), *headers)
        await self.send(body)

    async def begin(self, status: int, *headers: tuple[str, str]) -> None:
        """The head of a response; with `Transfer-Encoding: chunked` the handler goes on with `chunk`."""
        lines = [f"HTTP/1.1 {status} Said by a backend", f"X-Backend: {self.name}"]
        lines += [f"{key}: {value}" for key, value in headers]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def chunk(self, piece: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(piece), piece))

    async def send(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()

    def cut(self) -> None:
        """Reset the connection where it stands."""
        self.writer.transport.abort()


Handler: TypeAlias = Callable[[Exchange], Awaitable[None]]


async def echo(exchange: Exchange) -> None:
    """JSON about the request. The query may ask for more: `?status=503`, `?header=Name:value`, `?pad=6000`."""
    body = await exchange.body()
    request = exchange.request
    wishes = parse_qs(urlsplit(request.target).query)
    said = {
        "name": exchange.name,
        "method": request.method,
        "target": request.target,
        "headers": request.headers,
        "connection": request.connection,
        "body_length": len(body),
        "body": body[:200].decode("latin-1"),
    }
    extra = [(name, value) for name, _, value in (wish.partition(":") for wish in wishes.get("header", []))]
    if "pad" in wishes:
        extra.append(("X-Padding", "p" * int(wishes["pad"][0])))
    status = int(wishes.get("status", ["200"])[0])
    await exchange.answer(status, b"" if request.method == "HEAD" else json.dumps(said).encode(), *extra)


async def hang_up(exchange: Exchange) -> None:
    """Take the request and say nothing at all."""
    exchange.cut()


@dataclass
class Backend:
    """A running server and everything it saw."""

    name: str
    address: str
    port: int
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    handler: Handler = echo

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        with suppress(ConnectionError, asyncio.IncompleteReadError, ValueError, asyncio.CancelledError):
            while (request := await _request(reader, number)) is not None:
                self.seen.append(request)
                exchange = Exchange(request, self.name, reader, writer)
                await self.handler(exchange)
                # What the handler left unread would look like the next request.
                if not exchange.body_read and request.header("content-length") not in (None, "0"):
                    break
                if request.header("connection") == "close":
                    break
        writer.close()


async def _request(reader: asyncio.StreamReader, connection: int) -> Seen | None:
    line = await reader.readline()
    if not line:
        return None
    method, target, version = line.decode("latin-1").rstrip("\r\n").split(" ", 2)
    headers = []
    while (line := await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name.strip(), value.strip()))
    return Seen(method, target, version, tuple(headers), connection)


class Loop:
    """An event loop in a thread of its own; `run` waits for a coroutine from outside."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="backends", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(timeout=30)

    def close(self) -> None:
        self.run(_cancel_the_rest())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_the_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


class Backends:
    """Starts backends; they live until the session ends, since an idle one costs a socket."""

    def __init__(self) -> None:
        self.loop = Loop()
        self._sockets: list[socket.socket] = []

    def http(
        self,
        name: str,
        handler: Handler = echo,
        *,
        address: str = "127.0.0.1",
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        receive_buffer: int = 0,
    ) -> Backend:
        listening = _bound(address, port, receive_buffer=receive_buffer)
        backend = Backend(name, address, listening.getsockname()[1], handler=handler)
        self.loop.run(_start(backend, listening, tls))
        return backend

    def deaf(self) -> int:
        """A port that never accepts: its queue is full, so the kernel drops every further SYN."""
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        self._sockets.append(listening)
        while True:
            filler = socket.socket()
            filler.settimeout(0.2)
            self._sockets.append(filler)
            try:
                filler.connect(listening.getsockname())
            except TimeoutError:
                port: int = listening.getsockname()[1]
                return port

    def event(self) -> "Event":
        return Event(self.loop.loop)

    def close(self) -> None:
        for each in self._sockets:
            each.close()
        self.loop.close()


class Event:
    """Set from a test, awaited in a handler."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._event = asyncio.Event()

    def set(self) -> None:
        self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        await self._event.wait()


def _bound(address: str, port: int, *, receive_buffer: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.bind((address, port))
    return made


async def _start(backend: Backend, listening: socket.socket, tls: ssl.SSLContext | None) -> None:
    limit = 1 << 16
    await asyncio.start_server(backend.serve, sock=listening, ssl=tls, limit=limit, backlog=512)
