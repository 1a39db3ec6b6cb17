"""From a Service to an endpoint that answers: ports, slices, conditions, protocols, and nobody there."""

import pytest

from tests.support import certificates, ports
from tests.support.backends import Backends, hang_up
from tests.support.backends_grpc import grpc_backend, grpc_client
from tests.support.backends_http2 import http2_clear
from tests.support.manifests import (
    Manifest,
    behind,
    endpoint,
    endpoints,
    ingress,
    path,
    route,
    rule,
    service,
    service_port,
    tls_for,
    tls_secret,
)
from tests.support.site import Site

HOST = "web.test"


def _answering(site: Site, *, times: int = 24, target: str = "/") -> set[str | None]:
    """The names of those who answer. By chance alone one of two would be missed once in millions of runs."""
    return {site.ask(target, host=HOST).backend for _ in range(times)}


def _by(port: int | str) -> Manifest:
    return ingress("web", rule(HOST, path("/", "web", port)))


def test_a_port_by_number(site: Site, backends: Backends) -> None:
    one, two = backends.http("one"), backends.http("two")
    ports_of = service("web", service_port(80, name="a", target=one.port), service_port(81, name="b", target=two.port))
    slices = [
        endpoints("web", "127.0.0.1", port=one.port, port_name="a", suffix="1"),
        endpoints("web", "127.0.0.1", port=two.port, port_name="b", suffix="2"),
    ]
    site.apply(ports_of, slices, _by(81))
    assert _answering(site) == {"two"}


def test_a_port_by_name(site: Site, backends: Backends) -> None:
    one, two = backends.http("one"), backends.http("two")
    ports_of = service("web", service_port(80, name="a", target=one.port), service_port(81, name="b", target=two.port))
    slices = [
        endpoints("web", "127.0.0.1", port=one.port, port_name="a", suffix="1"),
        endpoints("web", "127.0.0.1", port=two.port, port_name="b", suffix="2"),
    ]
    site.apply(ports_of, slices, _by("a"))
    assert _answering(site) == {"one"}


def test_a_named_target_port_is_what_the_slice_says(site: Site, backends: Backends) -> None:
    """Pods of one Service may have different numbers for one name: each slice brings its own."""
    one, two = backends.http("one"), backends.http("two")
    site.apply(
        service("web", service_port(80, name="http", target="listening")),
        endpoints("web", "127.0.0.1", port=one.port, port_name="http", suffix="1"),
        endpoints("web", "127.0.0.1", port=two.port, port_name="http", suffix="2"),
        _by("http"),
    )
    assert _answering(site) == {"one", "two"}


@pytest.mark.parametrize("port", [99, "unheard-of"])
def test_a_port_that_the_service_has_not(site: Site, port: int | str) -> None:
    site.apply(site.echoes("web"), _by(port))
    answer = site.ask(host=HOST)
    assert (answer.status, answer.reason) == (502, "no-endpoints")
    site.says("Ingress", "web", "no port", str(port))


def test_a_headless_service(site: Site, backends: Backends) -> None:
    web = backends.http("web")
    headless = service("web", service_port(80, target=web.port), spec={"clusterIP": "None"})
    site.apply(headless, endpoints("web", "127.0.0.1", port=web.port), _by(80))
    assert _answering(site, times=2) == {"web"}


def test_several_endpoints_of_one_slice(site: Site, backends: Backends) -> None:
    addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    port = ports.claim(*addresses)
    for address in addresses:
        backends.http(address, address=address, port=port)
    site.apply(behind("web", port, *addresses), _by(80))
    assert _answering(site, times=60) == set(addresses)


def test_several_slices(site: Site, backends: Backends) -> None:
    one, two = backends.http("one"), backends.http("two")
    site.apply(
        service("web", service_port(80)),
        endpoints("web", "127.0.0.1", port=one.port, suffix="1"),
        endpoints("web", "127.0.0.1", port=two.port, suffix="2"),
        _by(80),
    )
    assert _answering(site) == {"one", "two"}


