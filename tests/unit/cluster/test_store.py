"""The store: what counts as a change, what stays the same object, and what a snapshot shares with the one before."""

from typing import Any

from headgate.api import EndpointSlice, Ingress, Malformed, Object, Ref, Service
from headgate.api.decode import decode
from headgate.cluster.store import Store


def made(raw: dict[str, Any]) -> Object:
    found = decode(raw)
    assert found is not None
    return found


def ingress(name: str = "cafe", host: str = "cafe.example.com", namespace: str = "default") -> Object:
    meta = {"name": name, "namespace": namespace}
    spec = {"rules": [{"host": host}]}
    return made({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": meta, "spec": spec})


def service(name: str = "tea") -> Object:
    return made({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}})


def endpoint_slice(name: str, of: str | None, address: str = "10.0.0.1") -> Object:
    meta = {"name": name, "labels": {"kubernetes.io/service-name": of} if of else {}}
    endpoints = [{"addresses": [address]}]
    return made(
        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": meta, "endpoints": endpoints}
    )


CAFE = Ref("Ingress", "default", "cafe")
BAD_SLICE = Malformed(Ref("EndpointSlice", "default", "tea-1"), "must be a list, not text", "endpoints")


def test_a_new_object_is_named_and_seen() -> None:
    store = Store()
    assert store.put([ingress()]) == {CAFE}
    assert store.snapshot().get(CAFE) == ingress()


def test_an_equal_object_is_no_change_and_the_old_one_stays() -> None:
    store = Store()
    first = ingress()
    store.put([first])
    assert store.put([ingress()]) == frozenset()
    assert store.snapshot().get(CAFE) is first


def test_a_different_object_takes_the_place_of_the_old() -> None:
    store = Store()
    store.put([ingress()])
    assert store.put([ingress(host="tea.example.com")]) == {CAFE}
    assert store.snapshot().get(CAFE) == ingress(host="tea.example.com")


def test_a_dropped_object_is_named_once() -> None:
    store = Store()
    store.put([ingress()])
    assert store.drop([CAFE]) == {CAFE}
    assert store.drop([CAFE]) == frozenset()
    assert store.snapshot().get(CAFE) is None


def test_a_list_drops_what_is_not_in_it() -> None:
    store = Store()
    store.put([ingress("a"), ingress("b"), service()])
    assert store.replace("Ingress", [ingress("b"), ingress("c")]) == {
        Ref("Ingress", "default", "a"),
        Ref("Ingress", "default", "c"),
    }
    assert store.snapshot().get(Ref("Service", "default", "tea")) is not None


def test_a_list_of_one_namespace_leaves_the_others_alone() -> None:
    store = Store()
    store.put([ingress("a", namespace="one"), ingress("a", namespace="two")])
    assert store.replace("Ingress", [], namespace="one") == {Ref("Ingress", "one", "a")}
    assert [found.ref.namespace for found in store.snapshot().of_kind("Ingress")] == ["two"]


def test_a_snapshot_shares_the_kinds_that_did_not_change() -> None:
    store = Store()
    store.put([ingress(), service(), endpoint_slice("tea-1", "tea")])
    before = store.snapshot()
    store.put([ingress(host="tea.example.com")])
    after = store.snapshot()
    assert after.objects["Service"] is before.objects["Service"]
    assert after.slices is before.slices
    assert after.objects["Ingress"] is not before.objects["Ingress"]


def test_a_snapshot_does_not_change_afterwards() -> None:
    store = Store()
    store.put([ingress(), endpoint_slice("tea-1", "tea")])
    before = store.snapshot()
    store.drop([CAFE, Ref("EndpointSlice", "default", "tea-1")])
    assert before.get(CAFE) is not None
    assert before.endpoint_slices("default", "tea")
    assert store.snapshot().endpoint_slices("default", "tea") == ()


def test_without_a_change_the_snapshot_is_the_same() -> None:
    store = Store()
    store.put([ingress()])
    before = store.snapshot()
    store.put([ingress()])
    assert store.snapshot() is before


def test_slices_of_a_service_are_sorted_by_name() -> None:
    store = Store()
    store.put([endpoint_slice("tea-2", "tea"), endpoint_slice("tea-1", "tea"), endpoint_slice("tea-3", "tea")])
    assert [one.meta.name for one in store.snapshot().endpoint_slices("default", "tea")] == ["tea-1", "tea-2", "tea-3"]


def test_a_changed_slice_names_itself_and_the_endpoints_of_its_service() -> None:
    store = Store()
    changed = store.put([endpoint_slice("tea-1", "tea")])
    assert changed == {Ref("EndpointSlice", "default", "tea-1"), Ref("Endpoints", "default", "tea")}


def test_a_slice_that_moves_to_another_service_names_both() -> None:
    store = Store()
    store.put([endpoint_slice("x", "tea")])
    changed = store.put([endpoint_slice("x", "coffee")])
    assert {Ref("Endpoints", "default", "tea"), Ref("Endpoints", "default", "coffee")} < changed
    assert store.snapshot().endpoint_slices("default", "tea") == ()
    assert len(store.snapshot().endpoint_slices("default", "coffee")) == 1


def test_slices_of_a_service_that_did_not_change_are_the_same_tuple() -> None:
    store = Store()
    store.put([endpoint_slice("tea-1", "tea"), endpoint_slice("coffee-1", "coffee")])
    before = store.snapshot()
    store.put([endpoint_slice("tea-1", "tea", address="10.0.0.2")])
    after = store.snapshot()
    assert after.endpoint_slices("default", "coffee") is before.endpoint_slices("default", "coffee")
    assert after.endpoint_slices("default", "tea") != before.endpoint_slices("default", "tea")


def test_a_slice_of_no_service_is_kept_but_not_indexed() -> None:
    store = Store()
    assert store.put([endpoint_slice("lonely", None)]) == {Ref("EndpointSlice", "default", "lonely")}
    assert store.snapshot().slices == {}


def test_a_malformed_object_lives_under_its_own_name() -> None:
    store = Store()
    broken = Malformed(CAFE, "must be a list, not text", "spec.rules")
    store.put([ingress()])
    assert store.put([broken]) == {CAFE}
    assert store.snapshot().get(CAFE) is broken


def test_a_slice_that_becomes_malformed_leaves_its_service() -> None:
    store = Store()
    store.put([endpoint_slice("tea-1", "tea")])
    assert store.put([BAD_SLICE]) == {BAD_SLICE.ref, Ref("Endpoints", "default", "tea")}
    assert store.snapshot().endpoint_slices("default", "tea") == ()


def test_kinds_keep_their_types() -> None:
    store = Store()
    store.put([ingress(), service(), endpoint_slice("tea-1", "tea")])
    kinds = {kind: {type(found) for found in store.snapshot().of_kind(kind)} for kind in store.snapshot().objects}
    assert kinds == {"Ingress": {Ingress}, "Service": {Service}, "EndpointSlice": {EndpointSlice}}
