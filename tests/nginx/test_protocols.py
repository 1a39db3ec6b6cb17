"""What is spoken: HTTP/2 and HTTP/1.1 over TLS, WebSocket and no other upgrade, gRPC."""

import ssl
from queue import SimpleQueue
from typing import Any

import aiohttp
import grpc
import pytest

from tests.support import certificates, client
from tests.support.backends import Backends
from tests.support.backends_grpc import grpc_backend, grpc_client
from tests.support.backends_websocket import websocket
from tests.support.manifests import Manifest, behind, route, service, service_port, tls_for, tls_secret
from tests.support.site import Site
from tests.support.websocket_client import converse

HOST = "web.test"
GRPC = {"nginx.org/grpc-services": "web"}
WEBSOCKET = {"nginx.org/websocket-services": "web"}


def _web(**more: Any) -> Manifest:
    return route("web", HOST, "web", **more)


def _secured(**more: Any) -> list[Manifest]:
    return [_web(tls=[tls_for("pair", HOST)], **more), tls_secret("pair", certificates.pair(HOST))]


def test_http2_is_spoken_over_tls(site: Site) -> None:
    site.apply(site.echoes("web"), _secured())
    answer = client.ask_http2(site.gate.https, "/path?q=1", host=HOST)
    assert (answer.http_version, answer.json()["target"]) == ("HTTP/2", "/path?q=1")


def test_http1_is_spoken_over_tls_to_those_who_want_it(site: Site) -> None:
    site.apply(site.echoes("web"), _secured())
    assert site.ask_tls("/path", host=HOST).json["target"] == "/path"


def test_a_plain_request_to_the_tls_port_is_a_bad_request(site: Site) -> None:
    site.apply(site.echoes("web"), _secured())
    assert client.ask(site.gate.https, host=HOST).status == 400


def test_a_tls_request_to_the_plain_port_is_refused(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with pytest.raises((ssl.SSLError, ConnectionError)):
        client.handshake(site.gate.http, HOST)


@pytest.mark.parametrize("tls", [False, True], ids=["ws", "wss"])
def test_a_websocket_by_annotation(site: Site, backends: Backends, *, tls: bool) -> None:
    backend = websocket(backends)
    made = _secured(annotations=WEBSOCKET) if tls else [_web(annotations=WEBSOCKET)]
    site.apply(behind("web", backend.port), made)
    port = site.gate.https if tls else site.gate.http
    assert converse(port, HOST, ["one", "two"], tls=tls) == ["echo one", "echo two"]


def test_a_websocket_by_application_protocol(site: Site, backends: Backends) -> None:
    backend = websocket(backends)
    site.apply(behind("web", backend.port, speaks="kubernetes.io/ws"), _web())
    assert converse(site.gate.http, HOST, ["one"]) == ["echo one"]


def test_a_websocket_over_tls_to_the_backend(site: Site, backends: Backends) -> None:
    backend = websocket(backends, tls=certificates.server_context(certificates.pair("backend.test")))
    site.apply(behind("web", backend.port, speaks="kubernetes.io/wss"), _web())
    assert converse(site.gate.http, HOST, ["one"]) == ["echo one"]


def test_a_websocket_service_answers_plain_requests_too(site: Site, backends: Backends) -> None:
    site.apply(site.echoes("web"), _web(annotations=WEBSOCKET))
    assert site.ask(host=HOST).backend == "web"
    for _ in range(10):
        site.ask(host=HOST)
    assert site.backends["web"].connections <= len(site.gate.workers()), "and keeps their connections"


def test_an_upgrade_is_not_passed_to_other_services(site: Site, backends: Backends) -> None:
    backend = websocket(backends)
    site.apply(behind("web", backend.port), _web())
    with pytest.raises(aiohttp.WSServerHandshakeError):
        converse(site.gate.http, HOST, ["one"])
    assert backend.upgrades == [""]


@pytest.mark.parametrize("annotations", [None, WEBSOCKET], ids=["plain service", "websocket service"])
@pytest.mark.parametrize("wish", ["h2c", "websocket, h2c", "TLS/1.0", "h2c, websocket"])
def test_no_other_upgrade_is_passed_on(site: Site, wish: str, annotations: dict[str, str] | None) -> None:
    """An upgrade to h2c would carry requests past every check that nginx makes."""
    site.apply(site.echoes("web"), _web(annotations=annotations))
    asking = [
        ("Upgrade", wish),
        ("Connection", "Upgrade, HTTP2-Settings"),
        ("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"),
    ]
    answer = site.ask(host=HOST, headers=asking)
    assert answer.received("Upgrade") == []
    assert "upgrade" not in " ".join(answer.received("Connection")).lower()


def test_a_websocket_outlives_a_reload(site: Site, backends: Backends) -> None:
    backend = websocket(backends)
    objects = [*behind("web", backend.port), _web(annotations=WEBSOCKET)]
    site.apply(objects)
    with site.line() as line:
        asking = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]
        line.send(client.request(host=HOST, headers=[*asking, ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]))
        assert line.read().status == 101
        site.apply(objects, route("more", "more.test", "web"))
        line.send(b"\x81\x83\x00\x00\x00\x00abc")  # a text frame, masked with zeros
        assert line.read_exactly(2 + len("echo abc"))[2:] == b"echo abc"


@pytest.mark.parametrize("tls", [False, True], ids=["grpc", "grpcs"])
def test_a_grpc_call(site: Site, *, tls: bool) -> None:
    with grpc_backend(certificates.pair("backend.test") if tls else None) as port:
        annotations = {**GRPC, "nginx.org/ssl-services": "web"} if tls else GRPC
        site.apply(behind("web", port), _secured(annotations=annotations))
        with grpc_client(site.gate.https, HOST) as channel:
            assert channel.unary_unary("/echo.Echo/Say")(b"hello") == b"said hello"


def test_a_grpc_stream_is_answered_word_by_word(site: Site) -> None:
    with grpc_backend() as port:
        site.apply(behind("web", port), _secured(annotations=GRPC))
        with grpc_client(site.gate.https, HOST) as channel:
            words: SimpleQueue[bytes | None] = SimpleQueue()
            answers = channel.stream_stream("/echo.Echo/Chat")(iter(words.get, None))
            for word in (b"one", b"two", b"three"):
                words.put(word)
                assert next(answers) == b"heard " + word
            words.put(None)


def test_a_grpc_failure_arrives_as_it_was_given(site: Site) -> None:
    with grpc_backend() as port:
        site.apply(behind("web", port), _secured(annotations=GRPC))
        with grpc_client(site.gate.https, HOST) as channel, pytest.raises(grpc.RpcError) as failed:
            channel.unary_unary("/echo.Echo/Fail")(b"")
    assert failed.value.code() is grpc.StatusCode.FAILED_PRECONDITION


def test_a_grpc_service_without_endpoints_is_unavailable(site: Site) -> None:
    site.apply(service("web", service_port(80)), _secured(annotations=GRPC))
    with grpc_client(site.gate.https, HOST) as channel, pytest.raises(grpc.RpcError) as failed:
        channel.unary_unary("/echo.Echo/Say")(b"", timeout=10)
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE


def test_a_large_grpc_message_is_not_refused(site: Site) -> None:
    with grpc_backend() as port:
        site.apply(behind("web", port), _secured(annotations=GRPC))
        with grpc_client(site.gate.https, HOST) as channel:
            assert len(channel.unary_unary("/echo.Echo/Say")(b"x" * 2_000_000)) > 2_000_000
