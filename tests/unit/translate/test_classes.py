"""Whose is an Ingress? Every line of the table in docs/ingress.md, and the legacy annotation."""

from headgate.api import Ingress, Malformed, Ref
from headgate.api.decode import decode
from headgate.model.settings import Settings
from headgate.translate.classes import class_findings, classes_of
from tests.support.manifests import Manifest, ingress, ingress_class
from tests.unit.worlds import objects, world

OURS, THEIRS = "nginx.org/ingress-controller", "example.com/other"
PLAIN = ingress("shop")


def of(name: str) -> Manifest:
    return ingress("shop", class_name=name)


def annotated(name: str, field: str | None = None) -> Manifest:
    return ingress("shop", annotations={"kubernetes.io/ingress.class": name}, class_name=field)


def is_ours(manifest: Manifest, *classes: Manifest, flag: str | None = None, classless: bool = True) -> bool:
    settings = Settings(ingress_class=flag, classless_is_ours=classless)
    (found,) = objects(manifest)
    assert isinstance(found, Ingress | Malformed)
    return classes_of(world(*classes), settings).is_ours(found)


def test_without_any_class_the_classless_are_ours() -> None:
    assert is_ours(PLAIN)
    assert not is_ours(PLAIN, classless=False)


def test_without_any_class_the_name_nginx_is_ours_and_no_other() -> None:
    assert is_ours(of("nginx"))
    assert not is_ours(of("traefik"))


def test_classes_of_our_controller_are_ours_whatever_they_are_called() -> None:
    assert is_ours(of("public"), ingress_class("public", OURS))
    assert not is_ours(of("public"), ingress_class("public", THEIRS))


def test_the_name_nginx_is_ours_until_a_class_says_otherwise() -> None:
    assert is_ours(of("nginx"), ingress_class("public", OURS))
    assert not is_ours(of("nginx"), ingress_class("nginx", THEIRS))


def test_where_there_are_classes_the_classless_belong_to_the_default_one() -> None:
    assert not is_ours(PLAIN, ingress_class("public", OURS))
    assert is_ours(PLAIN, ingress_class("public", OURS, is_default=True))
    assert not is_ours(PLAIN, ingress_class("public", OURS), ingress_class("other", THEIRS, is_default=True))


def test_of_two_defaults_the_younger_counts() -> None:
    ours, theirs = ingress_class("ours", OURS, is_default=True), ingress_class("theirs", THEIRS, is_default=True)
    ours["metadata"]["creationTimestamp"], theirs["metadata"]["creationTimestamp"] = "2024-02-01", "2024-01-01"
    assert is_ours(PLAIN, ours, theirs)
    ours["metadata"]["creationTimestamp"] = "2023-01-01"
    assert not is_ours(PLAIN, ours, theirs)


def test_the_flag_leaves_one_class() -> None:
    classes = ingress_class("public", OURS, is_default=True), ingress_class("internal", OURS)
    assert is_ours(of("internal"), *classes, flag="internal")
    assert not is_ours(of("public"), *classes, flag="internal")
    assert not is_ours(PLAIN, *classes, flag="internal")
    assert is_ours(PLAIN, *classes, flag="public")


def test_the_flags_class_takes_the_place_of_nginx() -> None:
    assert is_ours(of("mine"), flag="mine")
    assert not is_ours(of("nginx"), flag="mine")
    assert not is_ours(of("mine"), ingress_class("mine", THEIRS), flag="mine")


def test_the_annotation_counts_before_the_field() -> None:
    classes = ingress_class("ours", OURS), ingress_class("theirs", THEIRS)
    assert is_ours(annotated("ours", field="theirs"), *classes)
    assert not is_ours(annotated("theirs", field="ours"), *classes)
    assert is_ours(annotated("", field="ours"), *classes)


def test_a_broken_object_has_its_class_all_the_same() -> None:
    theirs = {**of("traefik"), "spec": {"ingressClassName": "traefik", "rules": "none"}}
    ours = {**PLAIN, "spec": {"rules": "none"}}
    assert isinstance(decode(theirs), Malformed)
    assert not is_ours(theirs)
    assert is_ours(ours)


def test_an_object_too_broken_to_have_one_is_classless() -> None:
    for raw in ({"metadata": "x", "spec": []}, {"metadata": {"annotations": "x"}}, "text", None):
        broken = Malformed(Ref("Ingress", "default", "shop"), "it is broken", raw=raw)
        assert classes_of(world(), Settings()).is_ours(broken)
        assert not classes_of(world(ingress_class("public", OURS)), Settings()).is_ours(broken)


def test_a_class_of_the_communitys_controller_is_told_once() -> None:
    community = ingress_class("nginx", "k8s.io/ingress-nginx")
    (finding,) = class_findings(world(community, ingress_class("public", OURS), PLAIN, of("nginx")))
    assert finding.ref == Ref("IngressClass", "", "nginx")
