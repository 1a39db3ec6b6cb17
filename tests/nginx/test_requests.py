"""How a request travels: protocols, headers, bodies, streams, connections that are kept, and peers that fail."""

import hashlib
from typing import Any

import pytest

from tests.support import certificates, client
from tests.support.backends import Backend, Backends, Exchange, hang_up
from tests.support.manifests import Manifest, endpoints, route, service, service_port, tls_for, tls_secret
from tests.support.site import Site

HOST = "web.test"
GRPC = {"nginx.org/grpc-services": "web"}
WEBSOCKET = {"nginx.org/websocket-services": "web"}


def _web(**more: Any) -> Manifest:
    return route("web", HOST, "web", **more)


def _secured(**more: Any) -> list[Manifest]:
    return [_web(tls=[tls_for("pair", HOST)], **more), tls_secret("pair", certificates.pair(HOST))]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
def test_a_method_arrives_as_it_was_sent(site: Site, method: str) -> None:
    site.apply(site.echoes("web"), _web())
    assert site.ask(host=HOST, method=method, body=b"body").json["method"] == method


def test_a_head_request_has_no_body(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    answer = site.ask(host=HOST, method="HEAD")
    assert (answer.status, answer.body) == (200, b"")


def test_a_connection_of_a_client_is_kept(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        assert [line.ask(f"/{number}", host=HOST).json["target"] for number in range(3)] == ["/0", "/1", "/2"]


def test_pipelined_requests_are_answered_in_order(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        line.send(b"".join(client.request(f"/{number}", host=HOST, keep=True) for number in range(3)))
        assert [line.read().json["target"] for _ in range(3)] == ["/0", "/1", "/2"]


def test_the_headers_that_a_backend_gets(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    answer = site.ask(host=f"{HOST}:{site.gate.http}")
    expected = {
        "Host": [HOST],
        "X-Real-IP": ["127.0.0.1"],
        "X-Forwarded-For": ["127.0.0.1"],
        "X-Forwarded-Host": [HOST],
        "X-Forwarded-Port": [str(site.gate.http)],
        "X-Forwarded-Proto": ["http"],
    }
    assert {name: answer.received(name) for name in expected} == expected


def test_the_headers_that_a_backend_gets_over_tls(site: Site) -> None:
    site.apply(site.echoes("web"), _secured())
    answer = site.ask_tls(host=HOST)
    assert answer.received("X-Forwarded-Proto") == ["https"]
    assert answer.received("X-Forwarded-Port") == [str(site.gate.https)]


def test_addresses_of_earlier_proxies_are_kept(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    forged = [("X-Forwarded-For", "203.0.113.7"), ("X-Real-IP", "203.0.113.7"), ("X-Forwarded-Host", "evil.test")]
    answer = site.ask(host=HOST, headers=forged)
    assert answer.received("X-Forwarded-For") == ["203.0.113.7, 127.0.0.1"]
    assert answer.received("X-Real-IP") == ["127.0.0.1"]
    assert answer.received("X-Forwarded-Host") == [HOST]


def test_other_headers_pass_both_ways(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    answer = site.ask("/?header=X-Answer:here", host=HOST, headers=[("X-Question", "where"), ("Cookie", "a=1; b=2")])
    assert answer.received("X-Question") == ["where"]
    assert answer.received("Cookie") == ["a=1; b=2"]
    assert answer.header("X-Answer") == "here"


@pytest.mark.parametrize("size", [0, 1, 5000, 900_000])
def test_a_body_arrives_whole(site: Site, size: int) -> None:
    async def digest(exchange: Exchange) -> None:
        await exchange.answer(200, hashlib.sha256(await exchange.body()).hexdigest().encode())

    body = bytes(number % 251 for number in range(size))
    site.apply(site.echoes("web", handler=digest), _web())
    assert site.ask(host=HOST, method="POST", body=body).body == hashlib.sha256(body).hexdigest().encode()


def test_a_chunked_body_arrives_whole(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        line.send(client.request(host=HOST, method="POST", headers=[("Transfer-Encoding", "chunked")]))
        line.send(b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
        assert line.read().json["body"] == "hello world"


def test_a_large_answer_arrives_whole(site: Site) -> None:
    async def large(exchange: Exchange) -> None:
        await exchange.answer(200, b"x" * 3_000_000)

    site.apply(site.echoes("web", handler=large), _web())
    assert len(site.ask(host=HOST).body) == 3_000_000


def test_a_client_that_asks_first_is_told_to_go_on(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        asking = [("Expect", "100-continue"), ("Content-Length", "5")]
        line.send(client.request(host=HOST, method="POST", headers=asking))
        assert line.read().status == 100
        line.send(b"hello")
        assert line.read().json["body"] == "hello"


def test_a_client_that_asks_first_is_spared_a_body_that_is_too_large(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        asking = [("Expect", "100-continue"), ("Content-Length", str(2 << 20))]
        line.send(client.request(host=HOST, method="POST", headers=asking))
        answer = line.read()
    assert (answer.status, answer.reason) == (413, "body-too-large")
    assert not site.backends["web"].seen


def test_a_body_above_a_megabyte_is_refused_with_a_reason(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        line.send(client.request(host=HOST, method="POST", headers=[("Content-Length", str((1 << 20) + 1))]))
        answer = line.read()
    assert (answer.status, answer.reason) == (413, "body-too-large")


def test_an_answer_streams_when_buffering_is_off(site: Site, backends: Backends) -> None:
    """Each piece reaches the client before the backend says the next."""
    heard = [backends.event() for _ in range(3)]

    async def drip(exchange: Exchange) -> None:
        await exchange.begin(200, ("Transfer-Encoding", "chunked"))
        for number, event in enumerate(heard):
            await exchange.chunk(b"piece %d\n" % number)
            await event.wait()
        await exchange.chunk(b"")

    site.apply(
        site.echoes("web", handler=drip), route("web", HOST, "web", annotations={"nginx.org/proxy-buffering": "false"})
    )
    with site.line() as line:
        line.send(client.request(host=HOST))
        for number, event in enumerate(heard):
            while f"piece {number}" not in line.read_line().decode():
                pass
            event.set()


def test_connections_to_a_backend_are_kept(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    for _ in range(20):
        site.ask(host=HOST)
    assert site.backends["web"].connections <= len(site.gate.workers()), "one for each worker at most"
    assert site.backends["web"].seen[-1].all("Connection") == []


def test_a_kept_connection_that_the_backend_closed_costs_no_request(site: Site) -> None:
    async def answer_once(exchange: Exchange) -> None:
        await exchange.answer(200, b"once")
        exchange.writer.close()

    site.apply(site.echoes("web", handler=answer_once), _web())
    assert {site.ask(host=HOST).status for _ in range(10)} == {200}


def _two(*pair: Backend) -> list[Manifest]:
    slices = [endpoints("web", "127.0.0.1", port=each.port, suffix=each.name) for each in pair]
    return [service("web", service_port(80)), *slices]


def test_a_request_is_tried_again_on_another_peer(site: Site, backends: Backends) -> None:
    good, bad = backends.http("good"), backends.http("bad", hang_up)
    site.apply(_two(good, bad), _web(annotations={"nginx.org/max-fails": "0"}))
    assert {site.ask(host=HOST).backend for _ in range(20)} == {"good"}
    assert len(bad.seen) > 1


def test_a_request_that_may_have_had_an_effect_is_not_tried_again(site: Site, backends: Backends) -> None:
    good, bad = backends.http("good"), backends.http("bad", hang_up)
    site.apply(_two(good, bad), _web(annotations={"nginx.org/max-fails": "0"}))
    statuses = [site.ask(host=HOST, method="POST", body=b"pay").status for _ in range(30)]
    assert set(statuses) == {200, 502}
    assert len(good.seen) + len(bad.seen) == 30


def test_an_answer_that_breaks_off_is_not_mended(site: Site) -> None:
    async def break_off(exchange: Exchange) -> None:
        await exchange.begin(200, ("Content-Length", "100000"))
        await exchange.send(b"half of it")
        exchange.cut()

    site.apply(site.echoes("web", handler=break_off), _web())
    with pytest.raises(ConnectionError):
        site.ask(host=HOST)
