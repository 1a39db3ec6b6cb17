"""Statuses and events in a real API server: only differences, one event with a count, never in the way of a pass."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import pytest

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.source import Watching
from headgate.cluster.kube.writer import Pace, Writer
from headgate.model.report import EventNote, EventType, Report, StatusPatch
from tests.cluster.following import QUICK, Following, eventually, following
from tests.cluster.hand import Hand, right
from tests.cluster.relay import relay
from tests.support.manifests import route

OURS = (LoadBalancerIngress(ip="192.0.2.10"),)
FAST = Pace(event_quiet=0.05)


@asynccontextmanager
async def writing(
    access: Access, seen: Following, may_write: Callable[[], bool] = lambda: True, pace: Pace = FAST
) -> AsyncIterator[Writer]:
    async with Client(access, timeout=5) as client:
        source = seen.source
        writer = Writer(
            client, may_write=may_write, shown=source.status_of, wrote=source.wrote, pace=pace, pauses=QUICK
        )
        task = asyncio.create_task(writer.run())
        try:
            yield writer
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def status(hand: Hand, name: str, *addresses: LoadBalancerIngress) -> Report:
    return Report(patches=(StatusPatch(Ref("Ingress", hand.namespace, name), addresses),))


def note(hand: Hand, name: str, message: str, reason: str = "AddedOrUpdated") -> Report:
    ref = Ref("Ingress", hand.namespace, name)
    return Report(events=(EventNote(ref, "uid-of-it", EventType.NORMAL, reason, message),))


async def shown(hand: Hand, name: str) -> Any:
    return (await hand.get(route(name, "", "")))["status"]["loadBalancer"].get("ingress")


async def events(hand: Hand) -> list[Any]:
    found: list[Any] = await hand.list({"apiVersion": "v1", "kind": "Event", "metadata": {}})
    return found


@pytest.fixture
async def seen(hand: Hand) -> AsyncIterator[Following]:
    await hand.create(route("cafe", "cafe.example.com", "tea"))
    async with following(hand.plane.admin, Watching(namespaces=(hand.namespace,))) as made:
        await asyncio.wait_for(made.source.synced(), 30)
        yield made


async def test_a_status_is_written_changed_and_cleared(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(status(hand, "cafe", *OURS))
        assert await writer.settle(10)
        assert await shown(hand, "cafe") == [{"ip": "192.0.2.10"}]
        writer.put(status(hand, "cafe", *OURS, LoadBalancerIngress(hostname="lb.example.com")))
        assert await writer.settle(10)
        assert await shown(hand, "cafe") == [{"ip": "192.0.2.10"}, {"hostname": "lb.example.com"}]
        writer.put(status(hand, "cafe"))
        assert await writer.settle(10)
        assert await shown(hand, "cafe") is None


async def test_only_differences_are_written(hand: Hand, seen: Following) -> None:
    told = len(seen.changes)
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(status(hand, "cafe", *OURS))
        await writer.settle(10)
        version = (await hand.get(route("cafe", "", "")))["metadata"]["resourceVersion"]
        writer.put(status(hand, "cafe", *OURS))
        await writer.settle(10)
        assert (await hand.get(route("cafe", "", "")))["metadata"]["resourceVersion"] == version
        assert (writer.progress.written, writer.progress.unneeded) == (1, 1)
        assert all(Ref("Ingress", hand.namespace, "cafe") not in change for change in seen.changes[told:])


async def test_the_newest_wish_counts(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        for number in range(100):
            writer.put(status(hand, "cafe", LoadBalancerIngress(ip=f"192.0.2.{number}")))
        assert await writer.settle(10)
        assert await shown(hand, "cafe") == [{"ip": "192.0.2.99"}]
        assert writer.progress.written <= 2


async def test_who_may_not_write_writes_nothing(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen, may_write=lambda: False) as writer:
        writer.put(status(hand, "cafe", *OURS))
        writer.put(note(hand, "cafe", "hello"))
        assert await writer.settle(10)
        assert await shown(hand, "cafe") is None
        assert await events(hand) == []
        assert writer.progress.dropped == 2


async def test_many_statuses_go_in_the_background_and_are_counted_down(hand: Hand, seen: Following) -> None:
    for number in range(60):
        await hand.create(route(f"many-{number}", f"{number}.example.com", "tea"))
    await eventually(lambda: len(seen.names("Ingress")) == 61)
    async with writing(hand.plane.admin, seen) as writer:
        began = asyncio.get_running_loop().time()
        for number in range(60):
            writer.put(status(hand, f"many-{number}", *OURS))
        assert asyncio.get_running_loop().time() - began < 0.1
        assert writer.pending == 60
        await eventually(lambda: 0 < writer.pending < 60)
        assert await writer.settle(20)
        assert writer.progress.written == 60
        assert await shown(hand, "many-59") == [{"ip": "192.0.2.10"}]


async def test_what_could_not_be_written_is_written_when_the_server_is_back(hand: Hand, seen: Following) -> None:
    async with relay(hand.plane.server) as wire, writing(wire.through(hand.plane.admin), seen) as writer:
        wire.cut()
        writer.put(status(hand, "cafe", *OURS))
        writer.put(note(hand, "cafe", "hello"))
        await eventually(lambda: writer.progress.failed >= 2)
        wire.mend()
        assert await writer.settle(20)
        assert await shown(hand, "cafe") == [{"ip": "192.0.2.10"}]
        assert len(await events(hand)) == 1


async def test_an_ingress_that_is_gone_is_no_trouble(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(status(hand, "never-was", *OURS))
        assert await writer.settle(10)
        assert writer.progress.dropped == 1


async def test_the_rights_of_nic_are_enough_and_nothing_of_the_object_is_lost(hand: Hand, seen: Following) -> None:
    await hand.service_account()
    await hand.may(
        right("networking.k8s.io", "ingresses", "get"), right("networking.k8s.io", "ingresses/status", "update")
    )
    before = await hand.get(route("cafe", "", ""))
    async with writing(hand.access(await hand.token()), seen) as writer:
        writer.put(status(hand, "cafe", *OURS))
        assert await writer.settle(10)
    after = await hand.get(route("cafe", "", ""))
    assert after["status"]["loadBalancer"] == {"ingress": [{"ip": "192.0.2.10"}]}
    assert after["spec"] == before["spec"]


async def test_an_event_is_shown_with_its_object(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(note(hand, "cafe", "Configuration was added or updated"))
        assert await writer.settle(10)
    (event,) = await events(hand)
    assert event["involvedObject"] == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "namespace": hand.namespace,
        "name": "cafe",
        "uid": "uid-of-it",
    }
    assert (event["type"], event["reason"], event["count"]) == ("Normal", "AddedOrUpdated", 1)
    assert event["message"] == "Configuration was added or updated"
    assert event["source"] == {"component": "nginx-ingress-controller"}


async def test_a_flapping_object_is_one_event_with_a_count(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        for generation in range(30):
            writer.put(note(hand, "cafe", f"live since generation {generation}"))
            await asyncio.sleep(0.01)
        await writer.settle(10)
    (event,) = await events(hand)
    assert event["count"] == 30
    assert event["message"] == "live since generation 29"
    assert writer.progress.written < 15


async def test_the_next_leader_counts_on(hand: Hand, seen: Following) -> None:
    for _ in range(2):
        async with writing(hand.plane.admin, seen) as writer:
            writer.put(note(hand, "cafe", "the same sentence"))
            assert await writer.settle(10)
    (event,) = await events(hand)
    assert event["count"] == 2


async def test_an_event_that_the_server_forgot_is_made_anew(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(note(hand, "cafe", "the same sentence"))
        assert await writer.settle(10)
        (event,) = await events(hand)
        await hand.client.delete(f"/api/v1/namespaces/{hand.namespace}/events/{event['metadata']['name']}")
        writer.put(note(hand, "cafe", "the same sentence"))
        assert await writer.settle(10)
    (again,) = await events(hand)
    assert again["count"] == 2


async def test_different_sentences_are_different_events(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(note(hand, "cafe", "one thing"))
        writer.put(note(hand, "cafe", "another thing"))
        writer.put(note(hand, "cafe", "one thing", reason="Rejected"))
        assert await writer.settle(10)
    assert len(await events(hand)) == 3


async def test_a_long_sentence_is_cut_and_not_refused(hand: Hand, seen: Following) -> None:
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(note(hand, "cafe", "ü" * 5000))
        assert await writer.settle(10)
    (event,) = await events(hand)
    assert event["message"].endswith("ü…")


async def test_what_is_about_no_namespace_is_said_in_the_default_one(hand: Hand, seen: Following) -> None:
    name = f"class-{hand.namespace}"
    about = EventNote(Ref("IngressClass", "", name), "", EventType.WARNING, "Rejected", "is not ours")
    async with writing(hand.plane.admin, seen) as writer:
        writer.put(Report(events=(about,)))
        assert await writer.settle(10)
    found = msgspec.json.decode(await hand.client.get("/api/v1/namespaces/default/events"))["items"]
    assert name in {each["involvedObject"]["name"] for each in found}
