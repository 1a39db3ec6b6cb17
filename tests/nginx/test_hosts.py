"""Whose host is it? Exact, wildcard, none, and which of them wins."""

from collections.abc import Iterator

import pytest

from tests.support import client
from tests.support.backends import Backends
from tests.support.gate import Gate
from tests.support.manifests import ingress, path, route, rule
from tests.support.site import Site


def test_a_host_is_served(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", "cafe.test", "web"))
    assert site.ask(host="cafe.test").backend == "web"


def test_an_unknown_host_is_not_found(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", "cafe.test", "web"))
    answer = site.ask(host="other.test")
    assert (answer.status, answer.reason) == (404, "no-host")


@pytest.mark.parametrize("asked", ["CAFE.Test", "cafe.test:8080", "cafe.test."])
def test_a_host_is_recognised_in_every_spelling(site: Site, asked: str) -> None:
    site.apply(site.echoes("web"), route("web", "cafe.test", "web"))
    assert site.ask(host=asked).backend == "web"


def test_a_request_without_a_host_gets_the_host_of_last_resort(site: Site) -> None:
    site.apply(site.echoes("web", "rest"), route("web", "cafe.test", "web"), route("rest", "", "rest"))
    with site.line() as line:
        line.send(b"GET / HTTP/1.0\r\n\r\n")
        assert line.read().backend == "rest"


@pytest.mark.parametrize("asked", ["bar.foo.test", "x.foo.test", "Bar.Foo.Test", "xn--bcher-kva.foo.test"])
def test_a_wildcard_stands_for_one_label(site: Site, asked: str) -> None:
    site.apply(site.echoes("wild"), route("wild", "*.foo.test", "wild"))
    assert site.ask(host=asked).backend == "wild"


@pytest.mark.parametrize("asked", ["a.b.foo.test", "foo.test", ".foo.test", "barfoo.test", "bar.foo.testing"])
def test_a_wildcard_stands_for_nothing_else(site: Site, asked: str) -> None:
    site.apply(site.echoes("wild"), route("wild", "*.foo.test", "wild"))
    answer = site.ask(host=asked)
    assert answer.backend is None
    assert answer.status in (400, 404)


def test_a_dot_in_a_wildcard_is_only_a_dot(site: Site) -> None:
    site.apply(site.echoes("wild"), route("wild", "*.foo.bar.test", "wild"))
    assert site.ask(host="x.fooxbar.test").reason == "no-host"


def test_exact_beats_wildcard_beats_none(site: Site) -> None:
    site.apply(
        site.echoes("exact", "wild", "rest"),
        route("exact", "bar.foo.test", "exact"),
        route("wild", "*.foo.test", "wild"),
        route("rest", "", "rest"),
    )
    wins = {
        "bar.foo.test": "exact",
        "other.foo.test": "wild",
        "too.deep.foo.test": "rest",
        "foo.test": "rest",
        "unheard-of.test": "rest",
    }
    assert {asked: site.ask(host=asked).backend for asked in wins} == wins


def test_hosts_of_one_ingress_are_independent(site: Site) -> None:
    hosts = [rule("one.test", path("/", "one")), rule("two.test", path("/", "two"))]
    site.apply(site.echoes("one", "two"), ingress("both", *hosts))
    assert [site.ask(host=host).backend for host in ("one.test", "two.test")] == ["one", "two"]


def test_a_host_twice_in_one_ingress_has_the_paths_of_both(site: Site) -> None:
    twice = [rule("twice.test", path("/tea", "tea")), rule("twice.test", path("/coffee", "coffee"))]
    site.apply(site.echoes("tea", "coffee"), ingress("twice", *twice))
    assert [site.ask(target, host="twice.test").backend for target in ("/tea", "/coffee")] == ["tea", "coffee"]


def test_a_hostless_rule_beside_a_host_in_one_ingress(site: Site) -> None:
    site.apply(
        site.echoes("named", "rest"),
        ingress("both", rule("named.test", path("/", "named")), rule("", path("/", "rest"))),
    )
    assert [site.ask(host=host).backend for host in ("named.test", "any.test")] == ["named", "rest"]


def test_names_of_other_scripts_are_served_as_they_are_given(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", "xn--caf-dma.test", "web"))
    assert site.ask(host="xn--caf-dma.test").backend == "web"


def test_a_rule_without_paths_serves_its_host_with_nothing(site: Site) -> None:
    site.apply(ingress("empty", {"host": "empty.test"}))
    assert site.ask(host="empty.test").status == 404


def test_a_host_that_is_removed_is_not_found(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, route("web", "leaving.test", "web"))
    assert site.ask(host="leaving.test").status == 200
    site.apply(web)
    assert site.ask(host="leaving.test").reason == "no-host"


@pytest.fixture(scope="module")
def nic(backends: Backends) -> Iterator[Site]:
    """The same ranks, read as F5's controller reads them."""
    gate = Gate("--ingress-semantics", "nic")
    try:
        site = Site(gate.start(), backends)
        site.apply(
            site.echoes("exact", "wild", "longer"),
            route("exact", "bar.foo.test", "exact"),
            route("wild", "*.foo.test", "wild"),
            route("longer", "*.b.foo.test", "longer"),
        )
        yield site
    finally:
        gate.close()


@pytest.mark.parametrize(
    ("asked", "wins"),
    [
        ("bar.foo.test", "exact"),
        ("x.foo.test", "wild"),
        ("a.c.foo.test", "wild"),
        ("a.b.foo.test", "longer"),
        ("c.a.b.foo.test", "longer"),
    ],
)
def test_in_nic_semantics_a_wildcard_stands_for_several_labels(nic: Site, asked: str, wins: str) -> None:
    assert nic.ask(host=asked).backend == wins


def test_in_nic_semantics_a_wildcard_does_not_stand_for_no_label(nic: Site) -> None:
    assert nic.ask(host="foo.test").reason == "no-host"


def test_many_long_hosts_need_no_tuning(site: Site) -> None:
    """nginx's tables of names have sizes that people elsewhere must set by hand."""
    label = "a-rather-long-label-as-generated-names-tend-to-have-them"
    hosts = [f"{label}-{number}.{label}.{label}.test" for number in range(300)]
    site.apply(site.echoes("web"), ingress("many", *(rule(host, path("/", "web")) for host in hosts)))
    assert {client.ask(site.gate.http, host=host).backend for host in hosts[::60]} == {"web"}
