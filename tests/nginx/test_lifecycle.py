"""Starting and stopping: what is said, what is written, and that nothing is left behind."""

import http.client
import os
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.nginx.conftest import Serve
from tests.support import client, kernel, ports
from tests.support.backends import Backends, Exchange
from tests.support.gate import Gate, environment
from tests.support.liveness import HOST, follows_changes
from tests.support.manifests import route, write, write_text
from tests.support.site import Site


def test_an_empty_folder_is_served_with_nothing(serve: Serve) -> None:
    gate = serve().start()
    answer = client.ask(gate.http, host="any.test")
    assert (answer.status, answer.reason) == (404, "no-host")
    assert client.is_refused(gate.https, "any.test")


def test_it_says_where_it_serves(serving: Site) -> None:
    serving.gate.says("serving", f"http://127.0.0.1:{serving.gate.http}", f"https://127.0.0.1:{serving.gate.https}")


def test_nothing_is_written_outside_the_state_folder(serving: Site) -> None:
    assert {entry.name for entry in serving.gate.home.iterdir()} == {"manifests", "state", "log"}


def test_keys_and_accepted_versions_are_for_our_eyes_only(serving: Site) -> None:
    state = serving.gate.state
    for place in (state / "nginx" / "secrets", state / "accepted.log"):
        serving.gate.until(place.exists, what=str(place))
        assert place.stat().st_mode & 0o077 == 0, place


def test_equal_objects_do_not_reload(serving: Site) -> None:
    """A file that is written again with the same objects, in another order, changes nothing."""
    before = serving.gate.workers()
    file = serving.folder / "site.yaml"
    documents = list(yaml.safe_load_all(file.read_text()))
    write(serving.folder, file.name, *reversed(documents))
    # A pass that cannot change nginx either, and can be seen.
    write_text(serving.folder / "broken.yaml", "a: b: c")
    serving.gate.says("broken.yaml")
    assert serving.gate.workers() == before


def test_the_version_socket_tells_the_generation(serving: Site) -> None:
    first = serving.gate.generation()
    assert follows_changes(serving)
    assert serving.gate.generation() == first + 1


def test_several_addresses_are_listened_on(serve: Serve, backends: Backends) -> None:
    site = Site(serve("--address", "127.0.0.1", "--address", "::1").start(), backends)
    site.apply(site.echoes("web"), route("web", HOST, "web"))
    six = http.client.HTTPConnection("::1", site.gate.http, timeout=10)
    six.request("GET", "/", headers={"Host": HOST})
    assert six.getresponse().headers["X-Backend"] == "web"
    six.close()


def test_a_burst_of_changes_is_a_handful_of_reloads(serving: Site) -> None:
    passes = len(serving.gate.lines("pass generation="))
    folder = serving.folder / "burst"
    for number in range(50):
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.yaml").write_text(
            f"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: burst-{number}, namespace: {serving.namespace}}}\n"
            f"spec: {{rules: [{{host: burst-{number}.test, http: {{paths: [{{path: /, pathType: Prefix, "
            f"backend: {{service: {{name: web, port: {{number: 80}}}}}}}}]}}}}]}}\n"
        )
    serving.gate.until(
        lambda: all(serving.ask(host=f"burst-{number}.test").backend == "web" for number in range(50)), what="the burst"
    )
    assert len(serving.gate.lines("pass generation=")) - passes <= 5


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_request_in_flight_is_finished_before_we_stop(
    serve: Serve, backends: Backends, meanwhile: ThreadPoolExecutor, how: signal.Signals
) -> None:
    go_on = backends.event()

    async def slow(exchange: Exchange) -> None:
        await go_on.wait()
        await exchange.answer(200, b"at last")

    site = Site(serve().start(), backends)
    site.apply(site.echoes("web", handler=slow), route("web", HOST, "web"))
    waiting = meanwhile.submit(site.ask, host=HOST)
    site.gate.until(lambda: site.backends["web"].seen, what="the request at the backend")
    site.gate.signal(how)
    site.gate.until(lambda: _refuses(site.gate.http), what="no new connections")
    go_on.set()
    assert waiting.result().body == b"at last"
    assert site.gate.wait() == 0
    assert not kernel.working_in(site.gate.home)


def _refuses(port: int) -> bool:
    try:
        client.ask(port)
    except ConnectionRefusedError:
        return True
    return False


def test_a_second_interrupt_stops_now(serve: Serve, backends: Backends, meanwhile: ThreadPoolExecutor) -> None:
    never = backends.event()

    async def hang(exchange: Exchange) -> None:
        await never.wait()

    site = Site(serve("--shutdown-timeout", "60").start(), backends)
    site.apply(site.echoes("web", handler=hang), route("web", HOST, "web"))
    waiting = meanwhile.submit(site.ask, host=HOST)
    site.gate.until(lambda: site.backends["web"].seen, what="the request at the backend")
    site.gate.signal(signal.SIGINT)
    site.gate.until(lambda: _refuses(site.gate.http), what="no new connections")
    site.gate.signal(signal.SIGINT)
    site.gate.wait()
    with pytest.raises(ConnectionError):
        waiting.result()
    assert not kernel.working_in(site.gate.home)


