"""A backend that speaks HTTP/2 in clear text and nothing else: HTTP/1.1 gets a closed connection."""

import asyncio
import json

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from tests.support.backends import Backends


class _Speaker(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self._connection = h2.connection.H2Connection(config)
        self._greeted = False

    def data_received(self, data: bytes) -> None:
        if not self._greeted and not data.startswith(b"PRI"):
            self._transport.abort()
            return
        if not self._greeted:
            self._connection.initiate_connection()
            self._greeted = True
        try:
            events = self._connection.receive_data(data)
        except h2.exceptions.ProtocolError:
            self._transport.abort()
            return
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                self._answer(event)
        self._flush()

    def _answer(self, event: h2.events.RequestReceived) -> None:
        stream = event.stream_id
        assert stream is not None
        headers = [(str(name), str(value)) for name, value in event.headers or ()]
        body = json.dumps(
            {"name": "h2c", "version": "HTTP/2", "target": dict(headers)[":path"], "headers": headers}
        ).encode()
        self._connection.send_headers(stream, [(":status", "200"), ("content-length", str(len(body)))])
        self._connection.send_data(stream, body, end_stream=True)

    def _flush(self) -> None:
        self._transport.write(self._connection.data_to_send())


def http2_clear(backends: Backends) -> int:
    """The port of a new h2c backend."""
    return backends.loop.run(_start())


async def _start() -> int:
    server = await asyncio.get_running_loop().create_server(_Speaker, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    return port
