"""What /metrics prints: F5's names, labels, types and buckets; and ours, bounded."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from headgate.model.settings import Settings
from headgate.observability.metrics import Metrics
from headgate.observability.nginx_status import Counters, read_counters
from headgate.observability.passes import PassRecord
from headgate.translate import translate
from tests.support.manifests import behind, route
from tests.unit.worlds import world

FACTS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "nic_metrics.yaml").read_text())
_SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
LATER = {("name", "vs-cm-shim"), ("name", "externaldns")}  # queues of cert-manager and external-dns
LINE = b'<190>Nov 16 12:00:00 nginx: {"upstreamAddress":"10.0.0.1:8080","upstreamResponseTime":"0.012","proxyHost":"%s","upstreamStatus":"200"}'


def everything() -> Metrics:
    """All that can be switched on, with something to show."""
    made = Metrics("shop", custom_resources=True, status_socket="/nowhere", latency=True)
    model = translate(world(*behind("web", 8080, "10.0.0.1"), route("shop", "shop.test", "web")), Settings()).model
    made.serving(model)
    assert made.latency is not None
    (upstream,) = model.table.endpoints
    made.latency.record(LINE % upstream.encode())
    made._status.counters = Counters(1, 2, 3, 4, 5, 6, 7)
    return made


def samples(metrics: Metrics) -> list[tuple[str, dict[str, str], float]]:
    """Name, labels and value of each, as printed: a library's parser would mend names."""
    found = (_SAMPLE.fullmatch(line) for line in metrics.text().decode().splitlines() if not line.startswith("#"))
    return [(each[1], dict(_LABEL.findall(each[2] or "")), float(each[3])) for each in found if each is not None]


def types(metrics: Metrics) -> dict[str, str]:
    lines = (line.split() for line in metrics.text().decode().splitlines() if line.startswith("# TYPE"))
    return {words[2]: words[3] for words in lines}


def value(metrics: Metrics, wanted: str, /, **of: str) -> float | None:
    found = (number for name, labels, number in samples(metrics) if name == wanted and of.items() <= labels.items())
    return next(found, None)


def record(**more: Any) -> PassRecord:
    said = {"generation": 3, "change": "reload", "outcome": "live", "stages": {"translate": 0.2, "apply": 0.05}}
    return PassRecord(**{**said, "event_to_live": 1.25, "findings": 2, "held": 1, **more})


def test_there_are_13_of_the_controller_and_8_of_nginx() -> None:
    ours = [fact["name"].startswith("nginx_ingress_controller_") for fact in FACTS]
    assert (ours.count(True), ours.count(False)) == (13, 8)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact["name"]))
def test_every_metric_of_f5_has_its_name_type_labels_and_buckets(fact: dict[str, Any]) -> None:
    made = everything()
    assert types(made)[fact["name"]] == fact["type"]
    found = [labels for name, labels, _ in samples(made) if name in (fact["name"], f"{fact['name']}_bucket")]
    assert found
    assert all(set(labels) - {"le"} == set(fact["labels"]) for labels in found)
    assert all(labels["class"] == "shop" for labels in found)
    if "buckets" in fact:
        assert [*dict.fromkeys(float(labels["le"]) for labels in found)] == [*fact["buckets"], float("inf")]
    for label, known in fact.get("values", {}).items():
        assert {labels[label] for labels in found} == {each for each in known if (label, each) not in LATER}


def test_there_is_nothing_of_python_and_no_moment_of_creation() -> None:
    text = everything().text()
    assert not any(word in text for word in (b"python_", b"process_cpu", b"_created"))


def test_everything_is_ours_or_f5s() -> None:
    known = {fact["name"] for fact in FACTS}
    assert {name for name in types(everything()) if not name.startswith("headgate_")} == known


def test_a_folder_shows_only_what_it_has() -> None:
    names = types(Metrics())
    assert "nginx_ingress_nginx_up" not in names
    assert "nginx_ingress_controller_virtualserver_resources_total" not in names
    assert "nginx_ingress_controller_upstream_server_response_latency_ms" not in names


def test_before_the_first_reload() -> None:
    made = Metrics()
    assert value(made, "nginx_ingress_controller_nginx_last_reload_status") == 0
    assert value(made, "nginx_ingress_controller_nginx_reloads_total", reason="endpoints") == 0
    assert value(made, "nginx_ingress_controller_nginx_reloads_total", reason="other") == 0
    assert value(made, "nginx_ingress_controller_nginx_reload_errors_total") == 0


def test_a_pass_that_reloads() -> None:
    made = Metrics()
    made.passed(record(), ingresses=7, reloaded=True)
    assert value(made, "nginx_ingress_controller_nginx_reloads_total", reason="other") == 1
    assert value(made, "nginx_ingress_controller_nginx_last_reload_status") == 1
    assert value(made, "nginx_ingress_controller_nginx_last_reload_milliseconds") == 50
    assert value(made, "nginx_ingress_controller_ingress_resources_total", type="regular") == 7
    assert value(made, "nginx_ingress_controller_workqueue_work_duration_seconds_sum") == pytest.approx(0.25)
    assert value(made, "nginx_ingress_controller_workqueue_queue_duration_seconds_sum") == pytest.approx(1.0)
    assert value(made, "headgate_passes_total", change="reload", outcome="live") == 1
    assert value(made, "headgate_stage_seconds_sum", stage="translate") == pytest.approx(0.2)
    assert value(made, "headgate_event_to_live_seconds_count") == 1
    assert (value(made, "headgate_held_objects"), value(made, "headgate_generation")) == (1, 3)


def test_a_reload_for_endpoints_has_its_own_reason() -> None:
    made = Metrics()
    made.passed(record(change="endpoints"), ingresses=1, reloaded=True)
    assert value(made, "nginx_ingress_controller_nginx_reloads_total", reason="endpoints") == 1


def test_a_refusal() -> None:
    made = Metrics()
    made.passed(record(), ingresses=1, reloaded=True)
    made.refused()
    assert value(made, "nginx_ingress_controller_nginx_last_reload_status") == 0
    assert value(made, "nginx_ingress_controller_nginx_reload_errors_total") == 1


async def test_what_others_count() -> None:
    made = Metrics()
    made.follow_queue(lambda: 4, lambda: 2.5)
    made.follow_writer(lambda: 4999, lambda: {"written": 1, "failed": 2})
    made.follow_watches(lambda: {"Ingress": {"lists": 3, "watches": 4, "events": 5, "failures": 6}})
    made.leading(is_leader=True)
    await made.scrape()
    assert value(made, "nginx_ingress_controller_workqueue_depth", name="taskQueue") == 4
    assert value(made, "headgate_queue_age_seconds") == 2.5
    assert value(made, "headgate_status_pending") == 4999
    assert value(made, "headgate_status_writes_total", result="written") == 1
    assert value(made, "headgate_status_writes_total", result="failed") == 2
    names = ("lists", "restarts", "events", "failures")
    assert [value(made, f"headgate_watch_{name}_total", kind="Ingress") for name in names] == [3, 4, 5, 6]
    assert value(made, "headgate_leader") == 1


async def test_nginx_that_does_not_answer_is_not_up() -> None:
    made = Metrics(status_socket="/nowhere/nginx-status.sock")
    assert b'nginx_ingress_nginx_up{class="nginx"} 0.0' in await made.scrape()
    assert await read_counters("/nowhere/nginx-status.sock") is None
