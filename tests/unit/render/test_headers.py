"""The headers that a backend gets: computed whole, since a level that sets one drops all that it would inherit."""

from headgate.model.values import Expression, Header
from headgate.render.headers import sent, sent_grpc

USUAL = ["Host", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto"]


def names(settings: tuple[tuple[str, object], ...]) -> list[str]:
    return [name for name, _ in settings]


def test_the_usual_ones_and_a_connection_that_stays_open() -> None:
    assert names(sent(None)) == [*USUAL, "Connection"]
    assert dict(sent(None))["Connection"] == ""


def test_a_websocket_passes_its_upgrade_through_our_maps() -> None:
    headers = dict(sent(None, websocket=True))
    assert headers["Upgrade"] == Expression("$headgate_upgrade")
    assert headers["Connection"] == Expression("$headgate_connection")


def test_what_the_user_sets_comes_first_and_replaces_the_usual() -> None:
    headers = sent((Header("X-Team", "shop"), Header("hOST", "inside.test")))
    assert headers[:2] == (("X-Team", "shop"), ("hOST", "inside.test"))
    assert names(headers).count("Host") == 0


def test_a_name_alone_passes_the_clients_own() -> None:
    assert dict(sent((Header("X-Trace-Id"),)))["X-Trace-Id"] == Expression("$http_x_trace_id")


def test_of_one_name_the_last_setting_counts() -> None:
    assert names(sent((Header("X-A", "1"), Header("x-a", "2")))).count("X-A") == 0
    assert dict(sent((Header("X-A", "1"), Header("x-a", "2"))))["x-a"] == "2"


def test_behind_a_load_balancer_that_ends_tls_the_backend_is_told_https() -> None:
    assert dict(sent(None, forwarded_tls=True))["X-Forwarded-Proto"] == "https"
    assert dict(sent(None))["X-Forwarded-Proto"] == Expression("$scheme")
    assert dict(sent_grpc(forwarded_tls=True))["X-Forwarded-Proto"] == "https"


def test_grpc_has_no_connection_header() -> None:
    assert names(sent_grpc()) == USUAL