def test_patience_with_requests_in_flight_has_an_end(
    serve: Serve, backends: Backends, meanwhile: ThreadPoolExecutor
) -> None:
    never = backends.event()

    async def hang(exchange: Exchange) -> None:
        await never.wait()

    site = Site(serve("--shutdown-timeout", "0.5").start(), backends)
    site.apply(site.echoes("web", handler=hang), route("web", HOST, "web"))
    waiting = meanwhile.submit(site.ask, host=HOST)
    site.gate.until(lambda: site.backends["web"].seen, what="the request at the backend")
    site.gate.stop()
    with pytest.raises(ConnectionError):
        waiting.result()


def test_several_instances_live_side_by_side(serve: Serve, backends: Backends) -> None:
    sites = [Site(serve().start(), backends) for _ in range(2)]
    for number, site in enumerate(sites):
        site.apply(site.echoes(f"web-{number}"), route("web", HOST, f"web-{number}"))
    assert [site.ask(host=HOST).backend for site in sites] == ["web-0", "web-1"]


def _fails(gate: Gate, sentence: str) -> None:
    gate.start(ready=False)
    assert gate.wait() == 1
    assert sentence in gate.said()
    assert "Traceback" not in gate.said()


def test_one_state_folder_serves_one_headgate(serving: Site, serve: Serve) -> None:
    second = serve()
    second.state = serving.gate.state
    _fails(second, "--state-dir")
    assert serving.ask(host=HOST).backend == "web"


def test_a_port_that_is_taken_is_one_sentence(serving: Site, serve: Serve) -> None:
    second = serve("--http-port", str(serving.gate.http))
    _fails(second, str(serving.gate.http))


def test_a_folder_that_does_not_exist_is_one_sentence(serve: Serve) -> None:
    gate = serve()
    gate.folder.rmdir()
    _fails(gate, "manifests")


def test_an_nginx_that_does_not_exist_is_one_sentence(serve: Serve) -> None:
    _fails(serve("--nginx-binary", "/no/such/nginx"), "/no/such/nginx")


@pytest.fixture
def metrics_port() -> int:
    return ports.claim()


def test_metrics_and_readiness(serve: Serve, backends: Backends, metrics_port: int) -> None:
    site = Site(serve("--metrics-port", str(metrics_port)).start(), backends)
    site.apply(site.echoes("web"), route("web", HOST, "web"))

    def page(name: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{metrics_port}/{name}", timeout=10) as answer:
            text: bytes = answer.read()
            return text.decode()

    site.gate.until(lambda: page("nginx-ready"), what="readiness")
    assert "headgate_passes_total" in page("metrics")
    assert HOST not in page("metrics"), "labels are bounded: never a host"


NOBODY = 65534


def _as_ordinary_user() -> list[str]:
    """An interpreter and whoever starts it: nobody when we are root, and then not from where only root may look."""
    if os.geteuid() != 0:
        return [sys.executable]
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        trial = [*command, python, "-c", "import msgspec, headgate"]
        if subprocess.run(trial, env=environment(), capture_output=True, check=False, cwd="/").returncode == 0:
            return [*command, python]
    raise AssertionError(
        f"there is no {version} that an ordinary user may start, or the clone is where only root may look"
    )


def test_an_ordinary_user_can_run_it(serve: Serve, backends: Backends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(pytest.__file__).parents[1]))
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # nobody may not write where coverage is collected
    gate = serve(command=_as_ordinary_user())
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    os.chown(gate.home, user, -1)
    site = Site(gate.start(), backends)
    site.apply(site.echoes("web"), route("web", HOST, "web"))
    assert site.ask(host=HOST).backend == "web"
    assert (gate.state / "run" / "nginx.pid").stat().st_uid == user


def test_once_writes_and_checks_and_leaves_nothing_running(serve: Serve, backends: Backends) -> None:
    gate = serve("--once")
    site = Site(gate, backends)
    site.write_unwaited(site.echoes("web"), route("web", HOST, "web"))
    gate.start(ready=False)
    assert gate.wait() == 0
    assert HOST in next((gate.state / "nginx" / "conf.d").glob(f"{site.namespace}-web*.conf")).read_text()
    assert not kernel.working_in(gate.home)


def test_once_fails_when_something_is_wrong(serve: Serve, backends: Backends) -> None:
    gate = serve("--once", "--enable-snippets")
    site = Site(gate, backends)
    snippet = {"nginx.org/server-snippets": "prxy_buffering off;"}
    site.write_unwaited(site.echoes("web"), route("web", HOST, "web", annotations=snippet))
    gate.start(ready=False)
    assert gate.wait() == 1
    assert gate.lines(f"Ingress {site.namespace}/web", "unknown directive")
