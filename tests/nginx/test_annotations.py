"""Every row of the F5 dialect has its effect over the wire, and has it only where it was said."""

import re

import pytest

from headgate.dialects import ANNOTATIONS
from tests.nginx.conftest import Serve
from tests.nginx.effects import Effect, Side
from tests.nginx.proxy_effects import PROXY_EFFECTS
from tests.nginx.server_effects import SERVER_EFFECTS
from tests.support import client
from tests.support.backends import Backends
from tests.support.command import headgate
from tests.support.manifests import behind, ingress, path, route, rule
from tests.support.site import Site

FLAGS = ("--enable-snippets",)
EFFECTS = {**PROXY_EFFECTS, **SERVER_EFFECTS}
HOST = "web.test"


@pytest.mark.parametrize(("name", "effect"), EFFECTS.items(), ids=EFFECTS)
def test_an_annotation_has_its_effect_where_it_is_said(
    site: Site, backends: Backends, name: str, effect: Effect
) -> None:
    having, lacking = Side(site, "having", backends), Side(site, "lacking", backends)
    site.apply(
        effect.around(having),
        effect.around(lacking),
        effect.ingress(having, {name: effect.value, **effect.beside}),
        effect.ingress(lacking, effect.beside),
    )
    effect.contrast(having, lacking)


def test_every_row_is_asserted_here() -> None:
    assert {f"nginx.org/{name}" for name in EFFECTS} == set(ANNOTATIONS.rows)


def test_the_reference_page_has_every_row() -> None:
    page = headgate("docs", "annotations").stdout
    assert [name for name in ANNOTATIONS.rows if f"`{name}`" not in page] == []


def _web(**annotations: str) -> dict[str, str]:
    return {f"nginx.org/{key.replace('_', '-')}": value for key, value in annotations.items()}


def test_round_robin_takes_turns(site: Site, backends: Backends) -> None:
    one, two = (backends.http("x", address=address) for address in ("127.0.0.1", "127.0.0.2"))
    twin = backends.http("y", address="127.0.0.2", port=one.port)
    site.apply(
        behind("web", one.port, "127.0.0.1", "127.0.0.2"),
        route("web", HOST, "web", annotations=_web(lb_method="round_robin")),
    )
    answers = [site.ask(host=HOST).backend for _ in range(10)]
    assert {"".join(str(each) for each in answers[:2]), "".join(str(each) for each in answers[1:3])} == {"xy", "yx"}
    assert len(set(answers[::2])) == len(set(answers[1::2])) == 1
    assert len(one.seen) == len(twin.seen) == 5
    assert not two.seen


METHODS = ["round_robin", "least_conn", "ip_hash", "random", "random two", "random two least_conn"]
METHODS += ["hash $remote_addr", "hash ${remote_addr}$request_uri consistent"]


def test_every_balancing_method_is_taken_by_nginx(site: Site) -> None:
    site.apply(
        site.echoes("web"),
        [
            route(f"web-{number}", f"{number}.test", "web", annotations=_web(lb_method=method))
            for number, method in enumerate(METHODS)
        ],
    )
    assert [site.ask(host=f"{number}.test").status for number in range(len(METHODS))] == [200] * len(METHODS)


@pytest.mark.parametrize(
    ("how", "asked", "wins"),
    [
        ("case_sensitive", "/Item/42", None),
        ("case_sensitive", "/item/42/more", "web"),
        ("case_sensitive", "/before/item/42", None),
        ("case_insensitive", "/Item/42", "web"),
        ("case_insensitive", "/item/x", None),
    ],
)
def test_paths_as_regular_expressions(site: Site, how: str, asked: str, wins: str | None) -> None:
    web = ingress("web", rule(HOST, path("/item/\\d+", "web")), annotations=_web(path_regex=how))
    site.apply(site.echoes("web"), web)
    assert site.ask(asked, host=HOST).backend == wins


