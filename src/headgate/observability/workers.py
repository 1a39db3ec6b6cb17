"""nginx's workers, counted in /proc when somebody asks: those that accept connections, and those that only finish what they began.

Old ones that pile up are how reloads under WebSockets run a Pod out of memory. To which generation a worker belongs follows from
when it was started: after we began to apply its own, and before we began with the next.
"""

import os
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PROC = Path("/proc")
_TITLE = "nginx: worker process"
_OLD = f"{_TITLE} is shutting down"
_REMEMBERED = 1000  # generations; older ones count as one


class Worker(Struct, frozen=True):
    pid: int
    is_old: bool
    started: float  # seconds since the machine was; at most, since the kernel counts in hundredths


def workers_of(master: int) -> list[Worker]:
    try:
        children = (PROC / str(master) / "task" / str(master) / "children").read_text().split()
    except OSError:
        return []
    return [worker for pid in children if (worker := _worker(int(pid))) is not None]


def _worker(pid: int) -> Worker | None:
    try:
        title = (PROC / str(pid) / "cmdline").read_bytes().rstrip(b"\0 ").decode(errors="replace")
        after_name = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    if title not in (_TITLE, _OLD):
        return None
    return Worker(pid, title == _OLD, (int(after_name[19]) + 1) / os.sysconf("SC_CLK_TCK"))


class Workers(Collector):
    def __init__(self, ingress_class: str) -> None:
        self.master: Callable[[], int | None] = _nobody
        self._class = ingress_class
        self._begun: list[float] = []  # when we began to apply each generation, in order

    def became_live(self, took: float) -> None:
        """A generation answers, so many seconds after we began with it: workers started since then are its own."""
        del self._begun[:-_REMEMBERED]
        self._begun.append(time.clock_gettime(time.CLOCK_BOOTTIME) - took)

    def collect(self) -> Iterator[Metric]:
        pid = self.master()
        found = workers_of(pid) if pid is not None else []
        counted = GaugeMetricFamily(
            "nginx_ingress_controller_nginx_worker_processes_total",
            "Workers of nginx: current ones, and old ones that finish their connections",
            labels=["class", "generation"],
        )
        for label, is_old in (("current", False), ("old", True)):
            counted.add_metric([self._class, label], sum(each.is_old is is_old for each in found))
        yield counted
        generations = {bisect_right(self._begun, each.started) for each in found}
        yield GaugeMetricFamily(
            "headgate_worker_generations", "Generations of which workers are alive", len(generations)
        )


def _nobody() -> None:
    return None
