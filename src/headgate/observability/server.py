"""The metrics port: `/metrics` for Prometheus, `/nginx-ready` for whoever wants to know whether nginx serves."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from headgate.errors import Unusable
from headgate.observability.metrics import Metrics


@asynccontextmanager
async def metrics_server(
    metrics: Metrics, *, address: str, port: int, ready: Callable[[], bool]
) -> AsyncIterator[None]:
    async def show(_: web.Request) -> web.Response:
        # Ten thousand series take 80 ms to print: not on the loop.
        text = await asyncio.to_thread(metrics.text)
        return web.Response(body=text, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    async def readiness(_: web.Request) -> web.Response:
        return web.Response(text="Ready") if ready() else web.Response(status=503, text="Not ready")

    application = web.Application()
    application.add_routes([web.get("/metrics", show), web.get("/nginx-ready", readiness)])
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address, port).start()
        except OSError as why:
            raise Unusable(
                f"metrics port {address}:{port}: {why.strerror}; choose another with --metrics-port"
            ) from None
        yield
    finally:
        await runner.cleanup()
