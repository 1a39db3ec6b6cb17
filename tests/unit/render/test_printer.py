"""The one printer: each type as nginx reads it, and everything else refused."""

from enum import Enum

import pytest

from headgate.api import Ref
from headgate.errors import Bug, Unprintable
from headgate.model.server import Endpoint, Match, Path
from headgate.model.values import (
    LONGEST,
    BufferCount,
    Comment,
    Duration,
    Expression,
    LocationText,
    LogLevel,
    Pattern,
    Size,
    Snippet,
    Word,
)
from headgate.render.printer import emit

SHOP = Ref("Ingress", "default", "shop")


class Odd(Enum):
    TWO_WORDS = "two words"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "on"),
        (False, "off"),
        (0, "0"),
        (42, "42"),
        (Duration(1500), "1500ms"),
        (Size(1 << 20), "1m"),
        (BufferCount(8, Size(4096)), "8 4k"),
        (LogLevel.WARN, "warn"),
        (Word("least_conn"), "least_conn"),
        (Endpoint("10.0.0.1", 80), "10.0.0.1:80"),
        (Endpoint("2001:db8::1", 80), "[2001:db8::1]:80"),
        # Text is bare where that is safe, and in quotes otherwise.
        ("shop.test", "shop.test"),
        ("http://a.b/c?d=e", "http://a.b/c?d=e"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a;b", '"a;b"'),
        ("a{b}", '"a{b}"'),
        ("a#b", '"a#b"'),
        ("it's", '"it\'s"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("C:\\dir", '"C:\\\\dir"'),
        ("café", '"café"'),
        # Variables live in expressions only.
        (Expression("https://$host$request_uri"), '"https://$host$request_uri"'),
        (Expression('"$a" \\'), '"\\"$a\\" \\\\"'),
        (Pattern("^/a\\.b{2}$"), '"^/a\\\\.b{2}$"'),
        (LocationText("/a"), "/a"),
        (LocationText("/$a b"), '"/$a b"'),
        (Path("/a"), "/a"),
        (Path("/a b", Match.EXACT), '= "/a b"'),
        (Path("^/a", Match.REGEX), '~ "^/a"'),
        (Path("^/a", Match.REGEX_ANY_CASE), '~* "^/a"'),
        (Comment("Ingress default/shop"), "Ingress default/shop"),
        (Snippet("return 200;", SHOP), "return 200;\n"),
        (Snippet("return 200; # why\n\n", SHOP), "return 200; # why\n"),
    ],
)
def test_how_it_is_printed(value: object, text: str) -> None:
    assert emit(value) == text


@pytest.mark.parametrize(
    "value",
    [
        "$host",
        "a${b}",
        "a\nb",
        "a\rb",
        "a\x00b",
        "a\x7fb",
        "a\x85b",
        "a\u2028b",
        "\ud800",
        "x" * (LONGEST + 1),
        "x y" * LONGEST,
        Expression("a\nb"),
        Expression("$a" * LONGEST),
        Pattern(""),
        Pattern("a\nb"),
        LocationText("a"),
        LocationText(""),
        LocationText("/a\nb"),
        Path("a", Match.EXACT),
        Path("", Match.REGEX),
        Word("two words"),
        Word("a;b"),
        Word("$a"),
        Word(""),
        Comment("a\nreturn 200;"),
        Snippet("a\x00", SHOP),
        Odd.TWO_WORDS,
        Endpoint("10.0.0.1;", 80).address + "\n",
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_nginx_could_read_as_something_else_is_refused(value: object) -> None:
    with pytest.raises(Unprintable) as caught:
        emit(value)
    assert isinstance(caught.value, Bug)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "value", [None, 1.5, b"bytes", ["a"], ("a",), {"a": 1}, SHOP, object()], ids=lambda value: type(value).__name__
)
def test_what_has_no_way_to_be_printed_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="templates may not print"):
        emit(value)
