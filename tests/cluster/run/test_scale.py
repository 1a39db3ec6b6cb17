"""Many objects: one start, few reloads, and a lease that is renewed on time."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from tests.cluster.run.scene import CONFIG, Scene
from tests.support.manifests import Manifest, configmap

AT_ONCE = 16
Scenes = Callable[..., AbstractAsyncContextManager[Scene]]


async def together(calls: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """All of them, a few at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(call: Coroutine[Any, Any, Any]) -> None:
        async with gate:
            await call

    await asyncio.gather(*map(one, calls))


def routes(scene: Scene, count: int) -> list[Manifest]:
    return [scene.route(f"many-{number}", f"many-{number}.test", "tea") for number in range(count)]


async def test_two_thousand_at_start_and_a_burst_of_changes(own_scene: Scenes) -> None:
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        await scene.app("coffee")
        await together(scene.hand.create(each) for each in routes(scene, 2000))
        replica = await scene.replica()
        assert replica.backend("many-0.test") == replica.backend("many-1999.test") == "tea"
        assert len(replica.lines("start worker processes")) == 1
        assert not replica.lines("reconfiguring"), "one start, and no reload"
        # Ready is said before the pass is counted.
        await replica.eventually(lambda: replica.reloads() == 1, "the count")
        changed = scene.route("", "", "coffee")["spec"]["rules"][0]["http"]
        await together(
            scene.hand.patch(each, {"spec": {"rules": [{"host": f"many-{number}.test", "http": changed}]}})
            for number, each in enumerate(routes(scene, 500))
        )
        await replica.serves(
            lambda: {replica.backend(f"many-{number}.test") for number in (0, 250, 499)} == {"coffee"}, "the burst"
        )
        assert replica.reloads() - 1 <= 12, "a burst is a handful of reloads"
        assert replica.backend("many-500.test") == "tea"


@pytest.mark.timeout(300)
async def test_the_lease_is_renewed_on_time_during_a_pass_over_ten_thousand(own_scene: Scenes) -> None:
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        await together(scene.hand.create(each) for each in routes(scene, 10_000))
        replica = await scene.cast()
        replica.start()
        await replica.eventually(replica.is_ready, "readiness", deadline=150)
        assert replica.backend("many-9999.test") == "tea"
        # Everything anew, with a renewal in the middle of it.
        # Waited for in the log: to scrape ten thousand objects a hundred times a second would be a load of its own.
        renewals = len(scene.writes(replica, "leases"))
        passes = 1
        while len(scene.writes(replica, "leases")) < renewals + 2:
            passes += 1
            await scene.hand.apply(configmap(CONFIG, {"proxy-connect-timeout": f"{passes}s"}))
            await replica.says(f"generation={passes} ", "change=reload", "pass", deadline=120)
        found = replica.metrics()
        assert found["headgate_leader"] == 1
        assert found["headgate_lease_late_seconds"] < 1.0
        assert len(replica.lines("leading begins")) == 1
        assert not replica.lines("leading ends")
