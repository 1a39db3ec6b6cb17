"""Lines about answers of backends: which count, under which labels, and for how long."""

import json
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from headgate.api import Snapshot
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.observability import latency
from headgate.observability.latency import Latency, parse
from headgate.translate import translate
from tests.support.manifests import Manifest, endpoint, endpoints, route, service
from tests.unit.worlds import world

NAME = "shop.v2"


def line(upstream: str = "ab12.default.web.web.80", **more: str) -> bytes:
    said = {
        "upstreamAddress": "10.0.0.1:8080",
        "upstreamResponseTime": "0.012",
        "proxyHost": upstream,
        "upstreamStatus": "200",
    }
    return b"<190>Nov 16 12:00:00 nginx: " + json.dumps({**said, **more}).encode()


def pods(*addresses: str) -> Snapshot:
    spelled: list[Manifest] = [
        {**endpoint(address), "targetRef": {"kind": "Pod", "name": f"web-{number}"}}
        for number, address in enumerate(addresses)
    ]
    return world(service("web"), endpoints("web", *spelled, port=8080), route(NAME, "shop.test", "web"))


def model_of(snapshot: Snapshot) -> Model:
    return translate(snapshot, Settings()).model


class Timed:
    """Latencies of one Ingress with these endpoints."""

    def __init__(self, *addresses: str) -> None:
        self.registry = CollectorRegistry()
        self.latency = Latency(self.registry, "nginx")
        self.now_at(*addresses)

    def now_at(self, *addresses: str) -> None:
        snapshot = pods(*addresses)
        model = model_of(snapshot)
        (self.upstream,) = model.table.endpoints
        self.latency.serving(model, snapshot)

    def record(self, **more: str) -> None:
        self.latency.record(line(self.upstream, **more))

    def counts(self) -> list[tuple[dict[str, Any], float]]:
        return [
            (sample.labels, sample.value)
            for family in self.registry.collect()
            for sample in family.samples
            if sample.name == f"{latency.NAME}_count"
        ]

    def sums(self) -> list[float]:
        name = f"{latency.NAME}_sum"
        return [each.value for family in self.registry.collect() for each in family.samples if each.name == name]


def test_an_answer_counts_in_milliseconds_under_readable_labels() -> None:
    timed = Timed("10.0.0.1")
    timed.record()
    ((labels, count),) = timed.counts()
    assert count == 1
    assert timed.sums() == [pytest.approx(12.0)]
    assert labels == {
        "class": "nginx",
        "upstream": f"default.{NAME}.web.80",
        "server": "10.0.0.1:8080",
        "code": "200",
        "service": "web",
        "resource_type": "ingress",
        "resource_name": NAME,
        "resource_namespace": "default",
        "pod_name": "web-0",
    }


def test_with_several_attempts_the_last_one_counts() -> None:
    found = parse(
        line(
            upstreamAddress="10.0.0.1:8080, 10.0.0.2:8080",
            upstreamResponseTime="0.500, 0.001",
            upstreamStatus="502, 201",
        )
    )
    assert found is not None
    assert (found.server, found.code) == ("10.0.0.2:8080", "201")
    assert found.milliseconds == pytest.approx(1.0)


def test_after_an_internal_redirect_the_last_upstream_counts() -> None:
    found = parse(
        line(
            upstreamAddress="10.0.0.1:8080 : 10.0.0.2:8080",
            upstreamResponseTime="0.500 : 0.001",
            upstreamStatus="502 : 200",
        )
    )
    assert found is not None
    assert found.server == "10.0.0.2:8080"


@pytest.mark.parametrize(
    "raw",
    [
        line(upstreamAddress="ab12.default.web.web.80"),
        line(upstream="-"),
        line(upstream=""),
        line(upstreamAddress="", upstreamResponseTime="", upstreamStatus=""),
        line(upstreamResponseTime="-"),
        line(upstreamStatus="-"),
        b"<190>Nov 16 12:00:00 nginx: not json",
        b"<190>Nov 16 12:00:00 other: {}",
        b"",
        b"\xff\xfe",
        line()[:-5],
    ],
    ids=["no connection", "grpc", "no upstream", "answered by nginx", "no time", "no status", "no json", "other program", "empty", "bytes", "cut"],
)  # fmt: skip
def test_what_does_not_count(raw: bytes) -> None:
    assert parse(raw) is None


def test_strangers_do_not_count() -> None:
    timed = Timed("10.0.0.1")
    timed.record(upstreamAddress="10.9.9.9:8080")
    timed.latency.record(line("ffff.default.other.web.80"))
    assert timed.counts() == []


def test_series_of_an_endpoint_that_left_are_gone() -> None:
    timed = Timed("10.0.0.1", "10.0.0.2")
    timed.record()
    timed.record(upstreamAddress="10.0.0.2:8080")
    timed.now_at("10.0.0.2")
    assert [labels["server"] for labels, _ in timed.counts()] == ["10.0.0.2:8080"]


def test_there_are_only_so_many_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "MOST_SERIES", 3)
    timed = Timed("10.0.0.1")
    for code in range(200, 210):
        timed.record(upstreamStatus=str(code))
    assert len(timed.counts()) == 3


def test_an_address_without_a_pod_has_no_name() -> None:
    timed = Timed("10.0.0.1")
    timed.latency.serving(model_of(pods("10.0.0.1")), Snapshot())
    timed.record()
    assert timed.counts()[0][0]["pod_name"] == ""


def test_ipv6_servers() -> None:
    timed = Timed("2001:db8::1")
    timed.record(upstreamAddress="[2001:db8::1]:8080")
    assert timed.counts()[0][0]["pod_name"] == "web-0"
