"""A wire that can be cut: a TCP relay between a client and the API server. TLS goes through it untouched."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import msgspec

from headgate.cluster.kube.access import Access


class Relay:
    def __init__(self, server: str) -> None:
        self._target = urlsplit(server)
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._is_cut = False
        self.connections = 0

    def through(self, access: Access) -> Access:
        """The same API server, reached by this wire; its certificate says another address, hence the name."""
        if self._server is None:
            raise RuntimeError("the relay does not run")
        port = self._server.sockets[0].getsockname()[1]
        return msgspec.structs.replace(access, server=f"https://127.0.0.1:{port}", tls_server_name="kubernetes")

    def cut(self) -> None:
        """Every connection ends at once, and no new one gets through."""
        self._is_cut = True
        for writer in self._open:
            writer.transport.abort()

    def mend(self) -> None:
        self._is_cut = False

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def stop(self) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        self.connections += 1
        try:
            far_reader, far_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._open |= ends
        with suppress(OSError):
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        self._open -= ends
        for each in ends:
            each.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()
    writer.transport.abort()


@asynccontextmanager
async def relay(server: str) -> AsyncIterator[Relay]:
    made = Relay(server)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()
