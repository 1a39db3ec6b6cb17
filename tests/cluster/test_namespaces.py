"""Which namespaces are seen: all, a list, or those with a label, which come and go."""

import asyncio
from typing import Any

from headgate.api import Ref
from headgate.cluster.kube.source import Watching
from tests.cluster.following import eventually, following
from tests.cluster.hand import Hand
from tests.support.certificates import pair
from tests.support.manifests import Manifest, configmap, route, service, tls_for, tls_secret


def namespace(name: str, **labels: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def world(place: str) -> list[Manifest]:
    """An Ingress with its Service and its Secret."""
    cafe = route("cafe", f"{place}.example.com", "tea", tls=[tls_for("cafe", f"{place}.example.com")], namespace=place)
    return [service("tea", namespace=place), tls_secret("cafe", pair("x.example.com"), namespace=place), cafe]


def places(seen: Any, kind: str = "Ingress") -> set[str]:
    return {each.ref.namespace for each in seen.store.snapshot().of_kind(kind)}


async def test_only_the_listed_namespaces_are_seen(hand: Hand) -> None:
    one, two, three = (f"{hand.namespace}-{each}" for each in ("one", "two", "three"))
    for name in (one, two, three):
        await hand.create(namespace(name), *world(name))
    async with following(hand.plane.admin, Watching(namespaces=(one, two))) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert places(seen) == places(seen, "Secret") == places(seen, "Service") == {one, two}


async def test_secrets_only_where_they_may_be_read(hand: Hand) -> None:
    one, two = f"{hand.namespace}-one", f"{hand.namespace}-two"
    for name in (one, two):
        await hand.create(namespace(name), *world(name))
    for watching in (
        Watching(secret_namespaces=(one,)),
        Watching(namespaces=(one, two), secret_namespaces=(one,)),
    ):
        async with following(hand.plane.admin, watching) as seen:
            await asyncio.wait_for(seen.source.synced(), 30)
            assert {one, two} <= places(seen)
            assert places(seen, "Secret") & {one, two} == {one}


async def test_namespaces_come_and_go_with_their_label(hand: Hand) -> None:
    label = f"gate-{hand.namespace}"
    one, two = f"{hand.namespace}-one", f"{hand.namespace}-two"
    await hand.create(namespace(one, **{label: "open"}), *world(one))
    await hand.create(namespace(two), *world(two))
    async with following(hand.plane.admin, Watching(namespace_label=f"{label}=open")) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert places(seen) == {one}
        told = len(seen.changes)
        await hand.patch(namespace(two), {"metadata": {"labels": {label: "open"}}})
        await eventually(lambda: places(seen) == {one, two})
        # It appears as a whole: the first that is told of it is all of it.
        assert {ref.kind for ref in seen.changes[told]} == {"Ingress", "Service", "Secret"}
        await hand.patch(namespace(one), {"metadata": {"labels": {label: None}}})
        await eventually(lambda: places(seen) == {two})
        assert places(seen, "Secret") == places(seen, "Service") == {two}
        assert seen.source.status_of(Ref("Ingress", one, "cafe")) == ()
        await hand.create(route("late", "late.example.com", "tea", namespace=one))
        await hand.create(route("late", "late.example.com", "tea", namespace=two))
        await eventually(lambda: seen.get("Ingress", two, "late"))
        assert places(seen) == {two}
        await hand.patch(namespace(one), {"metadata": {"labels": {label: "open"}}})
        await eventually(lambda: seen.get("Ingress", one, "late"))


async def test_what_flags_name_is_seen_wherever_it_is(hand: Hand) -> None:
    here, there = hand.namespace, f"{hand.namespace}-there"
    await hand.create(namespace(there), *world(there), configmap("settings", {}, namespace=there))
    await hand.create(configmap("other", {}, namespace=there))
    singles = frozenset(
        {Ref("ConfigMap", there, "settings"), Ref("Secret", there, "cafe"), Ref("Service", there, "tea")}
    )
    async with following(hand.plane.admin, Watching(namespaces=(here,), singles=singles)) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert {ref for change in seen.changes for ref in change if ref.namespace == there} == singles
        await hand.delete(tls_secret("cafe", pair("x.example.com"), namespace=there))
        await eventually(lambda: seen.get("Secret", there, "cafe") is None)
        await hand.create(tls_secret("cafe", pair("x.example.com"), namespace=there))
        await eventually(lambda: seen.get("Secret", there, "cafe"))


async def test_an_object_that_a_flag_names_comes_by_one_way_only(hand: Hand) -> None:
    await hand.create(*world(hand.namespace))
    singles = frozenset({Ref("Secret", hand.namespace, "cafe"), Ref("Service", hand.namespace, "tea")})
    async with following(hand.plane.admin, Watching(namespaces=(hand.namespace,), singles=singles)) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        await hand.delete(*world(hand.namespace)[2:])  # nothing refers to the Secret now, but the flag does
        await eventually(lambda: not seen.names("Ingress"))
        assert seen.names("Secret") == {"cafe"}
        await hand.patch(service("tea"), {"metadata": {"annotations": {"now": "different"}}})
        ref = Ref("Service", hand.namespace, "tea")
        await eventually(lambda: frozenset({ref}) in seen.changes)
        assert sum(1 for change in seen.changes if ref in change) == 2
