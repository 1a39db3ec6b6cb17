"""Every example is also a test: its own manifests and its own backends, on ports that are free here."""

import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.nginx.conftest import Serve
from tests.support import client, ports
from tests.support.command import headgate
from tests.support.gate import Gate, environment
from tests.support.waiting import until
from tests.support.websocket_client import converse

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(readme.parent.name for readme in EXAMPLES.glob("*/README.md"))
_BACKENDS = "import asyncio, pathlib, sys; import backends; asyncio.run(backends.main(pathlib.Path(sys.argv[1])))"


def _copied(name: str, folder: Path) -> None:
    """The example with its ports exchanged for free ones, so that it may run elsewhere on this machine meanwhile."""
    chosen: dict[str, str] = {}
    for file in sorted((EXAMPLES / name).glob("*.yaml")):
        text = re.sub(
            r"\bport: (1\d{4})\b",
            lambda found: f"port: {chosen.setdefault(found[1], str(ports.claim()))}",
            file.read_text(),
        )
        (folder / file.name).write_text(text)


@contextmanager
def _backends_of(folder: Path) -> Iterator[None]:
    command = [sys.executable, "-c", _BACKENDS, str(folder)]
    running = subprocess.Popen(command, cwd=EXAMPLES, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        assert " at " in running.stdout.readline()
        yield
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=20)


@contextmanager
def _served(serve: Serve, name: str) -> Iterator[Gate]:
    gate = serve()
    _copied(name, gate.folder)
    with _backends_of(gate.folder):
        yield gate.start()


def _service(gate: Gate, host: str, target: str, *, tls: bool = False) -> str:
    """Which Service answered."""
    if not tls:
        body = client.ask(gate.http, target, host=host).body
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with client.line(gate.https, tls=host, context=context) as line:
            body = line.ask(target, host=host).body
    found = re.search(r"^Service: (.+)$", body.decode(), re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("name", NAMES)
def test_an_example_has_nothing_to_complain_about(name: str) -> None:
    linted = headgate("lint", "--nginx", "1.22.1", str(EXAMPLES / name))
    assert (linted.returncode, linted.stdout) == (0, "")


def test_cafe(serve: Serve) -> None:
    with _served(serve, "cafe") as gate:
        host = "cafe.example.com"
        assert [_service(gate, host, target, tls=True) for target in ("/tea", "/coffee")] == ["tea", "coffee"]
        assert client.ask(gate.http, "/tea", host=host).status == 301
        assert client.ask(gate.http, host="elsewhere.example.com").reason == "no-host"


@pytest.mark.parametrize("name", ["reports", "reports-der"])
def test_reports(serve: Serve, name: str) -> None:
    with _served(serve, name) as gate:
        services = ["reports-runner", "reports-cron", "reports-admin"]
        answered = [_service(gate, "reports.example.com", f"/{each}/run?id=1", tls=True) for each in services]
        assert answered == services


def test_websocket(serve: Serve) -> None:
    with _served(serve, "websocket") as gate:
        heard = converse(gate.http, "chat.example.com", ["one", "two"], target="/ws")
        assert heard[1] == "one", "the first word is the backend's greeting"
        assert _service(gate, "chat.example.com", "/") == "pages"


def test_grpc(serve: Serve) -> None:
    with _served(serve, "grpc") as gate:
        script = f"import greeter; greeter.main({gate.https}, 'world')"
        said = subprocess.run(
            [sys.executable, "-c", script],
            cwd=EXAMPLES,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert said.stdout.count("Hello world") == 4, said.stderr


def test_canary_by_host(serve: Serve) -> None:
    with _served(serve, "canary-by-host") as gate:
        hosts = ["app.example.com", "canary.app.example.com"]
        assert [_service(gate, host, "/api") for host in hosts] == ["app-stable", "app-canary"]


def test_make_run_serves_the_cafe_and_says_what_to_try(tmp_path: Path) -> None:
    """What `make run` calls, from a copy of the examples whose ports are free."""
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy, symlinks=True)
    _copied("cafe", copy / "cafe")
    http, https = ports.claim(), ports.claim()
    for file in (copy / "run.py", copy / "cafe" / "README.md"):
        file.write_text(file.read_text().replace("8080", str(http)).replace("8443", str(https)))
    log = tmp_path / "log"
    with log.open("w") as said:
        running = subprocess.Popen(
            [sys.executable, "run.py", "cafe"], cwd=copy, env=environment(), stdout=said, stderr=said
        )
    try:
        until(
            lambda: running.poll() is not None or "Ctrl-C stops everything" in log.read_text(), what="the introduction"
        )
        assert f"http://127.0.0.1:{http} and https://127.0.0.1:{https}" in log.read_text()
        assert client.ask(http, "/tea", host="cafe.example.com").status == 301
        assert log.read_text().count("  curl ") >= 3
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=40) == 0, log.read_text()
        _forget_state(log.read_text())


def _forget_state(said: str) -> None:
    """The default state folder lies outside of the copy."""
    if found := re.search(r"(?:state|logs)=(\S+?)(?:/log)?\s", said):
        shutil.rmtree(found[1], ignore_errors=True)
