"""ExternalName: resolved by nginx while it runs and never while it loads, by the resolver that the flag names."""

from collections.abc import Iterator

import pytest

from tests.support import certificates
from tests.support.backends import Backends
from tests.support.dns import NameServer
from tests.support.gate import Gate
from tests.support.manifests import Manifest, external_name, ingress, path, route, rule
from tests.support.site import Site

HOST = "web.test"


@pytest.fixture(scope="module")
def names() -> Iterator[NameServer]:
    made = NameServer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def resolving(names: NameServer) -> Iterator[Gate]:
    gate = Gate("--resolver", names.address)
    try:
        yield gate.start()
    finally:
        gate.close()


@pytest.fixture
def site(resolving: Gate, backends: Backends) -> Iterator[Site]:
    made = Site(resolving, backends)
    yield made
    made.close()


def _by(port: int) -> Manifest:
    return ingress("web", rule(HOST, path("/", "web", port)))


def test_the_name_is_resolved_while_serving(site: Site, backends: Backends, names: NameServer) -> None:
    remote = backends.http("remote")
    names.names["remote.example"] = "127.0.0.1"
    site.apply(external_name("web", "remote.example", remote.port), _by(remote.port))
    assert "remote.example" not in names.asked, "nobody asked before there was a request"
    answer = site.ask("/some/path?q=1", host=HOST)
    assert (answer.backend, answer.json["target"]) == ("remote", "/some/path?q=1")
    assert "remote.example" in names.asked


def test_a_name_behind_tls(site: Site, backends: Backends, names: NameServer) -> None:
    secured = backends.http("secured", tls=certificates.server_context(certificates.pair("secured.example")))
    names.names["secured.example"] = "127.0.0.1"
    site.apply(external_name("web", "secured.example", secured.port, speaks="https"), _by(secured.port))
    assert site.ask("/path", host=HOST).backend == "secured"


def test_rewrites_hold_for_names_too(site: Site, backends: Backends, names: NameServer) -> None:
    remote = backends.http("remote")
    names.names["rewritten.example"] = "127.0.0.1"
    annotations = {"nginx.org/rewrites": "serviceName=web rewrite=/beans"}
    web = ingress("web", rule(HOST, path("/coffee", "web", remote.port)), annotations=annotations)
    site.apply(external_name("web", "rewritten.example", remote.port), web)
    assert site.ask("/coffee/a%20b?q=1", host=HOST).json["target"] == "/beans/a%20b?q=1"


def test_an_address_of_the_other_family(site: Site, backends: Backends, names: NameServer) -> None:
    six = backends.http("six", address="::1")
    names.names["six.example"] = "::1"
    site.apply(external_name("web", "six.example", six.port), _by(six.port))
    assert site.ask(host=HOST).backend == "six"


def test_a_name_that_moves_is_followed(site: Site, backends: Backends, names: NameServer) -> None:
    old = backends.http("old")
    new = backends.http("new", address="127.0.0.2", port=old.port)
    names.names["moving.example"] = old.address
    site.apply(external_name("web", "moving.example", old.port), _by(old.port))
    assert site.ask(host=HOST).backend == "old"
    names.names["moving.example"] = new.address
    site.gate.until(lambda: site.ask(host=HOST).backend == "new", what="the new address")


def test_a_name_that_does_not_resolve_stops_nobody(site: Site, names: NameServer) -> None:
    site.apply(
        site.echoes("other"),
        external_name("web", "unheard-of.example", 80),
        _by(80),
        route("other", "other.test", "other"),
    )
    assert site.ask(host="other.test").backend == "other"
    answer = site.ask(host=HOST)
    assert answer.status == 502
    assert answer.reason is not None


def test_the_port_need_not_be_listed(site: Site, backends: Backends, names: NameServer) -> None:
    remote = backends.http("remote")
    names.names["portless.example"] = "127.0.0.1"
    portless = external_name("web", "portless.example", 1)
    portless["spec"]["ports"] = []
    site.apply(portless, _by(remote.port))
    assert site.ask(host=HOST).backend == "remote"


@pytest.mark.parametrize(
    "target",
    ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "169.254.169.254", "0.0.0.0", "x.localhost"],
)
def test_a_name_of_our_own_machine_is_refused(site: Site, backends: Backends, target: str) -> None:
    """Whatever listens on loopback trusts whoever reaches it; a tenant must not."""
    local = backends.http("local")
    site.apply(external_name("web", target, local.port), _by(local.port))
    assert site.ask(host=HOST).status == 502
    assert not local.seen
    site.says("Ingress", "web", "externalName")
