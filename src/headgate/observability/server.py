"""Ports of our own: `/metrics` for Prometheus, `/nginx-ready` for whoever wants to know whether nginx serves.

A folder's `serve` has both on one port; in a cluster each has its own, and `/metrics` may speak TLS.
"""

import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from headgate.errors import Unusable
from headgate.observability.metrics import Metrics
from headgate.observability.presented import Presented

_PAGE = """\
<!doctype html>
<html lang="en">
<head><title>Headgate</title></head>
<body><h1>Headgate</h1><p><a href="/metrics">Metrics</a></p></body>
</html>
"""


@asynccontextmanager
async def metrics_server(
    metrics: Metrics,
    *,
    address: str | None,
    port: int,
    ready: Callable[[], bool] | None = None,
    tls: Presented | None = None,
    flag: str = "--metrics-port",
) -> AsyncIterator[None]:
    """`address`: None is every address. `ready`: answers /nginx-ready on the same port."""

    async def show(_: web.Request) -> web.Response:
        text = await metrics.scrape()
        return web.Response(body=text, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    async def front(_: web.Request) -> web.Response:
        return web.Response(text=_PAGE, content_type="text/html")

    routes = [web.get("/metrics", show), web.get("/", front), *(_readiness(ready) if ready is not None else ())]
    async with _listening(routes, address, port, context=tls.context if tls is not None else None, flag=flag):
        yield


@asynccontextmanager
async def ready_server(
    *, address: str | None, port: int, ready: Callable[[], bool], flag: str = "-ready-status-port"
) -> AsyncIterator[None]:
    async with _listening(_readiness(ready), address, port, flag=flag):
        yield


def _readiness(ready: Callable[[], bool]) -> Sequence[web.RouteDef]:
    """Any method will do: probes are of many kinds."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="Ready") if ready() else web.Response(status=503, text="Not ready")

    return [web.route("*", "/nginx-ready", answer)]


@asynccontextmanager
async def _listening(
    routes: Sequence[web.RouteDef],
    address: str | None,
    port: int,
    *,
    flag: str,
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[None]:
    application = web.Application()
    application.add_routes(routes)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address, port, ssl_context=context).start()
        except OSError as why:
            where = f"{address}:{port}" if address else f"port {port}"
            raise Unusable(f"{where}: {why.strerror}; choose another port with {flag}") from None
        yield
    finally:
        await runner.cleanup()
