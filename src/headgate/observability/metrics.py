"""Metrics for Prometheus: what the passes did, what nginx counts, and what else an operator asks at night.

`Metrics` is the one face that other rooms tell things to; it prints everything as text. Names that F5's controller has too keep its
names, labels, types and buckets, so that existing dashboards work (`controller_metrics`, `nginx_status`, `latency`); ours begin with
`headgate_` (`own_metrics`). Labels are bounded: never what a client sent, never more series than a fixed number.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from headgate.api import Snapshot
from headgate.model.shape import Model
from headgate.observability.certificates import Certificates
from headgate.observability.controller_metrics import ControllerMetrics
from headgate.observability.followed import Counts, Followed
from headgate.observability.latency import Latency
from headgate.observability.nginx_status import BARE_COUNTERS, NginxStatus, read_counters
from headgate.observability.own_metrics import OwnMetrics
from headgate.observability.passes import PassRecord
from headgate.observability.workers import Workers


class Metrics:
    """`status_socket`: where nginx answers /stub_status, if it does. `latency`: whether backends are timed."""

    def __init__(
        self,
        ingress_class: str = "nginx",
        *,
        custom_resources: bool = False,
        status_socket: str | None = None,
        latency: bool = False,
    ) -> None:
        self.registry = CollectorRegistry()
        self.own = OwnMetrics(self.registry)
        self.controller = ControllerMetrics(self.registry, ingress_class, custom_resources=custom_resources)
        self.workers = Workers(ingress_class)
        self.registry.register(self.workers)
        self._followed = Followed()
        self.registry.register(self._followed)
        self._certificates = Certificates()
        self.registry.register(self._certificates)
        self._status_socket = status_socket
        self._status = NginxStatus(ingress_class)
        if status_socket is not None:
            self.registry.register(self._status)
        self.latency = Latency(self.registry, ingress_class) if latency else None

    # what the loop tells

    def passed(self, record: PassRecord, *, ingresses: int, reloaded: bool) -> None:
        self.own.passed(record)
        self.controller.passed(record, ingresses=ingresses, reloaded=reloaded)
        if reloaded:
            self.workers.became_live(record.stages.get("apply", 0.0))

    def refused(self) -> None:
        self.controller.refused()

    def restarted(self) -> None:
        self.own.restarts.inc()

    def serving(self, model: Model, snapshot: Snapshot | None = None) -> None:
        """nginx runs this now. The snapshot knows which Pod is behind an address."""
        self._certificates.model = model
        if self.latency is not None:
            self.latency.serving(model, snapshot)

    # what others tell

    def follow_master(self, pid: Callable[[], int | None]) -> None:
        """Whose workers are counted."""
        self.workers.master = pid

    def follow_queue(self, depth: Callable[[], int], age: Callable[[], float]) -> None:
        """How many names wait, and for how many seconds the oldest has."""
        self.controller.follow_queue(depth)
        self.own.queue_age.set_function(age)

    def follow_writer(self, pending: Callable[[], int], results: Callable[[], Counts] = dict) -> None:
        """How many statuses and events are still to be written, and what came of the others: result → how many."""
        self.own.status_pending.set_function(pending)
        self._followed.writes = results

    def follow_watches(self, counts: Callable[[], Mapping[str, Counts]]) -> None:
        """Kind → lists, watches, events and failures."""
        self._followed.watches = counts

    def follow_lease(self, latest: Callable[[], float]) -> None:
        """How late the lease was renewed, at the worst."""
        self.own.lease_late.set_function(latest)

    def leading(self, *, is_leader: bool) -> None:
        self.own.leader.set(1 if is_leader else 0)

    # what is asked

    async def scrape(self) -> bytes:
        """Everything as text, with nginx's counters of this moment."""
        self._followed.look()
        if self._status_socket is not None:
            self._status.counters = await read_counters(self._status_socket)
        # Ten thousand series take 80 ms to print: not on the loop.
        return await asyncio.to_thread(self.text)

    def text(self) -> bytes:
        text = generate_latest(_Plain(self.registry))
        if self._status_socket is not None:
            for name in BARE_COUNTERS:  # the library ends the name of every counter in _total
                text = text.replace(f" {name}_total ".encode(), f" {name} ".encode())
        return text


class _Plain(Collector):
    """Without the moments of creation, which the library adds to everything and F5's controller has not."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric
