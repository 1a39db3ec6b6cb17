"""Effects on what a client meets first: redirects, names, paths, the protocol to a Service, and snippets."""

from collections.abc import Mapping

import aiohttp

from tests.nginx.effects import Effect, Side, shows
from tests.support import certificates
from tests.support.backends_http2 import http2_clear
from tests.support.backends_websocket import websocket
from tests.support.manifests import Manifest, behind
from tests.support.websocket_client import converse

HSTS = {"hsts": "true"}
_OVER_TLS_ELSEWHERE = [("X-Forwarded-Proto", "https")]


def _server(side: Side) -> bool:
    """Does the Server header tell the version?"""
    return "/" in (side.ask().header("Server") or "")


def _status_when_plain_elsewhere(side: Side) -> int:
    return side.ask(headers=[("X-Forwarded-Proto", "http")]).status


def _status_when_plain(side: Side) -> int:
    return side.ask().status


def _hsts(side: Side) -> str | None:
    return side.ask_tls().header("Strict-Transport-Security")


def _has_hsts(side: Side) -> bool:
    return _hsts(side) is not None


def _hsts_age(side: Side) -> str:
    return (_hsts(side) or "").partition(";")[0]


def _hsts_reaches_subdomains(side: Side) -> bool:
    return "includeSubDomains" in (_hsts(side) or "")


def _hsts_behind_proxy(side: Side) -> bool:
    return side.ask(headers=_OVER_TLS_ELSEWHERE).header("Strict-Transport-Security") is not None


def _target(side: Side) -> str:
    target: str = side.ask("/coffee/espresso?size=2").json["target"]
    return target


def _status_of_item(side: Side) -> int:
    return side.ask("/item42").status


def _upgrades(side: Side) -> bool:
    try:
        return converse(side.site.gate.http, side.host, ["one"]) == ["echo one"]
    except aiohttp.WSServerHandshakeError:
        return False


def _status_over_tls(side: Side) -> int:
    return side.ask_tls().status


def _body_of_snippet(side: Side) -> bytes:
    return side.ask("/snippet").body[:8]


def _snippet_header(side: Side) -> str | None:
    return side.ask().header("X-Snippet")


def _websocket(side: Side) -> list[Manifest]:
    return behind(side.service, websocket(side.stage).port)


def _http2(side: Side) -> list[Manifest]:
    return behind(side.service, http2_clear(side.stage))


def _secured(side: Side) -> list[Manifest]:
    context = certificates.server_context(certificates.pair("backend.test"))
    return behind(side.service, side.backend("secured", tls=context).port)


SERVER_EFFECTS: Mapping[str, Effect] = {
    "server-tokens": Effect("false", shows(_server, here=False, there=True), neutral="true"),
    "redirect-to-https": Effect(
        "true", shows(_status_when_plain_elsewhere, here=301, there=200), neutral="false"
    ),
    "ssl-redirect": Effect("false", shows(_status_when_plain, here=200, there=301), neutral="true", tls=True),
    "hsts": Effect("true", shows(_has_hsts, here=True, there=False), neutral="false", tls=True),
    "hsts-max-age": Effect(
        "100", shows(_hsts_age, here="max-age=100", there="max-age=2592000"), neutral="2592000", beside=HSTS, tls=True
    ),
    "hsts-include-subdomains": Effect(
        "true", shows(_hsts_reaches_subdomains, here=True, there=False), neutral="false", beside=HSTS, tls=True
    ),
    "hsts-behind-proxy": Effect(
        "true", shows(_hsts_behind_proxy, here=True, there=False), neutral="false", beside=HSTS
    ),
    "rewrites": Effect(
        "serviceName=SERVICE rewrite=/beans",
        shows(_target, here="/beans/espresso?size=2", there="/coffee/espresso?size=2"),
        path="/coffee",
    ),
    "path-regex": Effect(
        "case_sensitive",
        shows(_status_of_item, here=200, there=404),
        path="/item[0-9]+",
        kind="ImplementationSpecific",
    ),
    "websocket-services": Effect("SERVICE", shows(_upgrades, here=True, there=False), behind=_websocket),
    "grpc-services": Effect("SERVICE", shows(_status_over_tls, here=200, there=502), behind=_http2, tls=True),
    "ssl-services": Effect("SERVICE", shows(_status_when_plain, here=200, there=502), behind=_secured),
    "server-snippets": Effect(
        'location = /snippet { return 200 "snippet!"; }',
        shows(_body_of_snippet, here=b"snippet!", there=b'{"name":'),
        neutral="# nothing",
    ),
    "location-snippets": Effect(
        "add_header X-Snippet here;", shows(_snippet_header, here="here", there=None), neutral="# nothing"
    ),
}  # fmt: skip
