"""The source against a real API server: every kind comes and goes, and only what is a change is told."""

import asyncio

from headgate.api import ConfigMap, Ingress, LoadBalancerIngress, Ref, Secret, Service
from headgate.cluster.kube.source import Watching
from tests.cluster.following import eventually, following
from tests.cluster.hand import Hand
from tests.support.certificates import pair
from tests.support.manifests import (
    configmap,
    endpoints,
    ingress,
    ingress_class,
    route,
    service,
    tls_for,
    tls_secret,
)


async def test_every_kind_is_listed_and_followed(hand: Hand) -> None:
    here = hand.namespace
    settings = Ref("ConfigMap", here, "settings")
    before = [
        route("cafe", "cafe.example.com", "tea", tls=[tls_for("cafe", "cafe.example.com")]),
        service("tea"),
        endpoints("tea", "198.18.1.1", port=8080),
        tls_secret("cafe", pair("cafe.example.com")),
        configmap("settings", {"proxy-read-timeout": "10s"}),
    ]
    await hand.create(*before, ingress_class(f"class-{here}", "nginx.org/ingress-controller"))
    async with following(hand.plane.admin, Watching(namespaces=(here,), singles=frozenset({settings}))) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert isinstance(seen.get("Ingress", here, "cafe"), Ingress)
        assert isinstance(seen.get("Service", here, "tea"), Service)
        assert isinstance(seen.get("Secret", here, "cafe"), Secret)
        assert isinstance(seen.get("ConfigMap", here, "settings"), ConfigMap)
        assert seen.get("IngressClass", "", f"class-{here}")
        assert seen.store.snapshot().endpoint_slices(here, "tea")
        await hand.delete(*before)
        await eventually(lambda: not any(seen.names(kind) for kind in ("Ingress", "Service", "Secret", "ConfigMap")))
        await eventually(lambda: not seen.store.snapshot().endpoint_slices(here, "tea"))
        await hand.create(route("late", "late.example.com", "tea"))
        await eventually(lambda: seen.get("Ingress", here, "late"))
        await hand.delete(ingress_class(f"class-{here}", ""))
        await eventually(lambda: seen.get("IngressClass", "", f"class-{here}") is None)


async def test_statuses_and_managed_fields_are_no_change(hand: Hand) -> None:
    here, cafe = hand.namespace, route("cafe", "cafe.example.com", "tea")
    await hand.create(cafe)
    async with following(hand.plane.admin, Watching(namespaces=(here,))) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        ref = Ref("Ingress", here, "cafe")
        before, told = seen.get("Ingress", here, "cafe"), len(seen.changes)
        await hand.patch(cafe, {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}, "status")
        await eventually(lambda: seen.source.status_of(ref) == (LoadBalancerIngress(ip="192.0.2.1"),))
        await hand.patch(cafe, {"metadata": {"managedFields": [{}]}})
        await hand.create(service("after"))
        await eventually(lambda: seen.get("Service", here, "after"))
        assert seen.get("Ingress", here, "cafe") is before
        assert seen.changes[told:] == [frozenset({Ref("Service", here, "after")})]


async def test_contents_are_kept_only_of_secrets_that_something_refers_to(hand: Hand) -> None:
    here = hand.namespace
    await hand.create(tls_secret("one", pair("one.example.com")), tls_secret("two", pair("two.example.com")))
    cafe = ingress(
        "cafe", tls=[tls_for("one", "one.example.com")], default={"service": {"name": "tea", "port": {"number": 80}}}
    )
    await hand.create(cafe)
    async with following(hand.plane.admin, Watching(namespaces=(here,))) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert seen.names("Secret") == {"one"}
        await hand.patch(cafe, {"spec": {"tls": [tls_for("two", "two.example.com")]}})
        await eventually(lambda: seen.names("Secret") == {"two"})
        assert frozenset({Ref("Secret", here, "two")}) in seen.changes
        before = seen.get("Secret", here, "two")
        await hand.apply(tls_secret("two", pair("renewed.example.com")))
        await eventually(lambda: seen.get("Secret", here, "two") not in (before, None))
        seen.source.need(frozenset({Ref("Secret", here, "one")}))
        await eventually(lambda: seen.names("Secret") == {"one", "two"})
        await hand.delete(cafe)
        await eventually(lambda: seen.names("Secret") == {"one"})
        seen.source.need(frozenset())
        assert seen.names("Secret") == set()


async def test_an_ingress_is_never_seen_before_the_secret_that_it_begins_to_name(hand: Hand) -> None:
    here = hand.namespace
    async with following(hand.plane.admin, Watching(namespaces=(here,))) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        await hand.create(tls_secret("cafe", pair("cafe.example.com")))
        await hand.create(service("tea"))
        await eventually(lambda: seen.get("Service", here, "tea"))
        await hand.create(route("cafe", "cafe.example.com", "tea", tls=[tls_for("cafe", "cafe.example.com")]))
        await eventually(lambda: seen.get("Ingress", here, "cafe"))
        order = [ref.kind for names in seen.changes for ref in names]
        assert order.index("Secret") < order.index("Ingress")
