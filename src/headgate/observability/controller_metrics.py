"""The metrics of F5's controller about itself, under its names. The label `class` is on each of them."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from headgate.observability.passes import PassRecord

NIC = "nginx_ingress_controller_"
WAITS = (0.1, 0.5, 1, 5, 10, 50)
QUEUE = "taskQueue"


class ControllerMetrics:
    def __init__(self, registry: CollectorRegistry, ingress_class: str, *, custom_resources: bool) -> None:
        def gauge(name: str, help_text: str, *labels: str) -> Gauge:
            return Gauge(NIC + name, help_text, ["class", *labels], registry=registry)

        def waits(name: str, help_text: str) -> Histogram:
            return Histogram(NIC + name, help_text, ["class", "name"], buckets=WAITS, registry=registry)

        self._class = ingress_class
        self._ingresses = gauge("ingress_resources_total", "Ingresses that nginx serves", "type")
        self._reloads = Counter(NIC + "nginx_reloads", "Reloads that worked", ["class", "reason"], registry=registry)
        self._errors = Counter(NIC + "nginx_reload_errors", "Reloads that failed", ["class"], registry=registry)
        last = "Whether the last reload worked: 1 it did, 0 it failed or there was none"
        self._status = gauge("nginx_last_reload_status", last).labels(ingress_class)
        took = "How long the last reload that worked took, in milliseconds"
        self._milliseconds = gauge("nginx_last_reload_milliseconds", took).labels(ingress_class)
        self._depth = gauge("workqueue_depth", "Names that wait for a pass", "name").labels(ingress_class, QUEUE)
        waited = waits("workqueue_queue_duration_seconds", "How long the oldest name of a pass waited for it")
        self._waited = waited.labels(ingress_class, QUEUE)
        worked = waits("workqueue_work_duration_seconds", "How long a pass took")
        self._worked = worked.labels(ingress_class, QUEUE)
        for reason in ("endpoints", "other"):
            self._reloads.labels(ingress_class, reason)
        for kind in ("regular", "master", "minion"):
            self._ingresses.labels(ingress_class, kind)
        self._errors.labels(ingress_class)
        if custom_resources:
            gauge("virtualserver_resources_total", "VirtualServers that nginx serves").labels(ingress_class)
            gauge("virtualserverroute_resources_total", "VirtualServerRoutes that nginx serves").labels(ingress_class)
            transport = gauge("transportserver_resources_total", "TransportServers that nginx serves", "type")
            for kind in ("passthrough", "tcp", "udp"):
                transport.labels(ingress_class, kind)

    def passed(self, record: PassRecord, *, ingresses: int, reloaded: bool) -> None:
        work = sum(record.stages.values())
        self._worked.observe(work)
        self._waited.observe(max(0.0, record.event_to_live - work))
        self._ingresses.labels(self._class, "regular").set(ingresses)
        if reloaded:
            self._reloads.labels(self._class, "endpoints" if record.change == "endpoints" else "other").inc()
            self._status.set(1)
            self._milliseconds.set(round(record.stages.get("apply", 0.0) * 1000))

    def refused(self) -> None:
        self._errors.labels(self._class).inc()
        self._status.set(0)

    def follow_queue(self, depth: Callable[[], int]) -> None:
        self._depth.set_function(depth)
