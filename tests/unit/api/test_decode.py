"""Objects from plain data and from JSON text: both ways give the same, and what is wrong is said in a sentence."""

import json
from typing import Any

import pytest

from headgate.api import Ingress, IngressClass, Malformed, Object, Ref, Secret
from headgate.api.decode import decode, decode_json, read_head

INGRESS = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "cafe"}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "tea"}}
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nginx"}}


def both_ways(raw: dict[str, Any]) -> Object | None:
    """From data and from text, which must agree."""
    text = json.dumps(raw).encode()
    found = decode(raw)
    assert decode_json(text, read_head(text)) == found
    return found


def complaint(raw: dict[str, Any]) -> tuple[str, str]:
    found = both_ways(raw)
    assert isinstance(found, Malformed)
    return found.field, found.message


def test_a_typed_object_comes_out() -> None:
    found = both_ways({**INGRESS, "spec": {"rules": [{"host": "cafe.example.com"}]}})
    assert isinstance(found, Ingress)
    assert found.spec.rules[0].host == "cafe.example.com"


@pytest.mark.parametrize(
    "raw",
    [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "tea"}},
        {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "tea"}},
        {"apiVersion": "config.openshift.io/v1", "kind": "Ingress", "metadata": {"name": "cluster"}},
        {"kind": "Ingress"},
        {"apiVersion": 5, "kind": ["Ingress"]},
        {},
    ],
)
def test_kinds_of_others_are_none_of_ours(raw: dict[str, Any]) -> None:
    assert both_ways(raw) is None


def test_what_is_not_an_object_is_none_of_ours() -> None:
    assert decode(["apiVersion"]) is None


@pytest.mark.parametrize(
    "metadata", [{"name": "cafe"}, {"name": "cafe", "namespace": ""}, {"name": "cafe", "namespace": None}]
)
def test_without_a_namespace_it_is_the_default_one(metadata: dict[str, Any]) -> None:
    found = both_ways({**INGRESS, "metadata": metadata})
    assert found is not None
    assert found.ref == Ref("Ingress", "default", "cafe")


def test_a_cluster_wide_kind_has_no_namespace_whatever_it_says() -> None:
    raw = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IngressClass",
        "metadata": {"name": "nginx", "namespace": "x"},
    }
    found = both_ways(raw)
    assert isinstance(found, IngressClass)
    assert found.ref == Ref("IngressClass", "", "nginx")
    assert found.meta.namespace == ""


def test_null_means_the_same_as_leaving_it_out() -> None:
    assert both_ways({**INGRESS, "spec": {"rules": None, "tls": [None]}}) == both_ways(INGRESS)


def test_fields_that_we_do_not_read_may_be_anything() -> None:
    assert both_ways({**INGRESS, "status": [5], "spec": {"somethingNew": {"a": 1}}}) == both_ways(INGRESS)


@pytest.mark.parametrize(
    ("raw", "field", "message"),
    [
        ({**INGRESS, "spec": []}, "spec", "must be a mapping, not a list"),
        ({**INGRESS, "spec": {"rules": {"host": "a"}}}, "spec.rules", "must be a list, not a mapping"),
        (
            {**INGRESS, "spec": {"rules": [{"host": "a"}, {"host": 5}]}},
            "spec.rules[1].host",
            "must be text, not a whole number: put it in quotes",
        ),
        (
            {**INGRESS, "spec": {"rules": [{"http": {"paths": [{"path": "/"}]}}]}},
            "spec.rules[0].http.paths[0].backend",
            "is missing",
        ),
        ({**INGRESS, "metadata": None}, "metadata", "is missing"),
        ({**INGRESS, "metadata": {"name": ""}}, "metadata.name", "is missing"),
        (
            {**INGRESS, "metadata": {"name": "a", "annotations": {"x": "y", "nginx.org/hsts": True}}},
            "metadata.annotations[nginx.org/hsts]",
            "must be text, not true or false: put it in quotes",
        ),
        ({**SERVICE, "spec": {"ports": [{"port": "80"}]}}, "spec.ports[0].port", "must be a whole number, not text"),
        (
            {**SERVICE, "spec": {"ports": [{"port": 80, "targetPort": []}]}},
            "spec.ports[0].targetPort",
            "must be a whole number or text, not a list",
        ),
        ({**CONFIG_MAP, "data": {"http2": 1.5}}, "data[http2]", "must be text, not a number: put it in quotes"),
        (
            {**INGRESS, "apiVersion": "extensions/v1beta1"},
            "apiVersion",
            "'extensions/v1beta1' is no longer served by Kubernetes: write networking.k8s.io/v1",
        ),
        ({**INGRESS, "apiVersion": "v1"}, "apiVersion", "'v1' has no Ingress: write networking.k8s.io/v1"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(raw: dict[str, Any], field: str, message: str) -> None:
    assert complaint(raw) == (field, message)


def test_a_malformed_object_keeps_its_name() -> None:
    found = both_ways({**SERVICE, "spec": []})
    assert found is not None
    assert found.ref == Ref("Service", "default", "tea")


def test_nothing_of_a_malformed_secret_is_remembered() -> None:
    raw = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls"}, "data": {"tls.key": "c2VjcmV0", "x": 5}}
    found = both_ways(raw)
    assert isinstance(found, Malformed)
    assert "c2VjcmV0" not in repr(found)


def test_a_secret_does_not_show_its_contents() -> None:
    raw = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls"}, "data": {"tls.key": "c2VjcmV0"}}
    found = both_ways(raw)
    assert isinstance(found, Secret)
    assert "c2VjcmV0" not in repr(found)


def test_an_entry_of_a_typed_list_need_not_say_what_it_is() -> None:
    whole = json.dumps(INGRESS).encode()
    bare = json.dumps({"metadata": {"name": "cafe"}}).encode()
    assert decode_json(bare, read_head(whole)) == decode(INGRESS)
