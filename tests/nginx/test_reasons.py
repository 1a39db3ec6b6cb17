"""Errors that nginx makes itself say why; a backend's own errors are the backend's own."""

import pytest

from tests.support import certificates, client, ports
from tests.support.backends import Backends, Exchange, hang_up
from tests.support.manifests import Manifest, behind, route, service, service_port, tls_for, tls_secret
from tests.support.site import Site

HOST = "web.test"
HSTS = {"nginx.org/hsts": "true", "nginx.org/hsts-behind-proxy": "true"}


def _web(**annotations: str) -> Manifest:
    spelled = {f"nginx.org/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return route("web", HOST, "web", text="/app", annotations=spelled)


def _outcome(answer: client.Answer) -> tuple[int, str | None]:
    return answer.status, answer.reason


async def _never(exchange: Exchange) -> None:
    await exchange.body()
    await exchange.reader.read()


def test_no_host(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    assert _outcome(site.ask(host="unknown.test")) == (404, "no-host")


def test_no_path(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    assert _outcome(site.ask("/elsewhere", host=HOST)) == (404, "no-path")


def test_no_endpoints(site: Site) -> None:
    site.apply(service("web", service_port(80)), _web())
    assert _outcome(site.ask("/app", host=HOST)) == (502, "no-endpoints")


def test_no_endpoints_for_grpc(site: Site) -> None:
    site.apply(
        service("web", service_port(80, speaks="grpc")),
        route("web", HOST, "web", tls=[tls_for("pair", HOST)]),
        tls_secret("pair", certificates.pair(HOST)),
    )
    assert client.ask_http2(site.gate.https, host=HOST).headers["X-Headgate-Reason"] == "no-endpoints"


def test_backend_unreachable(site: Site) -> None:
    site.apply(behind("web", ports.claim()), _web())
    assert _outcome(site.ask("/app", host=HOST)) == (502, "backend-unreachable")


def test_a_backend_that_hangs_up_is_unreachable(site: Site) -> None:
    site.apply(site.echoes("web", handler=hang_up), _web())
    assert _outcome(site.ask("/app", host=HOST)) == (502, "backend-unreachable")


def test_a_backend_whose_headers_do_not_fit_is_unreachable(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    assert _outcome(site.ask("/app?pad=20000", host=HOST)) == (502, "backend-unreachable")


def test_backend_timeout(site: Site) -> None:
    site.apply(site.echoes("web", handler=_never), _web(proxy_read_timeout="200ms"))
    assert _outcome(site.ask("/app", host=HOST)) == (504, "backend-timeout")


def test_backend_timeout_while_connecting(site: Site, backends: Backends) -> None:
    site.apply(behind("web", backends.deaf()), _web(proxy_connect_timeout="200ms"))
    assert _outcome(site.ask("/app", host=HOST)) == (504, "backend-timeout")


def test_body_too_large(site: Site) -> None:
    site.apply(site.echoes("web"), _web(client_max_body_size="1k"))
    assert _outcome(site.ask("/app", host=HOST, method="POST", body=b"x" * 1025)) == (413, "body-too-large")


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /%ZZ HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n",
        b"GET /../../etc HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: web.test\r\nX-Long: " + b"x" * 40_000 + b"\r\n\r\n",
        b"NON SENSE\r\n\r\n",
    ],
    ids=["a blank in the host", "no host", "half an escape", "above the root", "a header too long", "nonsense"],
)
def test_bad_request(site: Site, raw: bytes) -> None:
    site.apply(site.echoes("web"), _web())
    with site.line() as line:
        line.send(raw)
        assert _outcome(line.read()) == (400, "bad-request")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 502, 503, 504])
def test_a_backends_own_errors_carry_no_reason(site: Site, status: int) -> None:
    site.apply(site.echoes("web"), _web())
    answer = site.ask(f"/app?status={status}", host=HOST)
    assert (answer.status, answer.reason, answer.backend) == (status, None, "web")


def test_a_good_answer_carries_no_reason(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    assert _outcome(site.ask("/app", host=HOST)) == (200, None)


def test_a_backend_cannot_forge_a_reason_unseen(site: Site) -> None:
    """Its header passes as any other, so one may see both; ours stands only on our own errors."""
    site.apply(site.echoes("web"), _web())
    answer = site.ask("/app?header=X-Headgate-Reason:forged", host=HOST)
    assert answer.status == 200


def test_reasons_stand_where_a_server_adds_headers_of_its_own(site: Site) -> None:
    """In nginx an add_header in an inner block drops all that were inherited."""
    site.apply(site.echoes("web"), route("web", HOST, "web", text="/app", annotations=HSTS))
    answer = site.ask("/elsewhere", host=HOST, headers=[("X-Forwarded-Proto", "https")])
    assert _outcome(answer) == (404, "no-path")
    assert answer.header("Strict-Transport-Security")


def test_the_access_log_has_the_reason(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    site.ask("/logged-without-a-path", host=HOST)
    log = site.gate.state / "log" / "access.log"
    line = site.gate.until(
        lambda: [line for line in log.read_text().splitlines() if "/logged-without-a-path" in line], what="a log line"
    )[0]
    assert "no-path" in line


def test_the_access_log_has_the_object_and_the_service(site: Site) -> None:
    site.apply(site.echoes("web"), _web())
    site.ask("/app/logged-with-its-service", host=HOST)
    log = site.gate.state / "log" / "access.log"
    line = site.gate.until(
        lambda: [line for line in log.read_text().splitlines() if "/logged-with-its-service" in line], what="a log line"
    )[0]
    assert f"{site.namespace}/web" in line
