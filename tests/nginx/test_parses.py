"""Bad objects among a thousand: each is held alone, and b of them cost at most b + 2 full parses of nginx.

The loop runs in this process here, since only from inside can parses be counted.
"""

import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from headgate.api import Object, Ref
from headgate.api.decode import decode
from headgate.cluster.store import Store
from headgate.controller.journal import Journal
from headgate.controller.loop import Loop, World
from headgate.controller.queue import Batch, WorkQueue
from headgate.controller.reporter import Reporter
from headgate.model.layout import Layout
from headgate.model.outcome import Live
from headgate.model.server import Listener
from headgate.model.settings import Settings
from headgate.nginx import Nginx, worker_user
from headgate.observability.metrics import Metrics
from tests.support import client, ports
from tests.support.manifests import route

OBJECTS = 1000
WITH_LINE = "prxy_buffering off;"
WITHOUT_LINE = (
    "set $seen $no_such_variable;",
    "ssl_certificate /no/such/pair.pem; ssl_certificate_key /no/such/pair.pem;",
    "limit_req zone=nobody_made_this;",
)
BAD = len(WITHOUT_LINE) + 10


class Bench:
    """A loop over a store, with a real nginx."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="headgate-")).resolve()
        self.home.chmod(0o755)
        self.port, self.tls_port = ports.claim(), ports.claim()
        self.store = Store()
        self.nginx = Nginx(self._layout())
        self.loop = Loop(self._world())

    def _layout(self) -> Layout:
        home = self.home
        return Layout(
            tree=f"{home}/nginx",
            run=f"{home}/run",
            access_log=f"{home}/log/access.log",
            error_log=f"{home}/log/error.log",
            temp=f"{home}/temp",
            user=worker_user(),
        )

    def _world(self) -> World:
        listeners = (Listener(self.port, "127.0.0.1"), Listener(self.tls_port, "127.0.0.1", tls=True))
        return World(
            snapshot=self.store.snapshot,
            source_findings=tuple,
            queue=WorkQueue(),
            nginx=self.nginx,
            settings=Settings(listeners=listeners, snippets=True),
            layout=self._layout(),
            journal=Journal(self.home / "accepted.log"),
            reporter=Reporter(),
            metrics=Metrics(),
        )

    async def settle(self, objects: Iterable[Object]) -> int:
        """Make these true in one pass; how many full parses that took."""
        names, before = self.store.put(objects), self.nginx.parses
        outcome = await self.loop.one_pass(Batch(names, time.monotonic()))
        assert isinstance(outcome, Live)
        assert await self.nginx.settled()
        return self.nginx.parses - before

    def reason(self, host: str) -> str | None:
        return client.ask(self.port, host=host).reason

    async def close(self) -> None:
        await self.nginx.terminate()
        shutil.rmtree(self.home)
        ports.release(self.port)
        ports.release(self.tls_port)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.close()


def _object(number: int, snippet: str = "", *, path: str = "/") -> Object:
    annotations = {"nginx.org/server-snippets": snippet} if snippet else {}
    made = decode(route(f"web-{number}", f"web-{number}.test", "nowhere", text=path, annotations=annotations))
    assert made is not None
    return made


def _bad(*, path: str = "/") -> list[Object]:
    """Ten that nginx refuses with file and line, three that it refuses without, spread over the thousand."""
    snippets = [WITH_LINE] * 10 + list(WITHOUT_LINE)
    return [_object(at * 70, snippet, path=path) for at, snippet in enumerate(snippets)]


def _refs(objects: Iterable[Object]) -> set[Ref]:
    return {each.ref for each in objects}


async def test_bad_objects_at_a_cold_start_cost_one_parse_each(bench: Bench) -> None:
    bad = _bad()
    good = [each for number in range(OBJECTS) if (each := _object(number)).ref not in _refs(bad)]
    assert await bench.settle([*good, *bad]) <= BAD + 2
    assert {ref for ref in _refs([*good, *bad]) if ref in bench.loop.held} == _refs(bad)
    assert bench.reason("web-1.test") == "no-endpoints"
    assert bench.reason("web-70.test") == "no-host"


async def test_bad_edits_in_steady_state_cost_one_parse_each(bench: Bench) -> None:
    await bench.settle([_object(number) for number in range(OBJECTS)])
    assert await bench.settle([*_bad(path="/new"), _object(OBJECTS)]) <= BAD + 2
    assert {ref for ref in _refs(_bad()) if ref in bench.loop.held} == _refs(_bad())
    assert bench.reason(f"web-{OBJECTS}.test") == "no-endpoints", "the others go live in the same pass"
    assert bench.reason("web-70.test") == "no-endpoints", "its accepted version keeps serving"
