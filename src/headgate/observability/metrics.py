"""Metrics for Prometheus: passes, reloads, held objects. Labels are bounded: never a host, a path or an object's name.

Names that F5's controller has too keep its names and labels, so that existing dashboards work.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from headgate.observability.passes import PassRecord

_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
NIC = "nginx_ingress_controller_"


class Metrics:
    def __init__(self, ingress_class: str = "nginx") -> None:
        self._class = ingress_class
        self.registry = CollectorRegistry()
        self._passes = Counter(
            "headgate_passes", "Passes by kind of change and outcome", ["change", "outcome"], registry=self.registry
        )
        self._stages = Histogram(
            "headgate_stage_seconds", "Seconds of a pass by stage", ["stage"], buckets=_SECONDS, registry=self.registry
        )
        self._live = Histogram(
            "headgate_event_to_live_seconds",
            "From the oldest event of a pass to nginx answering with it",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._held = Gauge(
            "headgate_held_objects", "Objects whose present version is not served", registry=self.registry
        )
        self._findings = Gauge("headgate_findings", "Findings of the last pass", registry=self.registry)
        self._generation = Gauge("headgate_generation", "The generation that nginx runs", registry=self.registry)
        self._restarts = Counter(
            "headgate_nginx_restarts", "Times nginx died and was started again", registry=self.registry
        )
        self._reloads = Counter(
            NIC + "nginx_reloads", "Successful reloads", ["class", "reason"], registry=self.registry
        )
        self._reload_errors = Counter(NIC + "nginx_reload_errors", "Failed reloads", ["class"], registry=self.registry)
        self._last_status = Gauge(
            NIC + "nginx_last_reload_status", "1 last reload worked, 0 failed", ["class"], registry=self.registry
        )
        self._last_milliseconds = Gauge(
            NIC + "nginx_last_reload_milliseconds",
            "Duration of the last successful reload",
            ["class"],
            registry=self.registry,
        )
        self._resources = Gauge(
            NIC + "ingress_resources_total", "Ingresses in the nginx config", ["class", "type"], registry=self.registry
        )
        for reason in ("endpoints", "other"):
            self._reloads.labels(self._class, reason)
        for kind in ("regular", "master", "minion"):
            self._resources.labels(self._class, kind)
        self._reload_errors.labels(self._class)

    def passed(self, record: PassRecord, *, ingresses: int, reloaded: bool) -> None:
        self._passes.labels(record.change, record.outcome).inc()
        for stage, seconds in record.stages.items():
            self._stages.labels(stage).observe(seconds)
        self._held.set(record.held)
        self._findings.set(record.findings)
        self._generation.set(record.generation)
        self._resources.labels(self._class, "regular").set(ingresses)
        if record.outcome == "live":
            self._live.observe(record.event_to_live)
        if reloaded:
            self._reloads.labels(self._class, "endpoints" if record.change == "endpoints" else "other").inc()
            self._last_status.labels(self._class).set(1)
            self._last_milliseconds.labels(self._class).set(round(record.stages.get("apply", 0.0) * 1000))

    def refused(self) -> None:
        self._reload_errors.labels(self._class).inc()
        self._last_status.labels(self._class).set(0)

    def restarted(self) -> None:
        self._restarts.inc()

    def text(self) -> bytes:
        return generate_latest(self.registry)
