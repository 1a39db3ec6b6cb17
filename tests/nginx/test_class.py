"""Whose is an Ingress? By `ingressClassName`, the legacy annotation, IngressClass objects and the default mark.

The markers of this module bear the class `nginx`, which is ours whether or not there are IngressClasses.
"""

from collections.abc import Iterator

import pytest

from tests.nginx.conftest import Serve
from tests.support.backends import Backends
from tests.support.gate import Gate
from tests.support.manifests import Manifest, ingress_class, route
from tests.support.site import Site

OURS, THEIRS = "nginx.org/ingress-controller", "example.com/another-controller"
LEGACY = "kubernetes.io/ingress.class"


def _asked(class_name: str | None = None, legacy: str | None = None) -> Manifest:
    return route(
        "web", "web.test", "web", class_name=class_name, annotations={LEGACY: legacy} if legacy is not None else None
    )


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    made = Gate(class_name="nginx")
    try:
        yield made.start()
    finally:
        made.close()


CLASSES = [ingress_class("ours", OURS), ingress_class("theirs", THEIRS)]


def _backend(site: Site, *objects: Manifest) -> str | None:
    site.apply(site.echoes("web"), objects)
    return site.ask(host="web.test").backend


def test_without_any_ingress_class_the_classless_are_ours(site: Site) -> None:
    assert _backend(site, _asked()) == "web"


@pytest.mark.parametrize("asked", [_asked("nginx"), _asked(legacy="nginx")], ids=["field", "annotation"])
def test_the_conventional_name_needs_no_ingress_class(site: Site, asked: Manifest) -> None:
    assert _backend(site, asked) == "web"


@pytest.mark.parametrize("asked", [_asked("theirs"), _asked(legacy="theirs")], ids=["field", "annotation"])
def test_a_class_of_another_controller_is_not_ours(site: Site, asked: Manifest) -> None:
    assert _backend(site, *CLASSES, asked) is None


@pytest.mark.parametrize("asked", [_asked("ours"), _asked(legacy="ours")], ids=["field", "annotation"])
def test_a_class_of_our_controller_is_ours_by_any_name(site: Site, asked: Manifest) -> None:
    assert _backend(site, *CLASSES, asked) == "web"


def test_a_class_that_nobody_has_is_not_ours(site: Site) -> None:
    assert _backend(site, _asked("unheard-of")) is None


def test_the_annotation_wins_over_the_field(site: Site) -> None:
    assert _backend(site, *CLASSES, _asked("theirs", legacy="ours")) == "web"


@pytest.mark.parametrize(("marked", "wins"), [("ours", "web"), ("theirs", None), ("nobody", None)])
def test_the_default_class_gets_the_classless(site: Site, marked: str, wins: str | None) -> None:
    classes = [
        ingress_class(name, controller, is_default=name == marked)
        for name, controller in (("ours", OURS), ("theirs", THEIRS))
    ]
    assert _backend(site, *classes, _asked()) == wins


def test_a_class_named_by_the_flag_is_the_only_one(serve: Serve, backends: Backends) -> None:
    site = Site(serve("--ingress-class", "mine", class_name="mine").start(), backends)
    site.apply(
        site.echoes("web"),
        [ingress_class("mine", OURS), ingress_class("ours", OURS)],
        [route(name, f"{name}.test", "web", class_name=name) for name in ("mine", "ours", "nginx")],
    )
    assert [site.ask(host=f"{name}.test").backend for name in ("mine", "ours", "nginx")] == ["web", None, None]


def test_objects_of_other_classes_are_none_of_our_business(site: Site) -> None:
    """Whatever is wrong with them: no configuration, no findings."""
    wrong = route(
        "wrong", "bad_host", "nowhere", class_name="theirs", annotations={"nginx.org/proxy-connect-timeout": "soon"}
    )
    site.apply(CLASSES, wrong)
    assert f"{site.namespace}/wrong" not in site.gate.said()
    assert not list((site.gate.state / "nginx" / "conf.d").glob("*wrong*"))


def test_an_ingress_whose_class_changes_away_is_gone(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, CLASSES, _asked("ours"))
    assert site.ask(host="web.test").backend == "web"
    site.apply(web, CLASSES, _asked("theirs"))
    assert site.ask(host="web.test").reason == "no-host"


def test_an_ingress_class_that_appears_brings_its_ingresses(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _asked("mine"))
    assert site.ask(host="web.test").reason == "no-host"
    site.apply(web, _asked("mine"), ingress_class("mine", OURS))
    assert site.ask(host="web.test").backend == "web"
