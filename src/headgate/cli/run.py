"""`headgate run`: the controller inside Kubernetes. F5's flags in, a serving nginx out, until the kubelet says stop.

The order of a start is the order in which an operator wants to hear of mistakes: flags, nginx, the API server, what flags name. Then
everything is listed once, one pass, one start of nginx, ready. At the end readiness turns first, since kube-proxy and load balancers lag.
"""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from headgate import __version__
from headgate.api import Ref
from headgate.cli.go_flags import HelpWanted, WrongUsage
from headgate.cli.life import Signals, farewell, live
from headgate.cli.run_flags import RunFlags
from headgate.cli.run_pages import USAGE, run_help
from headgate.cli.run_reading import read_flags
from headgate.cli.run_settings import own_pod
from headgate.cli.run_start import Named, look_up
from headgate.cli.run_world import Member, Place
from headgate.cluster.kube import own_pod as pods
from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.config import from_kubeconfig, in_cluster, kubeconfig_paths, through_proxy
from headgate.cluster.kube.ingress_link import follow
from headgate.controller.journal import read_lines
from headgate.errors import Unusable
from headgate.nginx import Binary, examine
from headgate.observability.lag import measure_lag
from headgate.observability.log import FATAL, configure_cluster, tell
from headgate.observability.presented import Presented
from headgate.observability.server import metrics_server, ready_server

LAST_WORDS = 5.0  # seconds for the statuses and events that wait when we are told to stop


def run(argv: Sequence[str]) -> int:
    try:
        reading = read_flags(argv)
    except HelpWanted:
        print(run_help(), end="")
        return 0
    except WrongUsage as why:
        print(f"headgate run: {why}\n{USAGE}", file=sys.stderr, end="")
        return 2
    print(f"Headgate {__version__}", flush=True)
    if reading.flags.version:
        return 0
    configure_cluster(reading.flags.log_format, reading.flags.log_level)
    for warning in reading.warnings:
        tell(warning, logging.WARNING)
    try:
        return asyncio.run(_run(reading.flags))
    except Unusable as why:
        tell(str(why), FATAL)
        return 1


async def _run(flags: RunFlags) -> int:
    signals = Signals()
    binary = await examine(flags.binary)
    access = _access(flags)
    place = _place(flags, access)
    async with Client(access) as client:
        looking = asyncio.create_task(look_up(flags, client, place.pod))
        stopped = asyncio.create_task(signals.stop.wait())
        await asyncio.wait([looking, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not looking.done():
            looking.cancel()
            return 0
        named = await looking
        member = Member(flags, client, place, binary, named)
        return await _serve(flags, member, named, binary, signals)


def _access(flags: RunFlags) -> Access:
    if flags.proxy:
        return through_proxy(flags.proxy)
    if flags.kubeconfig or flags.context or "KUBERNETES_SERVICE_HOST" not in os.environ:
        return from_kubeconfig(kubeconfig_paths(flags.kubeconfig), flags.context or None)
    return in_cluster()


def _place(flags: RunFlags, access: Access) -> Place:
    """Outside a cluster there is no Pod of ours, unless the environment says so."""
    pod = own_pod(os.environ, flags)
    namespace = os.environ.get("POD_NAMESPACE") or access.namespace or pod.namespace
    return Place(namespace, pod.name, pod.ref if os.environ.get("POD_NAME") else None)


async def _serve(flags: RunFlags, member: Member, named: Named, binary: Binary, signals: Signals) -> int:
    presented = Presented(named.metrics_pair) if named.metrics_pair is not None else None
    member.presented = presented
    if (taken := await member.nginx.take_over()) is not None:
        tell("took over a running nginx", pid=member.nginx.pid, generation=taken)
    async with _ports(flags, member, presented, signals):
        await member.loop.recall(read_lines((await member.keepsake.read()).encode().splitlines()))
        member.source.need(member.loop.held.secrets(standing_in=False))
        tasks = [asyncio.create_task(each) for each in _beside(flags, member, binary)]
        try:
            await _until_told(member, signals, tasks)
            await _last_words(flags, member, tasks, signals)
        finally:
            for task in tasks:
                task.cancel()
            await farewell(member.nginx, signals, flags.shutdown_timeout.milliseconds / 1000)
    return 0


@asynccontextmanager
async def _ports(flags: RunFlags, member: Member, presented: Presented | None, signals: Signals) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        if flags.ready_status:
            await stack.enter_async_context(
                ready_server(address=None, port=flags.ready_status_port, ready=lambda: _is_ready(member, signals))
            )
        if flags.enable_prometheus_metrics:
            await stack.enter_async_context(
                metrics_server(
                    member.metrics,
                    address=None,
                    port=flags.prometheus_metrics_listen_port,
                    tls=presented,
                    flag="-prometheus-metrics-listen-port",
                )
            )
        if member.metrics.latency is not None:
            stack.enter_context(member.metrics.latency.listening(member.layout.syslog_socket))
        yield


def _is_ready(member: Member, signals: Signals) -> bool:
    return member.loop.live is not None and not signals.stop.is_set()


def _beside(flags: RunFlags, member: Member, binary: Binary) -> list[Coroutine[Any, Any, Any]]:
    """What goes on until the very end, beyond the last pass: leading, writing, measuring."""
    version = ".".join(map(str, binary.capabilities.version))
    going: list[Coroutine[Any, Any, Any]] = [
        member.writer.run(),
        member.keepsake.run(),
        measure_lag(member.metrics),
    ]
    if member.leader is not None:
        going.append(member.leader.run())
    if member.place.pod is not None:
        labels = {"app.nginx.org/version": version, "app.kubernetes.io/version": __version__}
        going.append(pods.label(member.client, member.place.pod, labels))
    if flags.ingresslink:
        going.append(follow(member.client, member.place.namespace, flags.ingresslink, member.telling.moved))
    return going


async def _until_told(member: Member, signals: Signals, tasks: list[asyncio.Task[Any]]) -> None:
    await live(member.loop, signals, [_followed(member), _begun(member), _mourned(member), _watched(tasks)])


async def _followed(member: Member) -> None:
    """What is heard before everything was listed is no reason for a pass: half a cluster must never be served."""

    def changed(names: frozenset[Ref]) -> None:
        if member.synced:
            member.queue.put(names)

    await member.source.watch(changed)


async def _begun(member: Member) -> None:
    """The first pass waits until every kind was listed: one pass, one start of nginx, however many objects there are."""
    await member.source.synced()
    member.synced = True
    member.queue.put()
    await member.loop.first_live.wait()
    tell("nginx serves what the cluster says", generation=member.nginx.generation)


async def _mourned(member: Member) -> None:
    """The kubelet restarts us better than we could restart nginx: it counts, and people see it."""
    raise Unusable(f"nginx died: {await member.nginx.died()}")


async def _watched(tasks: list[asyncio.Task[Any]]) -> None:
    """One of those beside that dies takes us down too, loudly."""
    pending = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


async def _last_words(flags: RunFlags, member: Member, tasks: list[asyncio.Task[Any]], signals: Signals) -> None:
    """Statuses that wait are written, the lease is released, and nginx goes on accepting for a while: others hear late that we go."""
    delay = asyncio.create_task(asyncio.sleep(flags.shutdown_delay.milliseconds / 1000))
    await member.writer.settle(LAST_WORDS)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    if member.leader is not None:
        await member.leader.release()
    hurried = asyncio.create_task(signals.now.wait())
    with suppress(asyncio.CancelledError):
        await asyncio.wait([delay, hurried], return_when=asyncio.FIRST_COMPLETED)
    hurried.cancel()
    delay.cancel()
