"""What a real nginx shows about itself, and what we make of it: counters, latencies, workers, and that it is alive."""

import asyncio
import os
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from headgate.api import Ref
from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.layout import Layout
from headgate.model.outcome import Live
from headgate.model.server import Listener
from headgate.model.settings import Settings
from headgate.nginx import Nginx, worker_user
from headgate.observability.metrics import Metrics
from headgate.render import render
from headgate.translate import translate
from tests.support import certificates, client, ports
from tests.support.backends import Backends, Exchange
from tests.support.manifests import Manifest, behind, ingress, path, route, rule, tls_secret, to
from tests.support.waiting import until
from tests.unit.worlds import world

LATENCY = "nginx_ingress_controller_upstream_server_response_latency_ms"
WORKERS = "nginx_ingress_controller_nginx_worker_processes_total"


class Stage:
    """An nginx that shows itself, and the metrics about it."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hg-")).resolve()
        self.home.chmod(0o755)
        self.layout = Layout(
            tree=f"{self.home}/nginx",
            run=f"{self.home}/run",
            access_log=f"{self.home}/log/access.log",
            error_log=f"{self.home}/log/error.log",
            temp=f"{self.home}/temp",
            user=worker_user(),
        )
        self.port, self.tls_port, self.status_port, self.further_port = (ports.claim() for _ in range(4))
        self.nginx = Nginx(self.layout)
        self.metrics = Metrics("shop", status_socket=self.layout.status_socket, latency=True)
        self.metrics.follow_master(lambda: self.nginx.pid)
        self.exposure = Exposure(status_socket=True, status_port=self.status_port, status_allow=("127.0.0.1",))
        self.sockets = ExitStack()

    async def serve(self, *said: Manifest, exposure: Exposure | None = None, **settings: Any) -> None:
        snapshot = world(*said)
        listeners = (Listener(self.port, "127.0.0.1"), Listener(self.tls_port, "127.0.0.1", tls=True))
        made = Settings(listeners=listeners, exposure=exposure or self.exposure, **settings)
        model = translate(snapshot, made).model
        rendering = render(model, Capabilities(ipv6=False), self.layout)
        assert not rendering.unprintable
        begun = time.monotonic()
        outcome = await self.nginx.apply(rendering.files)
        assert isinstance(outcome, Live), outcome
        self.metrics.serving(model, snapshot)
        if outcome.reloaded:
            self.metrics.workers.became_live(time.monotonic() - begun)
        assert await self.nginx.settled()

    def listen(self) -> None:
        """Take lines about latencies."""
        assert self.metrics.latency is not None
        Path(self.layout.run).mkdir(exist_ok=True)
        self.sockets.enter_context(self.metrics.latency.listening(self.layout.syslog_socket))

    async def ask(self, target: str = "/", host: str = "shop.test", port: int = 0) -> client.Answer:
        return await asyncio.to_thread(client.ask, port or self.port, target, host=host)

    async def values(self, name: str) -> dict[str, float]:
        """Labels → value of every series of this name."""
        found = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", (await self.metrics.scrape()).decode(), re.MULTILINE)
        return {labels: float(number) for labels, number in found}

    async def value(self, name: str, *words: str) -> float:
        found = await self.values(name)
        return sum(number for labels, number in found.items() if all(word in labels for word in words))

    async def until(self, name: str, wanted: float, *words: str) -> None:
        """Wait for a value: what nginx does with its workers takes a moment."""
        here = asyncio.get_running_loop()

        def is_so() -> bool:
            return asyncio.run_coroutine_threadsafe(self.value(name, *words), here).result() == wanted

        await asyncio.to_thread(until, is_so, what=f"{wanted} of {name} {words}")

    def has(self, file: str) -> bool:
        return Path(file).exists()

    async def close(self) -> None:
        self.sockets.close()
        await self.nginx.terminate()
        shutil.rmtree(self.home)
        for port in (self.port, self.tls_port, self.status_port, self.further_port):
            ports.release(port)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    made = Stage()
    yield made
    await made.close()


@pytest.fixture
def shop(backends: Backends) -> list[Manifest]:
    return [*behind("web", backends.http("web").port), route("shop", "shop.test", "web")]


async def _until_counted(stage: Stage, *words: str) -> None:
    """Lines come by themselves, a moment after the answers."""
    async with asyncio.timeout(20):
        while not await stage.value(f"{LATENCY}_count", *words):
            await asyncio.to_thread(client.ask, stage.port, "/", host="shop.test")


async def test_counters_of_nginx(stage: Stage, shop: list[Manifest]) -> None:
    await stage.serve(*shop)
    before = await stage.value("nginx_ingress_nginx_http_requests_total")
    for _ in range(5):
        assert (await stage.ask()).status == 200
    assert await stage.value("nginx_ingress_nginx_http_requests_total") >= before + 5
    assert await stage.value("nginx_ingress_nginx_connections_accepted") >= 5
    assert await stage.value("nginx_ingress_nginx_connections_handled") >= 5
    assert await stage.values("nginx_ingress_nginx_up") == {'class="shop"': 1.0}
    assert await stage.value("nginx_ingress_nginx_connections_active") >= 1


async def test_nginx_that_is_gone_is_not_up(stage: Stage, shop: list[Manifest]) -> None:
    await stage.serve(*shop)
    await stage.nginx.terminate()
    assert await stage.value("nginx_ingress_nginx_up") == 0
    assert await stage.values("nginx_ingress_nginx_connections_active") == {}


async def test_the_status_port_answers_whom_it_may(stage: Stage) -> None:
    await stage.serve()
    answer = await stage.ask("/stub_status", port=stage.status_port)
    assert answer.status == 200
    assert b"Active connections" in answer.body
    assert (await stage.ask("/", port=stage.status_port)).status == 404
    strangers = Exposure(status_port=stage.status_port, status_allow=("192.0.2.0/24", "2001:db8::/32"))
    await stage.serve(exposure=strangers)
    assert (await stage.ask("/stub_status", port=stage.status_port)).status == 403


async def test_nothing_is_shown_unless_asked_for(stage: Stage) -> None:
    await stage.serve(exposure=Exposure())
    assert not stage.has(stage.layout.status_socket)
    with pytest.raises(OSError, match=r"refused"):
        await stage.ask("/stub_status", port=stage.status_port)
    assert not stage.has(f"{stage.layout.tree}/conf.d/_exposure.conf")
    assert (await stage.ask("/nginx-health", "unknown.test")).reason == "no-host"


async def test_the_default_server_says_that_nginx_is_alive(stage: Stage) -> None:
    await stage.serve(exposure=Exposure(health_uri="/nginx-health"))
    answer = await stage.ask("/nginx-health", "10.0.0.1")
    assert (answer.status, answer.body, answer.header("Content-Type")) == (200, b"healthy\n", "text/plain")
    assert (await stage.ask("/nginx-health/more", "10.0.0.1")).reason == "no-host"


async def test_that_beats_an_ingress_without_a_host(stage: Stage, backends: Backends) -> None:
    web = behind("web", backends.http("web").port)
    taken = ingress("all", rule("", path("/nginx-health", "web", kind="Exact")), default=to("web"))
    await stage.serve(*web, taken, exposure=Exposure(health_uri="/nginx-health"))
    assert (await stage.ask("/nginx-health", "10.0.0.1")).body == b"healthy\n"
    assert (await stage.ask("/other", "10.0.0.1")).backend == "web"


async def test_that_is_not_redirected_when_everything_else_is(stage: Stage, backends: Backends) -> None:
    web = behind("web", backends.http("web").port)
    pair = tls_secret("fallback", certificates.pair("shop.test"))
    asked = {"nginx.org/redirect-to-https": "true"}
    everything = ingress("all", default=to("web"), annotations=asked)
    exposure = Exposure(health_uri="/nginx-health")
    await stage.serve(
        *web, everything, pair, exposure=exposure, default_certificate=Ref("Secret", "default", "fallback")
    )
    answers = [
        await asyncio.to_thread(
            client.ask, stage.port, target, host="10.0.0.1", headers=[("X-Forwarded-Proto", "http")]
        )
        for target in ("/nginx-health", "/other")
    ]
    assert [answer.status for answer in answers] == [200, 301]


async def test_hosts_of_ingresses_have_their_own_path_of_that_name(stage: Stage, shop: list[Manifest]) -> None:
    await stage.serve(*shop, exposure=Exposure(health_uri="/nginx-health"))
    assert (await stage.ask("/nginx-health")).backend == "web"


async def test_further_ports_of_the_default_server(stage: Stage, shop: list[Manifest]) -> None:
    further = (Listener(stage.further_port, "127.0.0.1"),)
    await stage.serve(*shop, default_listeners=further)
    assert (await stage.ask(port=stage.further_port)).reason == "no-host"
    assert (await stage.ask("/", "unknown.test")).reason == "no-host", "and still on the usual one"


async def test_latencies_of_backends(stage: Stage, shop: list[Manifest]) -> None:
    stage.exposure = Exposure(latency=True, status_socket=True)
    stage.listen()
    await stage.serve(*shop)
    await _until_counted(stage, 'code="200"')
    (labels,) = await stage.values(f"{LATENCY}_count")
    wanted = {
        "class": "shop",
        "upstream": "default.shop.web.80",
        "service": "web",
        "resource_type": "ingress",
        "resource_name": "shop",
        "resource_namespace": "default",
        "pod_name": "",
    }
    assert all(f'{name}="{value}"' in labels for name, value in wanted.items())
    assert "127.0.0.1:" in labels
    assert 0 <= await stage.value(f"{LATENCY}_sum") < 10_000


async def test_a_backends_own_errors_have_their_code(stage: Stage, backends: Backends) -> None:
    async def busy(exchange: Exchange) -> None:
        await exchange.body()
        await exchange.answer(503)

    stage.exposure = Exposure(latency=True)
    stage.listen()
    await stage.serve(*behind("web", backends.http("web", busy).port), route("shop", "shop.test", "web"))
    await _until_counted(stage, 'code="503"')


async def test_no_endpoints_is_no_latency(stage: Stage, shop: list[Manifest]) -> None:
    stage.exposure = Exposure(latency=True)
    stage.listen()
    await stage.serve(*shop, route("empty", "empty.test", "nowhere"))
    for _ in range(5):
        assert (await stage.ask("/", "empty.test")).status == 502
    await _until_counted(stage, 'code="200"')
    assert len(await stage.values(f"{LATENCY}_count")) == 1


async def test_series_go_with_their_endpoints(stage: Stage, shop: list[Manifest]) -> None:
    stage.exposure = Exposure(latency=True)
    stage.listen()
    await stage.serve(*shop)
    await _until_counted(stage)
    await stage.serve(route("shop", "shop.test", "web"))
    assert await stage.values(f"{LATENCY}_count") == {}


async def test_requests_are_served_while_nobody_takes_the_lines(stage: Stage, shop: list[Manifest]) -> None:
    stage.exposure = Exposure(latency=True)
    await stage.serve(*shop)
    for _ in range(50):
        assert (await stage.ask()).status == 200


async def test_workers_by_generation(stage: Stage, backends: Backends) -> None:
    released = asyncio.Event()
    entered = asyncio.Event()
    here = asyncio.get_running_loop()

    async def slow(exchange: Exchange) -> None:
        await exchange.body()
        here.call_soon_threadsafe(entered.set)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(released.wait(), here))
        await exchange.answer()

    web = [*behind("web", backends.http("slow", slow).port), route("shop", "shop.test", "web")]
    await stage.serve(*web)
    current = os.cpu_count() or 1
    await stage.until(WORKERS, current, 'generation="current"')
    assert await stage.value(WORKERS, 'generation="old"') == 0
    assert await stage.value("headgate_worker_generations") == 1
    waiting = asyncio.create_task(stage.ask())
    await asyncio.wait_for(entered.wait(), 20)
    await stage.serve(*web, route("more", "more.test", "web"))
    await stage.until(WORKERS, current, 'generation="current"')
    await stage.until(WORKERS, 1, 'generation="old"')
    assert await stage.value("headgate_worker_generations") == 2
    released.set()
    assert (await waiting).status == 200
    await stage.until(WORKERS, 0, 'generation="old"')
    assert await stage.value("headgate_worker_generations") == 1