def test_path_regex_exact(site: Site) -> None:
    web = ingress("web", rule(HOST, path("/item", "web")), annotations=_web(path_regex="exact"))
    site.apply(site.echoes("web"), web)
    assert [site.ask(asked, host=HOST).backend for asked in ("/item", "/item/42", "/items")] == ["web", None, None]


def test_regular_expressions_are_tried_in_the_order_of_the_object(site: Site) -> None:
    paths = [path("/[a-z]+", "first"), path("/foo", "second")]
    site.apply(
        site.echoes("first", "second"),
        ingress("forwards", rule("forwards.test", *paths), annotations=_web(path_regex="case_sensitive")),
        ingress("backwards", rule("backwards.test", *reversed(paths)), annotations=_web(path_regex="case_sensitive")),
    )
    assert [site.ask("/foo", host=host).backend for host in ("forwards.test", "backwards.test")] == ["first", "second"]


@pytest.mark.parametrize(
    ("written", "rewrite", "asked", "arrives"),
    [
        ("/coffee", "/beans", "/coffee", "/beans"),
        ("/coffee", "/beans", "/coffee/", "/beans/"),
        ("/coffee", "/beans/", "/coffee/espresso", "/beans/espresso"),
        ("/coffee/", "/", "/coffee/espresso", "/espresso"),
        ("/coffee", "/", "/coffee/espresso", "/espresso"),
        ("/coffee", "/", "/coffee", "/"),
        ("/", "/v2/", "/espresso", "/v2/espresso"),
        ("/coffee", "/beans", "/coffee/a%20b?q=%20", "/beans/a%20b?q=%20"),
        ("/caf\u00e9", "/beans", "/caf%C3%A9/espresso", "/beans/espresso"),
    ],
)
def test_rewrites_replace_the_matched_part(site: Site, written: str, rewrite: str, asked: str, arrives: str) -> None:
    annotations = _web(rewrites=f"serviceName=web rewrite={rewrite}")
    site.apply(site.echoes("web"), route("web", HOST, "web", text=written, annotations=annotations))
    assert site.ask(asked, host=HOST).json["target"] == arrives


def test_rewrites_of_several_services(site: Site) -> None:
    site.apply(
        site.echoes("tea", "coffee"),
        ingress(
            "web",
            rule(HOST, path("/tea", "tea"), path("/coffee", "coffee")),
            annotations=_web(rewrites="serviceName=tea rewrite=/leaves/;serviceName=coffee rewrite=/beans/"),
        ),
    )
    targets = [site.ask(f"{asked}/x", host=HOST).json["target"] for asked in ("/tea", "/coffee")]
    assert targets == ["/leaves/x", "/beans/x"]


def test_a_header_that_we_send_anyway_is_replaced(site: Site) -> None:
    annotations = _web(proxy_set_headers="Host: inner.test,X-Forwarded-Proto: gopher, X-Own: a b")
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=annotations))
    answer = site.ask(host=HOST)
    received = [answer.received(name) for name in ("Host", "X-Forwarded-Proto", "X-Own")]
    assert received == [["inner.test"], ["gopher"], ["a b"]]
    assert answer.received("X-Real-IP") == ["127.0.0.1"], "the others stay"


def test_a_header_named_alone_passes_the_clients_own(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=_web(proxy_set_headers="X-Forwarded-Host")))
    answer = site.ask(host=HOST, headers=[("X-Forwarded-Host", "from-the-client")])
    assert answer.received("X-Forwarded-Host") == ["from-the-client"]


def test_a_redirect_by_forwarded_proto_names_no_port(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=_web(redirect_to_https="true")))
    answer = site.ask("/path?q=1", host=HOST, headers=[("X-Forwarded-Proto", "http")])
    assert (answer.status, answer.header("Location")) == (301, f"https://{HOST}/path?q=1")
    assert site.ask(host=HOST).received("X-Forwarded-Proto") == ["https"], "the balancer in front ended TLS"


