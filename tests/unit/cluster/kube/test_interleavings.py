"""Whatever happens on the wire, we end with what a fresh start would see: 10,000 random interleavings.

An interleaving is a handful of changes and faults, in any order: events lost with their stream, repeated, swapped; 410
as a status and as an event; lines cut in half, continue tokens that expire, instant closes, 500s and 429s. After each,
the store holds what the server holds, and the configuration made from the names of what changed is the one made anew.
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from headgate.api import Ref
from headgate.api.decode import decode
from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.objects import secrets_of
from headgate.cluster.kube.pauses import Pauses
from headgate.cluster.kube.source import KubeSource, Watching
from headgate.cluster.store import Store
from headgate.model.capabilities import Capabilities
from headgate.model.fileset import FileSet
from headgate.model.layout import Layout
from headgate.model.settings import Settings
from headgate.render import RenderMemo, render
from headgate.translate import Memo, translate
from tests.support.certificates import pair
from tests.support.manifests import endpoints, route, service, tls_for, tls_secret
from tests.support.scripted_api import CLOSE, CUT, HALF, ScriptedApi, scripted_api

INTERLEAVINGS = int(os.environ.get("HEADGATE_INTERLEAVINGS", "10000"))
WORKERS, STEPS = 4, 25  # tests that may run side by side; interleavings between a start and an end
HURRY = Pauses(first=0.0005, longest=0.002, long_life=3600.0, poll=0.002)
PLURALS = ("ingresses", "services", "endpointslices", "secrets")
PATIENCE = 3.0
PLACE = {"namespace": "default"}


@cache
def objects() -> dict[str, list[dict[str, Any]]]:
    """Of each kind some names, and of each name some versions."""
    pairs = [pair("a.example.com"), pair("b.example.com")]
    return {
        "ingresses": [
            route(
                name,
                f"{host}.example.com",
                "tea",
                tls=[tls_for(secret, f"{host}.example.com")] if secret else (),
                **PLACE,
            )
            for name in ("one", "two", "three")
            for host, secret in (("a", ""), ("b", "first"), ("b", "second"))
        ],
        "services": [
            service(name, {"port": 80, "targetPort": port}, **PLACE)
            for name in ("tea", "cake")
            for port in (8080, 8081)
        ],
        "endpointslices": [
            endpoints("tea", f"10.0.0.{last}", port=8080, suffix=suffix, **PLACE)
            for suffix in ("1", "2", "3")
            for last in (1, 2)
        ],
        "secrets": [tls_secret(name, each, **PLACE) for name in ("first", "second") for each in pairs],
    }


PLURAL = st.sampled_from(PLURALS)
STEP = st.one_of(
    st.tuples(st.just("put"), PLURAL, st.integers(0, 8)),
    st.tuples(st.just("put"), PLURAL, st.integers(0, 8)),
    st.tuples(st.just("drop"), PLURAL, st.integers(0, 8)),
    st.tuples(st.just("flush"), PLURAL, st.sampled_from(("straight", "twice", "swapped"))),
    st.tuples(st.just("end"), PLURAL, st.sampled_from((CLOSE, CUT, HALF))),
    st.tuples(st.just("repeat"), PLURAL, st.integers(0, 3)),
    st.tuples(st.just("bookmark"), PLURAL, st.none()),
    st.tuples(st.just("error"), PLURAL, st.sampled_from((410, 500))),
    st.tuples(st.just("compact"), PLURAL, st.none()),
    st.tuples(st.just("fail list"), PLURAL, st.sampled_from(("500", "429", "410", "404", "cut", "expired"))),
    st.tuples(st.just("fail watch"), PLURAL, st.sampled_from(("500", "429", "410", "404", "instant", "late 410"))),
    st.tuples(st.just("breathe"), PLURAL, st.integers(1, 30)),
)


class Stage:
    """The loop and the server, for as long as the module runs; a machine is a visitor."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self.api, self.server = self.loop.run_until_complete(self._stack.enter_async_context(scripted_api()))

    def close(self) -> None:
        self.loop.run_until_complete(self._stack.aclose())
        self.loop.close()