def test_an_endpoint_in_two_slices_counts_once(site: Site, backends: Backends) -> None:
    web = backends.http("web")
    slices = [endpoints("web", "127.0.0.1", port=web.port, suffix=suffix) for suffix in ("1", "2")]
    site.apply(service("web", service_port(80)), slices, _by(80))
    assert _answering(site, times=2) == {"web"}


def test_an_ipv6_endpoint(site: Site, backends: Backends) -> None:
    six = backends.http("six", address="::1")
    site.apply(behind("web", six.port, "::1"), _by(80))
    assert _answering(site, times=2) == {"six"}


def test_both_families_at_once(site: Site, backends: Backends) -> None:
    four, six = backends.http("four"), backends.http("six", address="::1")
    site.apply(
        service("web", service_port(80)),
        endpoints("web", "127.0.0.1", port=four.port, suffix="4"),
        endpoints("web", "::1", port=six.port, suffix="6"),
        _by(80),
    )
    assert _answering(site) == {"four", "six"}


def test_slices_of_other_services_are_not_taken(site: Site) -> None:
    site.apply(site.echoes("web", "other"), _by(80))
    assert _answering(site) == {"web"}


CONDITIONS: dict[str, tuple[dict[str, bool], bool]] = {
    "nothing said": ({}, True),
    "ready": ({"ready": True}, True),
    "not ready": ({"ready": False}, False),
    "ready and serving": ({"ready": True, "serving": True, "terminating": False}, True),
    "serving but not ready": ({"ready": False, "serving": True}, False),
    "terminating": ({"ready": False, "serving": True, "terminating": True}, False),
    "terminating and no longer serving": ({"ready": False, "serving": False, "terminating": True}, False),
}


@pytest.mark.parametrize(("conditions", "counts"), CONDITIONS.values(), ids=CONDITIONS)
def test_conditions_beside_a_ready_endpoint(
    site: Site, backends: Backends, *, conditions: dict[str, bool], counts: bool
) -> None:
    port = ports.claim("127.0.0.1", "127.0.0.2")
    for address, name in (("127.0.0.1", "ready"), ("127.0.0.2", "in question")):
        backends.http(name, address=address, port=port)
    both = [endpoint("127.0.0.1", ready=True), endpoint("127.0.0.2", **conditions)]
    site.apply(service("web", service_port(80)), endpoints("web", *both, port=port), _by(80))
    assert _answering(site) == ({"ready", "in question"} if counts else {"ready"})


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ({"ready": False, "serving": True, "terminating": True}, 200),
        ({"ready": False, "serving": False, "terminating": True}, 502),
        ({"ready": False}, 502),
        ({"ready": False, "serving": True}, 502),
    ],
)
def test_conditions_when_nothing_else_serves(
    site: Site, backends: Backends, conditions: dict[str, bool], status: int
) -> None:
    web = backends.http("web")
    last = endpoint("127.0.0.1", **conditions)
    site.apply(service("web", service_port(80)), endpoints("web", last, port=web.port), _by(80))
    assert site.ask(host=HOST).status == status


def test_an_endpoint_that_leaves_gets_no_more_requests(site: Site, backends: Backends) -> None:
    one, two = backends.http("one"), backends.http("two")
    both = [endpoints("web", "127.0.0.1", port=each.port, suffix=each.name) for each in (one, two)]
    site.apply(service("web", service_port(80)), both, _by(80))
    assert _answering(site) == {"one", "two"}
    site.apply(service("web", service_port(80)), both[:1], _by(80))
    assert _answering(site) == {"one"}


def test_the_port_of_a_service_changes(site: Site, backends: Backends) -> None:
    old, new = backends.http("old"), backends.http("new")
    site.apply(behind("web", old.port), _by(80))
    assert _answering(site, times=2) == {"old"}
    site.apply(behind("web", new.port), _by(80))
    assert _answering(site, times=2) == {"new"}


