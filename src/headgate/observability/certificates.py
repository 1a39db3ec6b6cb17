"""When do the certificates of served hosts run out? Counted when somebody asks, from the model that nginx runs.

A host is a label only among the few that run out first: thousands of hosts must not be thousands of series.
"""

import time
from collections.abc import Iterator
from datetime import datetime
from heapq import nsmallest

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headgate.model.server import HostKind
from headgate.model.shape import Model

MOST_HOSTS = 50
_DAY = 86_400
_WITHIN = {"0d": 0, "7d": 7 * _DAY, "30d": 30 * _DAY}


class Certificates(Collector):
    def __init__(self) -> None:
        self.model: Model | None = None

    def collect(self) -> Iterator[Metric]:
        ends = expiries(self.model) if self.model is not None else {}
        now = time.time()
        earliest = GaugeMetricFamily(
            "headgate_certificate_earliest_expiry_timestamp_seconds",
            "When the first certificate of a served host runs out; 0 when none is served",
        )
        earliest.add_metric([], min(ends.values(), default=0.0))
        yield earliest
        hosts = GaugeMetricFamily(
            "headgate_certificate_hosts", "Hosts whose certificate runs out within that time", labels=["within"]
        )
        for label, seconds in _WITHIN.items():
            hosts.add_metric([label], sum(end <= now + seconds for end in ends.values()))
        hosts.add_metric(["any"], len(ends))
        yield hosts
        each = GaugeMetricFamily(
            "headgate_certificate_expiry_timestamp_seconds",
            f"When the certificate of a host runs out, for the {MOST_HOSTS} hosts that are first",
            labels=["host"],
        )
        for host, end in nsmallest(MOST_HOSTS, ends.items(), key=lambda item: (item[1], item[0])):
            each.add_metric([host], end)
        yield each


def expiries(model: Model) -> dict[str, float]:
    """Host → when its certificate runs out."""
    ends = {
        ref: datetime.fromisoformat(each.not_after).timestamp()
        for ref, each in model.shape.certificates.items()
        if each.not_after
    }
    return {
        server.host.text if server.host.kind is HostKind.EXACT else f"*.{server.host.text}": ends[
            server.tls.certificate
        ]
        for site in model.shape.sites
        for server in site.servers
        if server.tls is not None and server.tls.certificate in ends
    }
