"""One Ingress read whole: what rejects it, what is merely told, and what it looked at."""

from collections.abc import Sequence

from headgate.model.finding import Severity
from headgate.model.server import Answer, Host, PassByName
from headgate.model.settings import Settings
from headgate.model.translation import Translation
from headgate.translate import translate
from tests.support.manifests import (
    Manifest,
    behind,
    external_name,
    ingress,
    path,
    route,
    rule,
    service,
    service_port,
    tls_for,
    to,
)
from tests.unit.worlds import Said, world

WEB = behind("web", 8080, "10.0.0.1")
RESOLVER = Settings(resolver=("192.0.2.53",))


def read(*said: Said, settings: Settings = RESOLVER) -> Translation:
    return translate(world(*said), settings)


def told(translation: Translation) -> list[str]:
    return [finding.sentence() for finding in translation.findings]


def hosts(translation: Translation) -> list[str]:
    return [server.host.text for site in translation.model.shape.sites for server in site.servers]


def test_an_empty_host_wants_the_flag_and_is_told_its_name() -> None:
    strict = Settings(allow_empty_host=False)
    for bare in (ingress("shop", rule("", path("/", "web"))), ingress("shop", default=to("web"))):
        translation = read(bare, WEB, settings=strict)
        assert translation.model.shape.sites == ()
        (sentence,) = told(translation)
        assert "-allow-empty-ingress-host" in sentence
        assert read(bare, WEB).rejected == frozenset()


def test_an_empty_host_beside_others_rejects_the_whole_object() -> None:
    both = ingress("shop", rule("shop.test", path("/", "web")), rule("", path("/", "web")))
    translation = read(both, WEB, settings=Settings(allow_empty_host=False))
    assert hosts(translation) == []
    assert [ref.name for ref in translation.rejected] == ["shop"]


def test_every_mistake_is_named_at_once() -> None:
    bad = ingress(
        "shop",
        rule("Shop.test", path("foo", "web"), path("/a", "Web")),
        annotations={"nginx.org/keepalive": "x", "nginx.org/hsts": "y"},
        tls=[tls_for("No Secret", "shop.test")],
    )
    assert len([f for f in read(bad, WEB).findings if f.severity is Severity.ERROR]) >= 4


def test_a_missing_service_is_no_mistake_of_the_ingress() -> None:
    translation = read(route("shop", "shop.test", "gone"))
    assert hosts(translation) == ["shop.test"]
    assert translation.rejected == frozenset()
    assert "Service default/gone does not exist" in told(translation)[0]


def test_a_service_of_another_namespace_is_not_ours_to_use() -> None:
    other = [{**each, "metadata": {**each["metadata"], "namespace": "other"}} for each in WEB]
    assert "does not exist" in told(read(route("shop", "shop.test", "web"), other))[0]


def test_servers_go_by_host_whatever_the_order_in_the_object() -> None:
    rules = [rule(host, path("/", "web")) for host in ("b.test", "", "*.a.test", "a.test")]
    assert hosts(read(ingress("shop", *rules), WEB)) == ["", "a.test", "a.test", "b.test"]


def test_an_unused_default_backend_has_no_upstream_and_no_endpoints() -> None:
    model = read(route("shop", "shop.test", "web", default=to("rest")), WEB, behind("rest", 80)).model
    assert [upstream.name.split(".", 1)[1] for upstream in model.shape.sites[0].upstreams] == ["default.shop.web.80"]
    assert len(model.table.endpoints) == 1


def test_equal_backends_are_one_upstream() -> None:
    paths = [path(text, "web") for text in ("/a", "/b")]
    model = read(ingress("shop", rule("a.test", *paths), rule("b.test", *paths)), WEB).model
    assert len(model.shape.sites[0].upstreams) == 1


def test_an_external_name_wants_a_resolver() -> None:
    said = route("shop", "shop.test", "out"), external_name("out", "backend.example.org", 80)
    translation = read(*said, settings=Settings())
    assert "there is no resolver to ask: give one with --resolver" in told(translation)[0]
    assert isinstance(read(*said).model.shape.sites[0].servers[0].locations[0].target, PassByName)


def test_tls_for_a_host_without_a_rule_is_told() -> None:
    translation = read(route("shop", "shop.test", "web", tls=[tls_for("pair", "www.test")]), WEB)
    assert 'host "www.test" stands in no rule' in told(translation)[0]
    assert translation.model.shape.sites[0].servers[0].tls is None


def test_a_rule_without_paths_or_default_answers_itself() -> None:
    (site,) = read(ingress("shop", {"host": "shop.test"})).model.shape.sites
    (location,) = site.servers[0].locations
    assert location.target == Answer(404, "no-path")
    assert site.servers[0].host == Host("shop.test")


def _protocol(speaks: str, annotations: dict[str, str] | None = None) -> Sequence[object]:
    front = [service("web", service_port(80, speaks=speaks))]
    shop: Manifest = route("shop", "shop.test", "web", annotations=annotations)
    target = read(shop, front).model.shape.sites[0].servers[0].locations[0].target
    assert not isinstance(target, Answer)
    return target.protocol.value, target.websocket


def test_the_port_says_what_is_spoken() -> None:
    assert _protocol("") == ("http", False)
    assert _protocol("HTTPS") == ("https", False)
    assert _protocol("kubernetes.io/h2c") == ("grpc", False)
    assert _protocol("kubernetes.io/ws") == ("http", True)
    assert _protocol("wss") == ("https", True)
    assert _protocol("example.com/mine") == ("http", False)


def test_an_annotation_adds_to_what_the_port_says() -> None:
    assert _protocol("grpc", {"nginx.org/ssl-services": "web"}) == ("grpcs", False)
    assert _protocol("kubernetes.io/ws", {"nginx.org/ssl-services": "web"}) == ("https", True)
    assert _protocol("kubernetes.io/ws", {"nginx.org/grpc-services": "web"}) == ("grpc", False)