def test_a_service_that_gives_up_the_port_answers_502(site: Site, backends: Backends) -> None:
    web = backends.http("web")
    site.apply(behind("web", web.port), _by(80))
    site.apply(service("web", service_port(8080)), endpoints("web", "127.0.0.1", port=web.port), _by(80))
    assert site.ask(host=HOST).status == 502


def test_a_missing_service_answers_502_and_is_a_finding(site: Site) -> None:
    site.apply(site.echoes("other"), _by(80), route("other", "other.test", "other"))
    answer = site.ask(host=HOST)
    assert (answer.status, answer.reason) == (502, "no-endpoints")
    assert site.ask(host="other.test").backend == "other"
    site.says("Ingress", "web", "Service", "does not exist")


def test_a_service_that_appears_is_served(site: Site) -> None:
    site.apply(_by(80))
    assert site.ask(host=HOST).status == 502
    site.apply(site.echoes("web"), _by(80))
    assert site.ask(host=HOST).backend == "web"


def test_a_service_without_endpoints_answers_502(site: Site) -> None:
    site.apply(service("web", service_port(80)), _by(80))
    answer = site.ask(host=HOST)
    assert (answer.status, answer.reason) == (502, "no-endpoints")


def test_services_of_other_namespaces_are_not_reached(site: Site) -> None:
    elsewhere = [{**each, "metadata": {**each["metadata"], "namespace": "elsewhere"}} for each in site.echoes("web")]
    site.apply(elsewhere, _by(80))
    assert site.ask(host=HOST).status == 502


def test_two_ingresses_share_a_service(site: Site) -> None:
    site.apply(site.echoes("web"), _by(80), route("again", "again.test", "web"))
    assert [site.ask(host=host).backend for host in (HOST, "again.test")] == ["web", "web"]


@pytest.mark.parametrize("speaks", ["", "http", "kubernetes.io/ws", "example.com/unheard-of"])
def test_other_application_protocols_are_plain_http(site: Site, speaks: str) -> None:
    site.apply(site.echoes("web", speaks=speaks), _by(80))
    assert site.ask(host=HOST).json["name"] == "web"


@pytest.mark.parametrize("speaks", ["https", "HTTPS", "kubernetes.io/wss"])
def test_a_backend_that_speaks_tls(site: Site, backends: Backends, speaks: str) -> None:
    secured = backends.http("secured", tls=certificates.server_context(certificates.pair("backend.test")))
    site.apply(behind("web", secured.port, speaks=speaks), _by(80))
    assert site.ask(host=HOST).backend == "secured"


def test_a_backend_that_speaks_http2_in_clear_text(site: Site, backends: Backends) -> None:
    site.apply(behind("web", http2_clear(backends), speaks="kubernetes.io/h2c"), _by(80))
    assert site.ask("/some/path?q=1", host=HOST).json["target"] == "/some/path?q=1"


def test_that_backend_is_not_reached_without_the_word(site: Site, backends: Backends) -> None:
    site.apply(behind("web", http2_clear(backends)), _by(80))
    assert site.ask(host=HOST).status == 502


@pytest.mark.parametrize("speaks", ["grpc", "kubernetes.io/h2c"])
def test_a_backend_that_speaks_grpc(site: Site, speaks: str) -> None:
    with grpc_backend() as port:
        site.apply(
            behind("web", port, speaks=speaks),
            route("web", HOST, "web", tls=[tls_for("pair", HOST)]),
            tls_secret("pair", certificates.pair(HOST)),
        )
        with grpc_client(site.gate.https, HOST) as channel:
            assert channel.unary_unary("/echo.Echo/Say")(b"hello") == b"said hello"


def test_one_dead_endpoint_among_several_is_passed_over(site: Site, backends: Backends) -> None:
    good, bad = backends.http("good"), backends.http("bad", hang_up)
    slices = [endpoints("web", "127.0.0.1", port=each.port, suffix=each.name) for each in (good, bad)]
    site.apply(service("web", service_port(80)), slices, _by(80))
    assert _answering(site) == {"good"}
    assert bad.connections, "it was tried, and its requests went to another peer"
