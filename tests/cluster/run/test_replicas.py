"""Several replicas: all serve, one writes, and the next one goes on where it stopped."""

import asyncio
import time
from functools import partial

from tests.cluster.run.replica import Replica
from tests.cluster.run.scene import Scene
from tests.cluster.run.test_events import BAD
from tests.cluster.run.test_status import FRONT, front, shows
from tests.cluster.run.waiting import shown
from tests.support.manifests import Manifest, configmap

LEASE = 30.0  # seconds, as in F5's controller
ACCEPTED: Manifest = configmap("headgate-accepted", {})
FLAGS = ("-report-ingress-status", f"-external-service={FRONT}")


def leads(replica: Replica) -> bool:
    return replica.metrics()["headgate_leader"] == 1


async def test_the_leader_is_killed_and_the_next_one_completes_what_is_missing(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"), scene.route("first", "first.test", "tea"))
    one = await scene.replica(*FLAGS)
    await one.eventually(lambda: leads(one), "a leader")
    two = await scene.replica(*FLAGS)
    await shown(partial(shows, scene, "first", {"ip": "198.51.100.1"}))
    assert not leads(two)
    assert two.backend("first.test") == "tea", "all replicas serve"
    one.vanish()
    died = time.monotonic()
    await scene.hand.create(scene.route("second", "second.test", "tea"))
    await two.serves(lambda: two.backend("second.test") == "tea", "what came without a leader")
    assert not await scene.addresses("second")
    await two.eventually(lambda: leads(two), "the next leader", deadline=LEASE + 15)
    assert time.monotonic() - died < LEASE + 5
    await shown(partial(shows, scene, "second", {"ip": "198.51.100.1"}), "what was missing")
    assert await scene.events("second", reason="AddedOrUpdated")
    assert [each.name for each in scene.writes(one, "ingresses/status")] == ["first"]
    assert [each.name for each in scene.writes(two, "ingresses/status")] == ["second"], "no status is written twice"
    first = await scene.events("first", reason="AddedOrUpdated")
    assert [each["count"] for each in first] == [1], "a new leader does not repeat what was well"


async def test_a_leader_that_goes_in_order_is_followed_at_once(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"))
    one = await scene.replica(*FLAGS)
    await one.eventually(lambda: leads(one), "a leader")
    two = await scene.replica(*FLAGS)
    assert await asyncio.to_thread(one.stop) == 0
    began = time.monotonic()
    await two.eventually(lambda: leads(two), "the next leader")
    assert time.monotonic() - began < 12, "a released lease is taken at the next look"
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.1"}))


async def test_a_fresh_replica_beside_a_bad_object_serves_what_the_other_serves(scene: Scene) -> None:
    await scene.app("tea")
    cafe = scene.route("cafe", "cafe.test", "tea")
    await scene.hand.create(cafe)
    one = await scene.replica()
    await one.eventually(lambda: leads(one), "a leader")
    await scene.hand.patch(cafe, BAD)
    await one.says("cafe", "soon")

    async def is_shared() -> bool:
        found = await scene.hand.list(ACCEPTED)
        return any("cafe.test" in each.get("data", {}).get("accepted", "") for each in found)

    await shown(is_shared, "the accepted version")
    two = await scene.replica()
    assert one.backend("cafe.test") == two.backend("cafe.test") == "tea"
    # Mended, nothing stands in for it any more; and one that starts then finds nothing to recall.
    await scene.hand.patch(cafe, {"metadata": {"annotations": {"nginx.org/proxy-connect-timeout": "3s"}}})

    async def is_forgotten() -> bool:
        return not (await scene.hand.get(ACCEPTED))["data"]["accepted"]

    await shown(is_forgotten, "the end of it")
    assert not scene.writes(two, "configmaps"), "only the leader writes"


async def test_without_election_every_replica_writes(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"), scene.route("cafe", "cafe.test", "tea"))
    replica = await scene.replica(*FLAGS, "-enable-leader-election=false")
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.1"}))
    assert not [each for each in scene.audit.by(scene.user(replica.name)) if each.resource == "leases"]
