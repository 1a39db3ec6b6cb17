"""A WebSocket echo, and what it saw of the handshake."""

import ssl
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.support.backends import Backends


@dataclass
class WebSocketBackend:
    port: int = 0
    address: str = "127.0.0.1"
    upgrades: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.upgrades.append(request.headers.get("Upgrade", ""))
        socket = web.WebSocketResponse()
        if not socket.can_prepare(request).ok:
            return web.json_response({"name": "websocket", "headers": list(request.headers.items())})
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await socket.send_str(f"echo {message.data}")
        return socket


def websocket(backends: Backends, *, tls: ssl.SSLContext | None = None) -> WebSocketBackend:
    backend = WebSocketBackend()
    backend.port = backends.loop.run(_start(backend, tls))
    return backend


async def _start(backend: WebSocketBackend, tls: ssl.SSLContext | None) -> int:
    application = web.Application()
    application.router.add_route("*", "/{rest:.*}", backend.answer)
    runner = web.AppRunner(application, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    port: int = runner.addresses[0][1]
    return port
