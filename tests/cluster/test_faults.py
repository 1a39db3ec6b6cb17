"""What goes wrong in real clusters: cut wires, compaction, servers that die, tokens that rotate, rights that vanish."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from headgate.cluster.kube.source import Watching
from tests.cluster.environment import ControlPlane
from tests.cluster.following import Following, eventually, following
from tests.cluster.hand import Hand, hand_in, right
from tests.cluster.relay import relay
from tests.support.manifests import ingress_class, route, service

ALL = (
    right("networking.k8s.io", "ingresses,ingressclasses"),
    right("", "services,secrets"),
    right("discovery.k8s.io", "endpointslices"),
)


async def test_a_deletion_that_was_compacted_away_comes_to_light(own_plane: Callable[..., ControlPlane]) -> None:
    # The API server's own cache would go on for us, and hide what etcd has forgotten.
    plane = await asyncio.to_thread(own_plane, "--watch-cache=false")
    async with hand_in(plane) as hand, relay(plane.server) as wire:
        await hand.create(service("stays"), service("goes"))
        async with following(wire.through(plane.admin), Watching(namespaces=(hand.namespace,))) as seen:
            await asyncio.wait_for(seen.source.synced(), 30)
            before = seen.source.counts()["Service"].lists
            wire.cut()
            await hand.delete(service("goes"))
            await hand.create(service("comes"))
            await asyncio.to_thread(plane.compact)
            wire.mend()
            await eventually(lambda: seen.names("Service") == {"stays", "comes"})
            assert seen.source.counts()["Service"].lists > before


async def test_a_watch_goes_on_where_it_was_cut_without_listing_again(hand: Hand) -> None:
    async with relay(hand.plane.server) as wire:
        await hand.create(service("stays"), service("goes"))
        async with following(wire.through(hand.plane.admin), Watching(namespaces=(hand.namespace,))) as seen:
            await asyncio.wait_for(seen.source.synced(), 30)
            wire.cut()
            await hand.delete(service("goes"))
            await hand.create(service("comes"))
            wire.mend()
            await eventually(lambda: seen.names("Service") == {"stays", "comes"})
            assert seen.source.counts()["Service"].lists == 1


async def test_the_api_server_is_killed_and_comes_back(own_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(own_plane)
    async with hand_in(plane) as hand:
        await hand.create(route("cafe", "cafe.example.com", "tea"))
        async with following(plane.admin, Watching(namespaces=(hand.namespace,))) as seen:
            await asyncio.wait_for(seen.source.synced(), 30)
            plane.kill("kube-apiserver")
            await eventually(lambda: "does not answer as it should" in seen.said())
            assert seen.names("Ingress") == {"cafe"}
            assert len(seen.source.findings()) <= 2  # one outage, and the custom resources that are not installed
            await asyncio.to_thread(plane.start_apiserver)
            await hand.create(route("bar", "bar.example.com", "tea"))
            await eventually(lambda: seen.names("Ingress") == {"cafe", "bar"})
            await eventually(lambda: "does not answer" not in seen.said())


async def test_etcd_is_killed_and_comes_back(own_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(own_plane)
    async with hand_in(plane) as hand:
        await hand.create(route("cafe", "cafe.example.com", "tea"))
        async with following(plane.admin, Watching(namespaces=(hand.namespace,))) as seen:
            await asyncio.wait_for(seen.source.synced(), 30)
            plane.kill("etcd")
            await asyncio.to_thread(plane.start_etcd)
            await eventually(plane_is_ready(plane), deadline=60)
            await hand.create(route("bar", "bar.example.com", "tea"))
            await hand.delete(route("cafe", "", ""))
            await eventually(lambda: seen.names("Ingress") == {"bar"}, deadline=60)


def plane_is_ready(plane: ControlPlane) -> Callable[[], bool]:
    asked = asyncio.ensure_future(asyncio.to_thread(plane.is_ready))

    def ready() -> bool:
        nonlocal asked
        if not asked.done():
            return False
        answer = asked.result()
        asked = asyncio.ensure_future(asyncio.to_thread(plane.is_ready))
        return answer

    return ready


async def test_an_api_server_that_is_away_at_start_is_waited_for(own_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(own_plane)
    plane.kill("kube-apiserver")
    async with following(plane.admin, Watching()) as seen:
        await eventually(lambda: "does not answer as it should" in seen.said())
        await asyncio.to_thread(plane.start_apiserver)
        await asyncio.wait_for(seen.source.synced(), 30)
        await eventually(lambda: "kubernetes" in seen.names("Service"))


async def test_a_token_that_rotates_in_its_file_is_read_again(hand: Hand, tmp_path: Path) -> None:
    await hand.service_account()
    await hand.may(*ALL)
    token = tmp_path / "token"
    token.write_text(await hand.token())
    access = hand.access(token_file=str(token))
    async with relay(hand.plane.server) as wire, following(wire.through(access), Watching()) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        # The account is made anew: the old token is nobody's now.
        await hand.delete({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "headgate"}})
        await hand.service_account()
        async with asyncio.timeout(60):
            while "does not know who we are" not in seen.said():
                wire.cut()  # the API server believes a token for some seconds without looking again
                wire.mend()
                await asyncio.sleep(0.5)
        fresh = tmp_path / "fresh"
        fresh.write_text(await hand.token())
        fresh.replace(token)
        await eventually(lambda: "does not know who we are" not in seen.said())
        await hand.create(service("late"))
        await eventually(lambda: "late" in seen.names("Service"))


def forbidden(seen: Following) -> set[str]:
    return {each.ref.name for each in seen.source.findings() if each.reason == "Forbidden"}


async def test_a_right_taken_away_is_said_once_and_its_return_noticed(hand: Hand) -> None:
    await hand.service_account()
    await hand.may(*ALL)
    access = hand.access(await hand.token())
    async with relay(hand.plane.server) as wire, following(wire.through(access), Watching()) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        await hand.may(*(rule for rule in ALL if "services" not in rule["resources"]))
        wire.cut()
        wire.mend()
        await eventually(lambda: forbidden(seen) == {"secrets", "services"})
        assert 'cannot watch resource "secrets"' in seen.said()
        assert "kubernetes" in seen.names("Service")  # what is known stays
        await hand.create(ingress_class(f"still-{hand.namespace}", "nginx.org/ingress-controller"))
        await eventually(lambda: f"still-{hand.namespace}" in seen.names("IngressClass"))
        await hand.create(service("unseen"))
        await hand.may(*ALL)
        await eventually(lambda: "unseen" in seen.names("Service"))
        await eventually(lambda: not forbidden(seen))
        # Said when it begins and when it ends, and not for the tries in between.
        sentences = [tuple(each for each in told if each.reason == "Forbidden") for told in seen.findings]
        assert len([told for told, before in pairwise(sentences) if told != before]) <= 4


async def test_without_a_right_at_the_start_there_is_no_first_pass(hand: Hand) -> None:
    await hand.service_account()
    await hand.may(*ALL[:1])
    async with following(hand.access(await hand.token()), Watching()) as seen:
        await eventually(lambda: forbidden(seen) == {"services", "endpointslices"})
        assert not seen.store.snapshot().objects.get("Ingress")
        waiting = asyncio.ensure_future(seen.source.synced())
        await hand.may(*ALL)
        await asyncio.wait_for(waiting, 30)
