"""Worker CPU per proxied request: ours against a configuration written by hand, and hosts by wildcard against exact ones.

Tiny answers from a fast backend, one worker each. A round is one, the other, the other, the one; the ratio is the median of the
ratios of all rounds, because what else the machine does changes slowly. Workers have a core to themselves where there are two.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.folders import PATHS, Names, application, endpoint_slice, host
from bench.load import Load, request
from bench.measure import cpu_microseconds
from bench.nginxes import Cores, free_ports, serving
from bench.product import settings, store_of, written
from bench.shapes import Ground, Places, Route, backend, by_hand
from bench.table import Measure, Unit
from headgate.model.settings import Semantics

HOSTS = 20
WILDCARD_HOSTS = 1_000
ROUNDS = 99
WILDCARD_ROUNDS = 9
REQUESTS = 600  # a turn; a round is two turns of each
WARM_UP = 3_000
ENDPOINTS = ["127.0.0.2", "127.0.0.3"]

_Served: TypeAlias = tuple[int, int]  # a port, and the worker behind it
_Case: TypeAlias = tuple[_Served, Sequence[bytes]]  # and what to ask it


def measure(ground: Path) -> list[Measure]:
    (backend_port,) = free_ports(1)
    conf = _backend_conf(Ground(ground / "backend", backend_port, 0))
    cores = Cores()
    try:
        with serving(conf, backend_port) as worker:
            cores.set_aside(worker)
            cores.set_aside(os.getpid())
            rivals = _Rivals(ground, backend_port, cores)
            return [*_by_hand(rivals), *_wildcards(rivals)]
    finally:
        cores.release(os.getpid())


def _backend_conf(ground: Ground) -> Path:
    ground.folder.mkdir(parents=True)
    ground.conf.write_text(backend(ground))
    return ground.conf


def _by_hand(rivals: "_Rivals") -> list[Measure]:
    requests = [request(host(number), f"{path.rstrip('/')}/x") for number in range(HOSTS) for path in PATHS]
    with rivals.ours("ours", HOSTS) as ours, rivals.by_hand("by-hand", HOSTS) as hand:
        own, other, ratio = _compared((ours, requests), (hand, requests), rounds=ROUNDS)
    note = f"{own:.2f} µs / {other:.2f} µs, median of {ROUNDS} × {2 * REQUESTS:,}"
    return [Measure("worker CPU per request: ours / by hand", ratio, Unit.RATIO, 1.05, note)]


def _wildcards(rivals: "_Rivals") -> list[Measure]:
    requests = [request(f"www.{host(number)}", "/x") for number in range(0, WILDCARD_HOSTS, 7)]
    exact_requests = [request(host(number), "/x") for number in range(0, WILDCARD_HOSTS, 7)]
    case = f"worker CPU per request, {WILDCARD_HOSTS:,} wildcard hosts"
    measures = []
    for name, semantics in (("one label", Semantics.KUBERNETES), ("any depth, nic", Semantics.NIC)):
        with (
            rivals.ours(
                f"wildcard-{semantics.value}", WILDCARD_HOSTS, names=Names.WILDCARD, semantics=semantics
            ) as wildcard,
            rivals.ours(f"exact-{semantics.value}", WILDCARD_HOSTS) as exact,
        ):
            own, other, ratio = _compared((wildcard, requests), (exact, exact_requests), rounds=WILDCARD_ROUNDS)
        note = f"{own:.2f} µs / {other:.2f} µs"
        measures.append(Measure(f"{case} ({name}) / exact hosts", ratio, Unit.RATIO, note=note))
    return measures


class _Rivals:
    """Configurations over the same backend, each served for the length of a block: a port and a worker come out."""

    def __init__(self, ground: Path, backend_port: int, cores: Cores) -> None:
        self._ground = ground
        self._backend_port = backend_port
        self._cores = cores

    @contextmanager
    def ours(
        self, name: str, count: int, *, names: Names = Names.EXACT, semantics: Semantics = Semantics.KUBERNETES
    ) -> Iterator[_Served]:
        port, tls_port = free_ports(2)
        manifests = []
        for number in range(count):
            ingress, service, _ = application(number, names=names)
            manifests += [ingress, service, endpoint_slice(number, ENDPOINTS, self._backend_port)]
        conf = written(
            store_of(manifests).snapshot(), settings(port, tls_port, semantics=semantics), self._ground / name
        )
        with self._served(conf, port) as worker:
            yield port, worker

    @contextmanager
    def by_hand(self, name: str, count: int) -> Iterator[_Served]:
        ground = Ground(self._ground / name, *free_ports(2))
        ground.folder.mkdir(parents=True)
        endpoints = tuple(f"{address}:{self._backend_port}" for address in ENDPOINTS)
        wanted = [Route(host(number), f"app-{number:05}", endpoints) for number in range(count)]
        ground.conf.write_text("".join(by_hand(wanted, ground, Places.BY_ELEMENT)))
        with self._served(ground.conf, ground.port) as worker:
            yield ground.port, worker

    @contextmanager
    def _served(self, conf: Path, port: int) -> Iterator[int]:
        with serving(conf, port) as worker:
            self._cores.measure(worker)
            yield worker


def _compared(first: _Case, second: _Case, *, rounds: int) -> tuple[float, float, float]:
    """Microseconds a request of either, and the ratio."""
    costs: tuple[list[float], list[float]] = ([], [])
    with ExitStack() as open_loads:
        loads = []
        for (port, worker), requests in (first, second):
            load = Load(port, requests)
            open_loads.callback(load.close)
            load.send(WARM_UP)
            loads.append((worker, load))
        for _ in range(rounds):
            turns = [(which, _cost(*loads[which])) for which in (0, 1, 1, 0)]
            for side in (0, 1):
                costs[side].append(sum(cost for which, cost in turns if which == side) / 2)
    return median(costs[0]), median(costs[1]), median(one / other for one, other in zip(*costs, strict=True))


def _cost(worker: int, load: Load) -> float:
    before = cpu_microseconds(worker)
    sent = load.send(REQUESTS)
    return (cpu_microseconds(worker) - before) / sent
