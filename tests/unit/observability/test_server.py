"""Ports of our own, asked over the wire."""

import asyncio
import ssl

import aiohttp
import pytest

from headgate.api import Secret
from headgate.errors import Unusable
from headgate.model.certificate import Certificate
from headgate.observability.lag import measure_lag
from headgate.observability.metrics import Metrics
from headgate.observability.presented import Presented
from headgate.observability.server import metrics_server, ready_server
from headgate.translate.secrets import certificate_of
from tests.support import client, ports
from tests.support.certificates import Pair, pair
from tests.support.manifests import tls_secret
from tests.support.waiting import until
from tests.unit.worlds import known

HERE = "127.0.0.1"


def certificate(made: Pair) -> Certificate:
    secret = known(tls_secret("pair", made))
    assert isinstance(secret, Secret)
    found = certificate_of(secret)
    assert isinstance(found, Certificate)
    return found


async def _ask(port: int, target: str, method: str = "GET") -> tuple[int, str, str]:
    url = f"http://{HERE}:{port}{target}"
    async with aiohttp.ClientSession() as session, session.request(method, url) as answer:
        return answer.status, answer.content_type, await answer.text()


async def test_metrics_and_a_page_with_a_link() -> None:
    port = ports.claim()
    async with metrics_server(Metrics(), address=HERE, port=port):
        status, kind, text = await _ask(port, "/metrics")
        assert (status, kind) == (200, "text/plain")
        assert "headgate_generation" in text
        status, kind, text = await _ask(port, "/")
        assert (status, kind) == (200, "text/html")
        assert 'href="/metrics"' in text
        assert (await _ask(port, "/elsewhere"))[0] == 404
        assert (await _ask(port, "/nginx-ready"))[0] == 404


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
async def test_readiness_by_any_method_turns_as_often_as_it_must(method: str) -> None:
    port, ready = ports.claim(), False
    async with ready_server(address=None, port=port, ready=lambda: ready):
        assert (await _ask(port, "/nginx-ready", method))[0] == 503
        ready = True
        status, _, text = await _ask(port, "/nginx-ready", method)
        assert (status, text) == (200, "" if method == "HEAD" else "Ready")
        ready = False
        assert (await _ask(port, "/nginx-ready", method))[0] == 503


async def test_a_port_that_is_taken_is_a_sentence_with_the_flag() -> None:
    port = ports.claim()
    async with ready_server(address=HERE, port=port, ready=lambda: True):
        with pytest.raises(Unusable, match=f"{port}.*-prometheus-metrics-listen-port"):
            async with metrics_server(Metrics(), address=HERE, port=port, flag="-prometheus-metrics-listen-port"):
                pass


@pytest.mark.parametrize("name", ["metrics.test", None], ids=["by name", "without a name"])
async def test_a_renewed_pair_is_presented_without_a_new_listener(name: str | None) -> None:
    old, new = pair("metrics.test", kind="rsa"), pair("metrics.test", kind="ec")
    port, presented = ports.claim(), Presented(certificate(old))
    async with metrics_server(Metrics(), address=HERE, port=port, tls=presented):
        assert (await asyncio.to_thread(client.handshake, port, name)).serial_number == old.serial
        presented.replace(certificate(new))
        assert (await asyncio.to_thread(client.handshake, port, name)).serial_number == new.serial


async def test_metrics_over_tls_are_the_same() -> None:
    port = ports.claim()
    async with metrics_server(Metrics(), address=HERE, port=port, tls=Presented(certificate(pair("metrics.test")))):
        answer = await asyncio.to_thread(client.ask, port, "/metrics", host="metrics.test", tls=True)
        assert b"headgate_generation" in answer.body
    assert Presented(certificate(pair("metrics.test"))).context.minimum_version is ssl.TLSVersion.TLSv1_2


async def test_the_lag_of_the_loop_is_measured() -> None:
    metrics = Metrics()

    def is_measured() -> bool:
        return b"headgate_loop_lag_seconds_count 0.0" not in metrics.text()

    measuring = asyncio.create_task(measure_lag(metrics))
    try:
        assert await asyncio.to_thread(until, is_measured, what="a measurement")
    finally:
        measuring.cancel()
