"""The small programs behind an example: a folder of manifests in, a listening backend for every endpoint in it out.

There is no second list of ports: the EndpointSlices of the folder say which addresses to bind and to which Service
each belongs, and the annotation nginx.org/grpc-services says who speaks gRPC (see `greeter`). Everybody else answers
with what came in, as plain text, and sends back WebSocket messages when a client asks for that.

    python examples/backends.py cafe
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from aiohttp import WSMsgType, web

HERE = Path(__file__).parent
SERVICE_NAME = "kubernetes.io/service-name"
GRPC_SERVICES = "nginx.org/grpc-services"


class Backend(NamedTuple):
    """One endpoint of a Service."""

    service: str
    address: str
    port: int
    speaks_grpc: bool

    def __str__(self) -> str:
        return f"{self.service} at {self.address}:{self.port}"


def backends_of(folder: Path) -> list[Backend]:
    """Every endpoint that the EndpointSlices of the folder name."""
    objects = list(_objects(folder))
    grpc = {name for found in objects for name in _grpc_services(found)}
    slices = [found for found in objects if found["kind"] == "EndpointSlice"]
    return [
        Backend(service, address, port["port"], service in grpc)
        for found in slices
        for service in [found["metadata"]["labels"][SERVICE_NAME]]
        for port in found["ports"]
        for endpoint in found["endpoints"]
        for address in endpoint["addresses"]
    ]


def _objects(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.glob("**/*.yaml")):
        yield from (found for found in yaml.safe_load_all(path.read_text(encoding="utf-8")) if found)


def _grpc_services(found: Mapping[str, Any]) -> list[str]:
    said = found["metadata"].get("annotations", {}).get(GRPC_SERVICES, "")
    return [name.strip() for name in said.split(",")]


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[list[Backend]]:
    """Every backend of the folder listens inside this block, and none after it."""
    backends = backends_of(folder)
    async with AsyncExitStack() as stack:
        for backend in backends:
            await stack.enter_async_context(_greeting(backend) if backend.speaks_grpc else _echoing(backend))
        yield backends


@asynccontextmanager
async def _echoing(backend: Backend) -> AsyncIterator[None]:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        wants_websocket = web.WebSocketResponse().can_prepare(request).ok
        return await _echo_messages(request, backend) if wants_websocket else await _echo_request(request, backend)

    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, backend.address, backend.port).start()
        yield
    finally:
        await runner.cleanup()


async def _echo_request(request: web.BaseRequest, backend: Backend) -> web.Response:
    received = await request.read()
    lines = [
        f"Service: {backend.service}",
        f"Address: {backend.address}:{backend.port}",
        f"Request: {request.method} {request.raw_path}",
        f"Body: {len(received)} bytes",
        *(f"{name}: {value}" for name, value in request.headers.items()),
    ]
    return web.Response(text="\n".join(lines) + "\n")


async def _echo_messages(request: web.BaseRequest, backend: Backend) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_str(f"connected to {backend}")
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(message.data)
        elif message.type is WSMsgType.BINARY:
            await socket.send_bytes(message.data)
    return socket


@asynccontextmanager
async def _greeting(backend: Backend) -> AsyncIterator[None]:
    from greeter import greeter  # grpcio is a development dependency: only the example that needs it loads it

    server = greeter(f"{backend.address}:{backend.port}", signature=str(backend))
    await server.start()
    try:
        yield
    finally:
        await server.stop(grace=1)


async def main(folder: Path) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(folder) as backends:
        print("\n".join(map(str, backends)), flush=True)
        await stopped.wait()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (HERE / sys.argv[1]).is_dir():
        raise SystemExit("say which example: python examples/backends.py cafe")
    asyncio.run(main(HERE / sys.argv[1]))
