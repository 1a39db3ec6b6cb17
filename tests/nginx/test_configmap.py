"""The ConfigMap speaks for everybody: each key over the wire, what an Ingress says instead, and a ConfigMap that is bad.

Two gates stand side by side, so that the one with a key has one without it to be compared with.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from headgate.dialects import ANNOTATIONS, CONFIGMAP
from tests.nginx.effects import Effect, Side, shows
from tests.nginx.proxy_effects import PROXY_EFFECTS
from tests.nginx.server_effects import SERVER_EFFECTS
from tests.support import client
from tests.support.backends import Backends
from tests.support.gate import Gate
from tests.support.manifests import Manifest, configmap, route
from tests.support.site import Site

FLAGS = ("--configmap", "shared/nginx-config", "--enable-snippets")
HOST = "web.test"
MORE_WORKERS = (os.cpu_count() or 1) + 1


def _config(settings: Mapping[str, str]) -> Manifest:
    return configmap("nginx-config", settings, namespace="shared")


def _access_log(side: Side) -> bool:
    """Is a request logged in the words of the ConfigMap?"""
    side.ask("/logged")
    log = side.site.gate.state / "log" / "access.log"
    lines = side.site.gate.until(
        lambda: [line for line in log.read_text().splitlines() if "/logged" in line], what="a line in the access log"
    )
    return lines[-1] == "words of ours /logged 200"


def _warns_of_files(side: Side) -> bool:
    """A body that goes to a file is worth a warning in nginx's error log, before it is passed on."""
    assert side.ask("/worth-a-warning", method="POST", body=b"x" * 100_000).status == 200
    return bool(side.site.gate.nginx_lines("buffered to a temporary file", "/worth-a-warning"))


def _protocol(side: Side) -> str:
    return client.ask_http2(side.site.gate.https, host=side.host).http_version


def _has_more_workers(side: Side) -> bool:
    return len(side.site.gate.workers()) == MORE_WORKERS


def _open_files(side: Side) -> bool:
    limits = Path(f"/proc/{min(side.site.gate.workers())}/limits").read_text()
    return any(line.split()[:4] == ["Max", "open", "files", "777"] for line in limits.splitlines())


OWN: Mapping[str, Effect] = {
    "log-format": Effect("words of ours $uri $status", shows(_access_log, here=True, there=False)),
    "error-log-level": Effect("error", shows(_warns_of_files, here=False, there=True)),
    "http2": Effect("false", shows(_protocol, here="HTTP/1.1", there="HTTP/2"), tls=True),
    "worker-processes": Effect(str(MORE_WORKERS), shows(_has_more_workers, here=True, there=False)),
    "main-snippets": Effect("worker_rlimit_nofile 777;", shows(_open_files, here=True, there=False)),
}
ELSEWHERE = {"external-status-address"}  # nothing that nginx does: the status that a cluster is told
EFFECTS = {name: each for name, each in {**PROXY_EFFECTS, **SERVER_EFFECTS, **OWN}.items() if name in CONFIGMAP.rows}
SHARED = {name: effect for name, effect in EFFECTS.items() if f"nginx.org/{name}" in ANNOTATIONS.rows}


@pytest.fixture(scope="module")
def other_gate() -> Iterator[Gate]:
    gate = Gate(*FLAGS)
    try:
        yield gate.start()
    finally:
        gate.close()


@pytest.fixture
def other(other_gate: Gate, backends: Backends) -> Iterator[Site]:
    made = Site(other_gate, backends)
    yield made
    made.close()


@pytest.mark.parametrize(("name", "effect"), EFFECTS.items(), ids=EFFECTS)
def test_a_key_has_its_effect(site: Site, other: Site, backends: Backends, name: str, effect: Effect) -> None:
    having, lacking = Side(site, "web", backends), Side(other, "web", backends)
    site.apply(_config({name: effect.value, **effect.beside}), effect.around(having), effect.ingress(having, {}))
    other.apply(_config(effect.beside), effect.around(lacking), effect.ingress(lacking, {}))
    effect.contrast(having, lacking)


