"""nginx's page of counters."""

import pytest

from headgate.observability.nginx_status import Counters, parse

PAGE = b"Active connections: 291 \nserver accepts handled requests\n 16630948 16630946 31070465 \nReading: 6 Writing: 179 Waiting: 106 \n"


def test_a_page() -> None:
    found = parse(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + PAGE)
    assert found == Counters(291, 16630948, 16630946, 31070465, 6, 179, 106)


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 403 Forbidden\r\n\r\n" + PAGE, b"HTTP/1.1 200 OK\r\n\r\n" + PAGE[:-9]],
    ids=["nothing", "no page", "not allowed", "cut short"],
)
def test_no_page(answer: bytes) -> None:
    assert parse(answer) is None