class Machine(RuleBasedStateMachine):
    stage: Stage
    interleavings = 0

    def __init__(self) -> None:
        super().__init__()
        self.api.reset()
        for plural in PLURALS:
            self.api.put(plural, objects()[plural][0])
            self.api.flush(plural)
        self.store, self.names = Store(), set[Ref]()
        self.memo, self.render_memo, self.passes = Memo(), RenderMemo(), 0
        self._stack = AsyncExitStack()
        self.stage.loop.run_until_complete(self._open())

    @property
    def api(self) -> ScriptedApi:
        return self.stage.api

    async def _open(self) -> None:
        client = await self._stack.enter_async_context(Client(Access(server=self.stage.server), timeout=5))
        self.source = KubeSource(client, self.store, Watching(custom_resources=False), pauses=HURRY)
        self.task = asyncio.create_task(self.source.watch(self.names.update))
        await asyncio.wait_for(self.source.synced(), 10)

    @rule(steps=st.lists(STEP, min_size=1, max_size=8))
    def interleave(self, steps: list[tuple[str, str, Any]]) -> None:
        self.stage.loop.run_until_complete(self._interleave(steps))

    def teardown(self) -> None:
        self.stage.loop.run_until_complete(self._close())

    async def _close(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])
        await self._stack.aclose()
        assert self.task.cancelled(), self.task.exception()

    async def _interleave(self, steps: list[tuple[str, str, Any]]) -> None:
        for what, plural, how in steps:
            await self._step(what, plural, how)
        self.api.heal()
        await self._until(lambda: self._held() == self._true())
        self._same_configuration()
        Machine.interleavings += 1

    async def _step(self, what: str, plural: str, how: Any) -> None:
        match what.split():
            case ["put"]:
                self.api.put(plural, objects()[plural][how % len(objects()[plural])])
            case ["drop"]:
                name = objects()[plural][how % len(objects()[plural])]["metadata"]["name"]
                self.api.drop(plural, "default", name)
            case ["flush"]:
                self.api.flush(plural, how)
                if how == "swapped":
                    # A server that sends in a wrong order and then loses the rest deceives everybody.
                    await self._until(lambda: self.api.watchers(plural) == 0 or self.api.is_said(plural))
            case ["fail", verb]:
                self.api.fail(verb, plural, how)
            case ["breathe"]:
                for _ in range(how):
                    await asyncio.sleep(0)
            case ["compact"]:
                self.api.compact()
            case ["bookmark"]:
                self.api.bookmark(plural)
            case _:
                getattr(self.api, what)(plural, how)

    async def _until(self, ask: Any) -> None:
        end = self.stage.loop.time() + PATIENCE
        while not ask():
            assert self.stage.loop.time() < end, f"held {self._held()}, but true is {self._true()}"
            assert not self.task.done(), self.task.exception()
            await asyncio.sleep(0.0002)

    def _held(self) -> dict[str, dict[Any, Any]]:
        return {kind: dict(found) for kind, found in self.store.snapshot().objects.items() if found}

    def _true(self) -> dict[str, dict[Any, Any]]:
        fresh = self._fresh().snapshot().objects
        return {kind: dict(found) for kind, found in fresh.items() if found}

    def _fresh(self) -> Store:
        """What a start at this moment would see: all there is, but of Secrets only those that something names."""
        store = Store()
        found = [decode(each) for plural in PLURALS for each in self.api.objects(plural)]
        named = {ref for each in found if each is not None for ref in secrets_of(each)}
        store.put(each for each in found if each is not None and (each.ref.kind != "Secret" or each.ref in named))
        return store

    def _same_configuration(self) -> None:
        stale = None if not self.passes else frozenset(self.names)
        self.passes += 1
        self.names.clear()
        told = translate(self.store.snapshot(), SETTINGS, memo=self.memo, stale=stale)
        anew = translate(self._fresh().snapshot(), SETTINGS)
        assert told.findings == anew.findings
        assert _printed(told.model, self.render_memo) == _printed(anew.model, RenderMemo())


SETTINGS = Settings(classless_is_ours=True)


def _printed(model: Any, memo: RenderMemo) -> FileSet:
    return render(model, Capabilities(), Layout(), memo=memo).files


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(WORKERS))
def test_every_interleaving_ends_in_the_truth(stage: Stage, part: int) -> None:
    Machine.stage, Machine.interleavings = stage, 0
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=INTERLEAVINGS // WORKERS // STEPS * 11 // 10 + 2,  # some are shorter
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Machine.interleavings >= INTERLEAVINGS // WORKERS
