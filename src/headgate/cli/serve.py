"""`headgate serve FOLDER`: manifests on disk in, a serving nginx out, until told to stop.

SIGTERM and SIGINT drain and stop; a second SIGINT stops now. nginx dying is said loudly and mended. Killed without warning we leave
nginx serving, and the next start takes it over.
"""

import argparse
import asyncio
import fcntl
import logging
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from headgate.api import Ref
from headgate.cli.flags import layout_of, settings_of, state_folder
from headgate.cli.life import Signals, farewell, live
from headgate.cluster.files import FolderSource
from headgate.cluster.store import Store
from headgate.controller.journal import Journal
from headgate.controller.loop import Loop, World
from headgate.controller.queue import Batch, WorkQueue
from headgate.controller.reporter import Reporter
from headgate.errors import Unusable
from headgate.model.finding import Severity
from headgate.model.outcome import Live
from headgate.nginx import Nginx, examine, worker_user
from headgate.observability.log import configure, tell
from headgate.observability.metrics import Metrics

LONG_LIFE = 60.0  # an nginx that lived so long died of something new: its backoff starts afresh
LONGEST_BACKOFF = 30.0


def serve(arguments: argparse.Namespace) -> int:
    configure(arguments.log_level)
    folder = Path(arguments.folder)
    if not folder.exists():
        raise Unusable(f"{folder}: there is no such folder")
    state = state_folder(arguments, folder)
    with _alone(state):
        return asyncio.run(_serve(arguments, folder, state))


@contextmanager
def _alone(state: Path) -> Iterator[None]:
    """One Headgate per state folder."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        lock = os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as why:
        raise Unusable(f"state folder {state}: {why.strerror}; choose another with --state-dir") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Unusable(f"state folder {state}: another Headgate uses it; choose another with --state-dir") from None
    try:
        yield
    finally:
        os.close(lock)


async def _serve(arguments: argparse.Namespace, folder: Path, state: Path) -> int:
    signals = Signals()
    binary = await examine(arguments.nginx_binary)
    settings = settings_of(arguments, binary.capabilities)
    layout = layout_of(state, user=worker_user())
    store = Store()
    source = FolderSource([folder], store)
    world = World(
        snapshot=store.snapshot,
        source_findings=source.findings,
        queue=WorkQueue(),
        nginx=Nginx(layout, binary=binary.path, listeners=settings.listeners, timeout=arguments.reload_timeout),
        settings=settings,
        layout=layout,
        journal=Journal(state / "accepted.log"),
        reporter=Reporter(),
        metrics=Metrics(arguments.ingress_class or "nginx"),
    )
    loop = Loop(world)
    await loop.recall()
    await asyncio.to_thread(source.load)
    if arguments.once:
        return await _once(loop)
    async with _metrics(arguments, loop):
        return await _until_told(loop, source, arguments, state, signals)


async def _once(loop: Loop) -> int:
    outcome = await loop.one_pass(Batch(frozenset(), time.monotonic()), check_only=True)
    wrong = any(finding.severity is Severity.ERROR for finding in loop.findings)
    return 0 if isinstance(outcome, Live) and not wrong else 1


@asynccontextmanager
async def _metrics(arguments: argparse.Namespace, loop: Loop) -> AsyncIterator[None]:
    if arguments.metrics_port is None:
        yield
        return
    from headgate.observability.server import metrics_server  # an HTTP server: half of the time that a start takes

    address = (arguments.address or ["127.0.0.1"])[0]
    async with metrics_server(
        loop.world.metrics, address=address, port=arguments.metrics_port, ready=lambda: loop.live is not None
    ):
        yield


async def _until_told(
    loop: Loop, source: FolderSource, arguments: argparse.Namespace, state: Path, signals: Signals
) -> int:
    """Serve until a signal says stop; then let requests finish, unless a second one says now."""
    nginx, queue = loop.world.nginx, loop.world.queue
    if (taken := await nginx.take_over()) is not None:
        tell("took over a running nginx", pid=nginx.pid, generation=taken)
    queue.put()
    try:
        await live(loop, signals, [_followed(source, queue), _kept_alive(loop), _announced(loop, arguments, state)])
    finally:
        await farewell(nginx, signals, arguments.shutdown_timeout)
    return 0


async def _followed(source: FolderSource, queue: WorkQueue) -> None:
    def changed(names: frozenset[Ref]) -> None:
        queue.put(names)

    await source.watch(changed)


async def _kept_alive(loop: Loop) -> None:
    """An nginx that dies is started again, later each time that it dies young."""
    backoff = 0.0
    while True:
        started = time.monotonic()
        obituary = await loop.world.nginx.died()
        backoff = 0.0 if time.monotonic() - started > LONG_LIFE else backoff
        tell(f"nginx died: {obituary}; starting it again", logging.ERROR, backoff_s=round(backoff, 1))
        loop.world.metrics.restarted()
        loop.nginx_died()
        await asyncio.sleep(backoff)
        backoff = min(max(2 * backoff, 0.5), LONGEST_BACKOFF)
        loop.world.queue.put()


async def _announced(loop: Loop, arguments: argparse.Namespace, state: Path) -> None:
    """Say where it is served, once it is."""
    await loop.first_live.wait()
    plain = ", ".join(
        f"http://{_spoken(each.address)}:{each.port}" for each in loop.world.settings.listeners if not each.tls
    )
    tls = ", ".join(
        f"https://{_spoken(each.address)}:{each.port}" for each in loop.world.settings.listeners if each.tls
    )
    tell(f"serving {arguments.folder} on {plain} and {tls}", logs=state / "log")


def _spoken(address: str) -> str:
    return f"[{address}]" if ":" in address else address
