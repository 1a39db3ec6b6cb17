"""From the first signal to the last: what goes on while Headgate stops, dies or loses its nginx."""

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.cluster.run.replica import Replica
from tests.cluster.run.scene import Scene
from tests.cluster.run.test_status import FRONT, front, shows
from tests.cluster.run.traffic import traffic
from tests.cluster.run.waiting import shown
from tests.support import kernel
from tests.support.backends import Exchange
from tests.support.manifests import Manifest

LEASE: Manifest = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "nginx-ingress-leader-election"},
}


async def test_sigterm_is_an_orderly_end(scene: Scene) -> None:
    arrived, go_on = scene.backends.event(), scene.backends.event()

    async def slow(exchange: Exchange) -> None:
        arrived.set()
        await go_on.wait()
        await exchange.answer(200, b"at last")

    made = scene.pod("slow", slow)
    await scene.hand.create(*scene.behind("slow", made), scene.route("slow", "slow.test", "slow"))
    replica = await scene.replica("-shutdown-delay=2s")
    await shown(partial(_is_held_by, scene, replica), "a leader")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(replica.ask, host="slow.test")
        await replica.eventually(lambda: made.seen, "a request in flight")
        told = time.monotonic()
        replica.terminate()
        await replica.eventually(lambda: replica.readiness() == 503, "readiness to turn")
        assert time.monotonic() - told < 1, "readiness must turn at once"
        # Others hear late that we go: until the delay is over, new connections are taken.
        assert replica.ask(host="nobody.test").reason == "no-host"
        await shown(partial(_is_held_by_nobody, scene), "the lease to be released")
        await replica.eventually(lambda: replica.lines("nginx finishes the requests"), "the end of the delay")
        assert time.monotonic() - told >= 2
        assert not waiting.done()
        go_on.set()
        assert (await asyncio.to_thread(waiting.result, 30)).body == b"at last"
    assert await asyncio.to_thread(replica.wait) == 0
    assert not replica.left_behind()


async def _is_held_by(scene: Scene, replica: Replica) -> bool:
    listed = await scene.hand.list(LEASE)
    return any(each["spec"].get("holderIdentity") == replica.name for each in listed)


async def _is_held_by_nobody(scene: Scene) -> bool:
    return not (await scene.hand.get(LEASE))["spec"].get("holderIdentity")


async def test_what_was_to_be_written_is_written_before_the_end(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"))
    replica = await scene.replica("-report-ingress-status", f"-external-service={FRONT}")
    await shown(partial(_is_held_by, scene, replica), "a leader")
    many = [scene.route(f"many-{number}", f"many-{number}.test", "tea") for number in range(60)]
    await asyncio.gather(*map(scene.hand.create, many))
    await replica.serves(lambda: replica.backend("many-59.test") == "tea", "all of them")
    await replica.serves(lambda: replica.backend("many-0.test") == "tea", "all of them")
    replica.terminate()
    assert await asyncio.to_thread(replica.wait) == 0
    shown_by = [await shows(scene, f"many-{number}", {"ip": "198.51.100.1"}) for number in range(60)]
    assert all(shown_by)


async def test_nginx_that_dies_ends_headgate_with_a_message(scene: Scene) -> None:
    replica = await scene.replica()
    os.kill(replica.nginx, signal.SIGKILL)
    assert await asyncio.to_thread(replica.wait) == 1
    assert replica.lines("nginx died")
    assert "Traceback" not in replica.said()
    assert not replica.left_behind()


async def test_killed_headgate_leaves_nginx_serving_and_the_next_one_takes_over(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    replica = await scene.replica()
    master = replica.nginx
    with traffic(replica.http, "cafe.test"):
        replica.kill()
        assert replica.backend("cafe.test") == "tea"
        await scene.hand.create(scene.route("bar", "bar.test", "tea"))
        replica.start()
        await replica.says("took over a running nginx")
        await replica.ready()
        await replica.serves(lambda: replica.backend("bar.test") == "tea", "what came meanwhile")
        assert replica.nginx == master
    assert "nginx: master" in kernel.title(master)


async def test_sigterm_before_anything_is_there_ends_at_once(scene: Scene) -> None:
    """The kubelet may change its mind while we wait for an API server."""
    nowhere = scene.plane.kubeconfig(*scene.plane.authority.client("nobody", "system:masters"))
    nowhere["clusters"][0]["cluster"]["server"] = "https://198.18.254.254:9"
    replica = await scene.cast(kubeconfig=nowhere)
    replica.start()
    await replica.says("not there yet")
    assert await asyncio.to_thread(replica.stop) == 0
    assert not replica.left_behind()
