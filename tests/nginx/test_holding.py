"""A bad object keeps its last accepted self, whoever refused it; everybody else goes live in the same pass."""

import pytest

from tests.nginx.conftest import Serve
from tests.support.backends import Backends
from tests.support.manifests import Manifest, ingress, path, route, rule
from tests.support.site import Site

FLAGS = ("--enable-snippets",)
HOST = "web.test"

# Ways to be bad: rules of ours, an object of the wrong shape, and what only nginx can know.
_BY_RULES = {"nginx.org/proxy-read-timeout": "soon"}
_WITH_LINE = {"nginx.org/server-snippets": "prxy_buffering off;"}
_WITHOUT_LINE = {"nginx.org/location-snippets": "set $seen $no_such_variable;"}
_WHILE_MERGING = {"nginx.org/proxy-buffer-size": "64k", "nginx.org/proxy-buffers": "2 4k"}
_MISSING_FILE = {"nginx.org/server-snippets": "access_log /no/such/folder/access.log;"}
BAD = {
    "our rules": _BY_RULES,
    "nginx, with file and line": _WITH_LINE,
    "nginx, without a line": _WITHOUT_LINE,
    "nginx, when it merges": _WHILE_MERGING,
    "nginx, for want of a file": _MISSING_FILE,
}


def _misshapen(name: str, host: str) -> Manifest:
    made = ingress(name, rule(host))
    made["spec"]["rules"] = "a text where a list belongs"
    return made


def _web(host: str = HOST, name: str = "web", text: str = "/", annotations: dict[str, str] | None = None) -> Manifest:
    return route(name, host, "web", text=text, annotations=annotations)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_the_accepted_version_keeps_serving(site: Site, bad: dict[str, str]) -> None:
    web = site.echoes("web")
    site.apply(web, _web(text="/old"))
    site.apply(web, _web(text="/new", annotations=bad), _web("other.test", "other"))
    assert [site.ask(target, host=HOST).status for target in ("/old", "/new")] == [200, 404]
    assert site.ask(host="other.test").backend == "web", "others go live in the same pass"
    site.says("Ingress", "web", "keeps serving")


def test_an_object_of_the_wrong_shape_is_held_too(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _web())
    site.apply(web, _misshapen("web", HOST), _web("other.test", "other"))
    assert [site.ask(host=host).backend for host in (HOST, "other.test")] == ["web", "web"]
    site.says("Ingress", "web", "spec.rules", "keeps serving")


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_one_that_was_never_accepted_is_left_out(site: Site, bad: dict[str, str]) -> None:
    site.apply(site.echoes("web"), _web(annotations=bad), _web("other.test", "other"))
    assert site.ask(host=HOST).reason == "no-host"
    assert site.ask(host="other.test").backend == "web"
    site.says("Ingress", "web", "")


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_editing_lifts_the_hold(site: Site, bad: dict[str, str]) -> None:
    web = site.echoes("web")
    site.apply(web, _web(text="/old"))
    site.apply(web, _web(text="/new", annotations=bad))
    site.apply(web, _web(text="/new"))
    assert [site.ask(target, host=HOST).status for target in ("/old", "/new")] == [404, 200]


def test_deleting_lifts_the_hold_too(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _web())
    site.apply(web, _web(annotations=_WITH_LINE))
    site.apply(web)
    assert site.ask(host=HOST).reason == "no-host"


def test_what_serves_instead_still_follows_the_world(site: Site, backends: Backends) -> None:
    """The object is held, its Service is not: endpoints go on moving."""
    site.apply(site.echoes("web"), _web())
    site.apply(site.echoes("web"), _web(annotations=_WITH_LINE))
    old = site.backends["web"]
    site.apply(site.echoes("web"), _web(annotations=_WITH_LINE))
    assert site.ask(host=HOST).backend == "web"
    assert not old.seen, "the endpoint of before gets nothing any more"
    assert site.backends["web"].seen


def test_ten_bad_among_many_are_held_alone(site: Site) -> None:
    web = site.echoes("web")
    good = [_web(f"good-{number}.test", f"good-{number}") for number in range(40)]
    bad = [_web(f"bad-{number}.test", f"bad-{number}", annotations=_WITH_LINE) for number in range(10)]
    bad += [_web(f"odd-{number}.test", f"odd-{number}", annotations=_WITHOUT_LINE) for number in range(3)]
    site.apply(web, good, bad)
    assert {site.ask(host=f"good-{number}.test").status for number in range(40)} == {200}
    hosts = [f"bad-{number}.test" for number in range(10)] + [f"odd-{number}.test" for number in range(3)]
    assert {site.ask(host=host).reason for host in hosts} == {"no-host"}


def test_the_sentence_has_nginxs_words_and_the_place(site: Site) -> None:
    site.apply(site.echoes("web"), _web(annotations=_WITH_LINE))
    site.says("Ingress", "web", "nginx refuses it", "unknown directive", "prxy_buffering", "conf.d/")


def test_held_versions_outlive_headgate(serve: Serve, backends: Backends) -> None:
    gate = serve("--enable-snippets").start()
    site = Site(gate, backends)
    web = site.echoes("web")
    site.apply(web, _web(text="/old"), _web("rules.test", "rules"))
    site.apply(web, _web(text="/new", annotations=_WITH_LINE), _web("rules.test", "rules", annotations=_BY_RULES))
    assert gate.stop() == 0
    gate.start()
    assert [site.ask(target, host=HOST).status for target in ("/old", "/new")] == [200, 404]
    assert site.ask(host="rules.test").backend == "web"


def test_a_bad_object_does_not_stop_a_cold_start(serve: Serve, backends: Backends) -> None:
    gate = serve("--enable-snippets")
    site = Site(gate, backends)
    site.write_unwaited(
        site.echoes("web"),
        _web(annotations=_WITH_LINE),
        _web("odd.test", "odd", annotations=_WITHOUT_LINE),
        _web("rules.test", "rules", annotations=_BY_RULES),
        _web("good.test", "good"),
    )
    gate.start()
    assert [site.ask(host=host).backend for host in ("good.test", HOST, "odd.test", "rules.test")] == [
        "web",
        None,
        None,
        None,
    ]


def test_the_host_of_a_held_object_is_not_given_away(site: Site) -> None:
    """What serves is its accepted version, and that has the host."""
    both = site.echoes("web", "rival")
    site.apply(both, route("web", HOST, "web", created="2026-01-01T00:00:00Z"))
    held = route("web", HOST, "web", created="2026-01-01T00:00:00Z", annotations=_WITH_LINE)
    site.apply(both, held, route("rival", HOST, "rival", created="2026-02-01T00:00:00Z"))
    assert site.ask(host=HOST).backend == "web"


def test_a_path_of_a_held_version_does_not_leak(site: Site) -> None:
    both = site.echoes("web", "secret")
    site.apply(both, ingress("web", rule(HOST, path("/open", "web"))))
    edited = ingress("web", rule(HOST, path("/open", "web"), path("/new", "secret")), annotations=_WITHOUT_LINE)
    site.apply(both, edited)
    assert site.ask("/new", host=HOST).reason == "no-path"