@pytest.mark.parametrize(("name", "effect"), SHARED.items(), ids=SHARED)
def test_an_ingress_overrules_the_configmap(site: Site, backends: Backends, name: str, effect: Effect) -> None:
    inheriting, overruling = Side(site, "inheriting", backends), Side(site, "overruling", backends)
    beside = {key: value for key, value in effect.beside.items() if ANNOTATIONS.rows[f"nginx.org/{name}"].needs}
    site.apply(
        _config({name: effect.value, **effect.beside}),
        effect.around(inheriting),
        effect.around(overruling),
        effect.ingress(inheriting, {}),
        effect.ingress(overruling, {name: effect.neutral, **beside}),
    )
    effect.contrast(inheriting, overruling)


def test_every_key_is_asserted_here() -> None:
    assert set(EFFECTS) | ELSEWHERE == set(CONFIGMAP.rows)


def test_a_key_that_goes_takes_its_effect_with_it(site: Site) -> None:
    web = [*site.echoes("web"), route("web", HOST, "web")]
    site.apply(_config({"server-tokens": "false"}), web)
    assert site.ask(host=HOST).header("Server") == "nginx"
    site.apply(_config({}), web)
    assert "/" in (site.ask(host=HOST).header("Server") or "")


def test_a_configmap_that_goes_leaves_the_defaults(site: Site) -> None:
    web = [*site.echoes("web"), route("web", HOST, "web")]
    site.apply(_config({"server-tokens": "false"}), web)
    site.apply(web)
    assert "/" in (site.ask(host=HOST).header("Server") or "")
    site.gate.says("ConfigMap shared/nginx-config", "does not exist")


def test_other_configmaps_are_not_read(site: Site) -> None:
    mine = configmap("nginx-config", {"server-tokens": "false"})
    site.apply(mine, site.echoes("web"), route("web", HOST, "web"))
    assert "/" in (site.ask(host=HOST).header("Server") or "")


def test_a_wrong_key_is_left_out_and_the_others_stand(site: Site) -> None:
    said = {"server-tokens": "false", "proxy-read-timeout": "in a while"}
    site.apply(_config(said), site.echoes("web"), route("web", HOST, "web"))
    assert site.ask(host=HOST).header("Server") == "nginx"
    site.gate.says("ConfigMap shared/nginx-config", "proxy-read-timeout", "in a while")


def test_an_unknown_key_is_a_finding_with_the_nearest_name(site: Site) -> None:
    site.apply(_config({"proxy-conect-timeout": "10s"}), site.echoes("web"), route("web", HOST, "web"))
    site.gate.says("ConfigMap shared/nginx-config", "proxy-conect-timeout", "did you mean proxy-connect-timeout")
    assert site.ask(host=HOST).backend == "web"


REFUSED = {
    "a snippet with a typo": {"server-snippets": "prxy_buffering off;"},
    "a main snippet with a typo": {"main-snippets": "wrker_rlimit_nofile 777;"},
    "an unknown variable": {"log-format": "$no_such_variable"},
    "buffers that do not fit together": {"proxy-buffer-size": "64k", "proxy-buffers": "2 4k"},
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_a_configmap_that_nginx_refuses_keeps_its_last_accepted_version(site: Site, refused: dict[str, str]) -> None:
    """As a whole: a key that is fine by itself is not taken from a version that is refused."""
    web = [*site.echoes("web"), route("web", HOST, "web")]
    site.apply(_config({"server-tokens": "false"}), web)
    site.apply(_config({**refused, "server-tokens": "true"}), web, route("new", "new.test", "web"))
    assert site.ask(host=HOST).header("Server") == "nginx"
    assert site.ask(host="new.test").backend == "web", "others go live all the same"
    site.gate.says("ConfigMap shared/nginx-config", "nginx refuses it", "keeps serving")


def test_a_refused_configmap_without_an_accepted_version_leaves_the_defaults(site: Site) -> None:
    web = [*site.echoes("web"), route("web", HOST, "web")]
    site.apply(web)
    site.apply(_config({"server-snippets": "prxy_buffering off;", "server-tokens": "false"}), web)
    assert site.ask(host=HOST).backend == "web"
    assert "/" in (site.ask(host=HOST).header("Server") or "")


def test_a_refused_configmap_that_is_mended_goes_live(site: Site) -> None:
    web = [*site.echoes("web"), route("web", HOST, "web")]
    site.apply(_config({"server-snippets": "prxy_buffering off;"}), web)
    site.apply(_config({"server-snippets": "proxy_buffering off;", "server-tokens": "false"}), web)
    assert site.ask(host=HOST).header("Server") == "nginx"
