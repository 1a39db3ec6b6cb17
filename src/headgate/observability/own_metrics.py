"""The metrics that only Headgate has, under `headgate_`."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from headgate.observability.passes import PassRecord

SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class OwnMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, help_text: str, *labels: str) -> Counter:
            return Counter(f"headgate_{name}", help_text, labels, registry=registry)

        def gauge(name: str, help_text: str) -> Gauge:
            return Gauge(f"headgate_{name}", help_text, registry=registry)

        def seconds(name: str, help_text: str, *labels: str) -> Histogram:
            return Histogram(f"headgate_{name}", help_text, labels, buckets=SECONDS, registry=registry)

        self._passes = counter("passes", "Passes by kind of change and outcome", "change", "outcome")
        self._stages = seconds("stage_seconds", "Seconds of a pass by stage", "stage")
        self._live = seconds("event_to_live_seconds", "From the oldest event of a pass to nginx answering with it")
        self._held = gauge("held_objects", "Objects whose present version is not served")
        self._findings = gauge("findings", "Findings of the last pass")
        self._generation = gauge("generation", "The generation that nginx runs")
        self.restarts = counter("nginx_restarts", "Times nginx died and was started again")
        self.lag = seconds("loop_lag_seconds", "How late the event loop woke up")
        self.queue_age = gauge("queue_age_seconds", "For how long the oldest name has waited for a pass")
        self.status_pending = gauge("status_pending", "Statuses and events that are still to be written")
        self.leader = gauge("leader", "Whether this replica writes statuses and events")
        self.lease_late = gauge("lease_late_seconds", "How late the latest of all renewals of the lease came")

    def passed(self, record: PassRecord) -> None:
        self._passes.labels(record.change, record.outcome).inc()
        for stage, spent in record.stages.items():
            self._stages.labels(stage).observe(spent)
        self._held.set(record.held)
        self._findings.set(record.findings)
        self._generation.set(record.generation)
        if record.outcome == "live":
            self._live.observe(record.event_to_live)