def test_settings_hold_for_grpc_too(site: Site, backends: Backends) -> None:
    """Their nginx directives have other names there."""
    site.apply(
        behind("web", backends.deaf()),
        route("web", HOST, "web", annotations=_web(grpc_services="web", proxy_connect_timeout="200ms")),
    )
    assert site.ask(host=HOST).status == 504


WRONG = {
    "proxy-connect-timeout": "10 sec",
    "client-max-body-size": "10MB",
    "proxy-buffering": "on",
    "proxy-buffers": "8x4k",
    "lb-method": "best",
    "max-fails": "-1",
    "keepalive": "many",
    "hsts": "yes",
    "proxy-set-headers": "X-A: $remote_addr",
    "proxy-hide-headers": "X A",
    "rewrites": "web=/x",
    "path-regex": "fuzzy",
    "websocket-services": "unused",
    "grpc-services": "unused",
    "ssl-services": "unused",
}


@pytest.mark.parametrize(("name", "value"), WRONG.items(), ids=WRONG)
def test_a_wrong_value_rejects_its_ingress_and_no_other(site: Site, name: str, value: str) -> None:
    web = site.echoes("web")
    bad = route("bad", HOST, "web", annotations={f"nginx.org/{name}": value})
    site.apply(web, bad, route("good", "good.test", "web"))
    site.says("Ingress", "bad", f"nginx.org/{name}")
    assert site.ask(host=HOST).reason == "no-host"
    assert site.ask(host="good.test").backend == "web"


def test_a_wrong_value_leaves_the_accepted_version_serving(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, route("web", HOST, "web", annotations=_web(server_tokens="false")))
    site.apply(web, route("web", HOST, "web", text="/moved", annotations=_web(server_tokens="perhaps")))
    assert site.ask(host=HOST).header("Server") == "nginx"


def test_an_unknown_annotation_is_a_finding_with_the_nearest_name(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=_web(proxy_conect_timeout="10s")))
    site.says("Ingress", "web", "nginx.org/proxy-conect-timeout", "nginx.org/proxy-connect-timeout")
    assert site.ask(host=HOST).backend == "web", "it is served all the same"


def test_annotations_of_others_are_not_ours_to_judge(site: Site) -> None:
    others = {"example.com/proxy-conect-timeout": "x", "cert-manager.io/issuer": "letsencrypt"}
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=others))
    assert site.ask(host=HOST).backend == "web"
    assert not site.gate.lines(f"Ingress {site.namespace}/web", "annotation")


@pytest.mark.parametrize("name", ["server-snippets", "location-snippets"])
def test_snippets_are_refused_unless_they_are_switched_on(serve: Serve, backends: Backends, name: str) -> None:
    site = Site(serve().start(), backends)
    snippet = {f"nginx.org/{name}": "add_header X-Snippet here;"}
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=snippet))
    assert site.ask(host=HOST).reason == "no-host"
    site.says("Ingress", "web", f"nginx.org/{name}", "--enable-snippets")


def test_a_snippet_cannot_leave_its_block(site: Site) -> None:
    escape = 'return 204; } } server { server_name other.test; location / { return 200 "mine now";'
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=_web(location_snippets=escape)))
    site.says("Ingress", "web", "nginx.org/location-snippets")
    assert site.ask(host="other.test").reason == "no-host"


def test_the_longest_time_is_written_right(site: Site) -> None:
    site.apply(site.echoes("web"), route("web", HOST, "web", annotations=_web(proxy_read_timeout="1h 2m 3s 4ms")))
    assert site.ask(host=HOST).status == 200
    written = next((site.gate.state / "nginx" / "conf.d").glob(f"{site.namespace}-web*")).read_text()
    assert re.search(r"proxy_read_timeout\s+3723004ms;", written)


def test_http2_clients_get_the_same(site: Site, backends: Backends) -> None:
    effect = SERVER_EFFECTS["hsts"]
    side = Side(site, "having", backends)
    site.apply(effect.around(side), effect.ingress(side, {"hsts": "true"}))
    answer = client.ask_http2(site.gate.https, host=side.host)
    assert "max-age" in answer.headers["Strict-Transport-Security"]
