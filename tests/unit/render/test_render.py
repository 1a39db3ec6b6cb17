"""A model printed whole: which files there are, whose each line is, and that one tenant never stops another."""

import pytest
from msgspec.structs import replace

from headgate.api import Ref
from headgate.dialects.values import unbalanced
from headgate.model.layout import Layout
from headgate.model.server import Host, Site
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.render import Rendering, RenderMemo, render
from headgate.translate import translate
from tests.support.certificates import pair
from tests.support.manifests import behind, configmap, endpoints, ingress, path, route, rule, tls_for, tls_secret
from tests.unit.translate.random_worlds import SETTINGS, Maker
from tests.unit.worlds import Said, world

SHOP, SETTINGS_MAP = Ref("Ingress", "default", "shop"), Ref("ConfigMap", "default", "settings")
WEB = behind("web", 8080, "10.0.0.1")
PAIR = pair("shop.test")


def model_of(*said: Said, snippets: bool = False) -> Model:
    return translate(world(*said), Settings(configmap=SETTINGS_MAP, snippets=snippets)).model


def printed(model: Model, memo: RenderMemo | None = None) -> Rendering:
    return render(model, SETTINGS.capabilities, Layout(tree="/tree"), memo=memo)


def test_the_files_of_a_site() -> None:
    files = printed(
        model_of(route("shop", "shop.test", "web", tls=[tls_for("pair", "shop.test")]), tls_secret("pair", PAIR), WEB)
    ).files.files
    assert sorted(files) == [
        "conf.d/_default-server.conf",
        "conf.d/default-shop.conf",
        "nginx.conf",
        "secrets/default-pair",
    ]
    assert files["secrets/default-pair"].secret
    assert "ssl_certificate /tree/secrets/default-pair;" in files["conf.d/default-shop.conf"].text


def test_a_hostless_site_takes_the_place_of_the_default_server() -> None:
    assert "conf.d/_default-server.conf" not in printed(model_of(route("shop", "", "web"), WEB)).files.files


def test_a_certificate_that_nobody_uses_is_not_written() -> None:
    files = printed(model_of(route("shop", "shop.test", "web"), tls_secret("pair", PAIR), WEB)).files.files
    assert not any(name.startswith("secrets/") for name in files)


def test_every_line_of_a_site_is_the_ingresss_but_for_the_heading() -> None:
    file = printed(model_of(route("shop", "shop.test", "web"), WEB)).files.files["conf.d/default-shop.conf"]
    lines = len(file.text.splitlines())
    assert [file.source_of_line(line) for line in range(1, lines + 1)] == [None, *[SHOP] * (lines - 1)]


@pytest.mark.parametrize(
    ("key", "line"),
    [("server-snippets", "add_header X-Everybody yes;"), ("location-snippets", "proxy_next_upstream off;")],
)
def test_a_snippet_of_the_configmap_is_its_own_in_everybodys_file(key: str, line: str) -> None:
    said = ingress("shop", rule("shop.test", path("/a", "web"), path("/b", "web")))
    file = printed(model_of(said, WEB, configmap("settings", {key: line}))).files.files["conf.d/default-shop.conf"]
    for number, text in enumerate(file.text.splitlines(), 1):
        if number > 1:
            assert file.source_of_line(number) == (SETTINGS_MAP if text == line else SHOP)


def test_a_snippet_of_the_ingress_is_the_ingresss() -> None:
    said = route("shop", "shop.test", "web", annotations={"nginx.org/location-snippets": "proxy_next_upstream off;"})
    model = model_of(said, WEB, configmap("settings", {"location-snippets": "deny all;"}), snippets=True)
    file = printed(model).files.files["conf.d/default-shop.conf"]
    at = file.text.splitlines().index("proxy_next_upstream off;") + 1
    assert file.source_of_line(at) == SHOP
    assert "deny all;" not in file.text


def test_nginx_conf_is_the_configmaps() -> None:
    model = model_of(configmap("settings", {"main-snippets": "env TZ;"}))
    file = printed(model).files.files["nginx.conf"]
    assert file.source_of_line(file.text.splitlines().index("env TZ;") + 1) == SETTINGS_MAP
    assert file.source == SETTINGS_MAP


def test_a_site_that_cannot_be_printed_is_left_out_and_blamed() -> None:
    model = model_of(route("shop", "shop.test", "web"), route("evil", "evil.test", "web"), WEB)
    sites = tuple(_poisoned(site) if site.source.name == "evil" else site for site in model.shape.sites)
    rendering = printed(replace(model, shape=replace(model.shape, sites=sites)))
    assert [blame.ref.name for blame in rendering.unprintable] == ["evil"]
    assert "conf.d/default-shop.conf" in rendering.files.files
    assert "conf.d/default-evil.conf" not in rendering.files.files


def _poisoned(site: Site) -> Site:
    return replace(site, servers=tuple(replace(server, host=Host("a;\n}")) for server in site.servers))


def test_an_unchanged_site_is_not_printed_again() -> None:
    memo = RenderMemo()
    before = printed(
        model_of(route("shop", "shop.test", "web"), route("tea", "tea.test", "web"), WEB), memo
    ).files.files
    moved = model_of(route("shop", "shop.test", "web"), route("tea", "green.test", "web"), WEB)
    after = printed(moved, memo).files.files
    assert after["conf.d/default-shop.conf"] is before["conf.d/default-shop.conf"]
    assert after["conf.d/default-tea.conf"] is not before["conf.d/default-tea.conf"]


def test_moved_endpoints_are_printed() -> None:
    memo = RenderMemo()
    shop = route("shop", "shop.test", "web")
    printed(model_of(shop, WEB), memo)
    moved = printed(model_of(shop, WEB[0], endpoints("web", "10.0.0.7", port=8080)), memo).files.files
    assert "server 10.0.0.7:8080;" in moved["conf.d/default-shop.conf"].text


def test_what_everybody_inherits_prints_everybody_again() -> None:
    memo = RenderMemo()
    shop = route("shop", "shop.test", "web", tls=[tls_for("pair", "shop.test")])
    printed(model_of(shop, tls_secret("pair", PAIR), WEB), memo)
    changed = model_of(shop, tls_secret("pair", PAIR), WEB, configmap("settings", {"http2": "false"}))
    assert "ssl;" in printed(changed, memo).files.files["conf.d/default-shop.conf"].text


def test_the_memo_forgets_what_is_gone() -> None:
    memo = RenderMemo()
    said = route("shop", "shop.test", "web", tls=[tls_for("pair", "shop.test")]), tls_secret("pair", PAIR)
    printed(model_of(*said, WEB), memo)
    printed(model_of(WEB), memo)
    assert (memo.sites, memo.secrets) == ({}, {})


@pytest.mark.parametrize("seed", range(20))
def test_no_model_prints_unbalanced_braces(seed: int) -> None:
    model = translate(world(Maker(seed).world()), SETTINGS).model
    for file in printed(model).files.files.values():
        assert file.secret or unbalanced(file.text) is None
        assert file.text == "".join(block.text for block in file.blocks)
        assert all(block.text.endswith("\n") for block in file.blocks)
