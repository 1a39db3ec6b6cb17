"""The grammars of F5's controller, value by value: what is accepted and as what, and what is refused.

The grammars are facts of NIC, taken over from its validators. Where we refuse more, it is because nginx itself would refuse the value, or because
one object's value would harm everybody; where we accept more, it is said beside the value.
"""

from collections.abc import Callable
from typing import Any

import pytest

from headgate.dialects import values
from headgate.model.options import Method, PathRegex, Rewrite
from headgate.model.values import BufferCount, Duration, Header, LogLevel, Size

Parser = Callable[[str], Any]
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000

ACCEPTED: list[tuple[Parser, str, Any]] = [
    # bool: Go's strconv.ParseBool
    *((values.boolean, text, True) for text in ("1", "t", "T", "TRUE", "true", "True")),
    *((values.boolean, text, False) for text in ("0", "f", "F", "FALSE", "false", "False")),
    # int, int64: an optional sign and digits
    (values.integer, "0", 0),
    (values.integer, "+7", 7),
    (values.integer, "-7", -7),
    (values.integer, "007", 7),
    # uint64: digits, no sign
    (values.unsigned, "0", 0),
    (values.unsigned, "999999999", 999_999_999),
    # keepalive: as int; a negative one behaves like 0
    (values.idle_connections, "32", 32),
    (values.idle_connections, "-5", 0),
    (values.idle_connections, "10000", 10_000),
    # time: y M w d h m s ms in this order, blanks between, a bare number at the end is seconds
    (values.duration, "0", Duration(0)),
    (values.duration, "30", Duration(30 * SECOND)),
    (values.duration, "30s", Duration(30 * SECOND)),
    (values.duration, " 30s ", Duration(30 * SECOND)),
    (values.duration, "1m 30", Duration(90 * SECOND)),
    (values.duration, "1m30s", Duration(90 * SECOND)),
    (values.duration, "1h 1m 1s 1ms", Duration(HOUR + MINUTE + SECOND + 1)),
    (values.duration, "500ms", Duration(500)),
    (values.duration, "1 500ms", Duration(1500)),
    (values.duration, "1500ms", Duration(1500)),
    (values.duration, "2d", Duration(2 * DAY)),
    (values.duration, "1w", Duration(7 * DAY)),
    (values.duration, "1M", Duration(30 * DAY)),
    (values.duration, "1y2M", Duration(425 * DAY)),
    (values.whole_seconds, "1m 30s", Duration(90 * SECOND)),
    (values.whole_seconds, "2000ms", Duration(2 * SECOND)),
    # size: digits and k or m; offset: g too
    (values.size, "0", Size(0)),
    (values.size, "4096", Size(4096)),
    (values.size, " 8k ", Size(8 << 10)),
    (values.size, "8K", Size(8 << 10)),
    (values.size, "1M", Size(1 << 20)),
    (values.offset, "2g", Size(2 << 30)),
    (values.offset, "2G", Size(2 << 30)),
    # proxy_buffers: a count, one blank, a size
    (values.buffer_count, "8 4k", BufferCount(8, Size(4096))),
    (values.buffer_count, " 16 1024 ", BufferCount(16, Size(1024))),
    # lb_method
    (values.balancing_method, "round_robin", Method()),
    (values.balancing_method, "least_conn", Method(("least_conn",))),
    (values.balancing_method, "ip_hash", Method(("ip_hash",))),
    (values.balancing_method, "random", Method(("random",))),
    (values.balancing_method, "random two", Method(("random", "two"))),
    (values.balancing_method, "random two least_conn", Method(("random", "two", "least_conn"))),
    (values.balancing_method, "hash $request_uri", Method(("hash",), key="$request_uri")),
    (values.balancing_method, "hash ${a}b consistent", Method(("hash",), key="${a}b", consistent=True)),
    # header_name_list: commas between, blanks trimmed
    (values.header_names, "X-One", ("X-One",)),
    (values.header_names, "X-One, x-two ,X3", ("X-One", "x-two", "X3")),
    # set_header_list: Name or Name:Value, split at the first colon
    (values.header_settings, "X-One", (Header("X-One"),)),
    (values.header_settings, "X-One: a b", (Header("X-One", "a b"),)),
    (values.header_settings, "X-One:", (Header("X-One", ""),)),
    (values.header_settings, "X-Url: http://a, X-Two", (Header("X-Url", "http://a"), Header("X-Two"))),
    (values.header_settings, r"X-Q: say \"hi\"", (Header("X-Q", r"say \"hi\""),)),
    # rewrite_list: semicolons between, items trimmed
    (values.rewrites, "serviceName=tea rewrite=/", (Rewrite("tea", "/"),)),
    (
        values.rewrites,
        "serviceName=tea rewrite=/a/b; serviceName=coffee rewrite=/c",
        (Rewrite("tea", "/a/b"), Rewrite("coffee", "/c")),
    ),
    # service_list: blanks around commas are forgiven here
    (values.services, "tea", ("tea",)),
    (values.services, "tea,coffee", ("tea", "coffee")),
    (values.services, "tea, coffee", ("tea", "coffee")),
    # enumerations
    (values.path_regex, "case_insensitive", PathRegex.CASE_INSENSITIVE),
    (values.log_level, "warn", LogLevel.WARN),
    # ConfigMap only
    (values.worker_processes, "auto", 0),
    (values.worker_processes, "4", 4),
    (values.log_format, "$remote_addr $status", ("$remote_addr $status",)),
    (values.log_format, "$a\n\n  $b\n", ("$a", " $b")),
    (values.log_format, "'$a '\n'$b'", ("$a ", "$b")),
    (values.snippet, "", ""),
    (values.snippet, "a { b; }", "a { b; }"),
]

REFUSED: list[tuple[Parser, str]] = [
    *((values.boolean, text) for text in ("", "yes", "on", "tRUE", " true", "2")),
    *((values.integer, text) for text in ("", "1.5", "1e3", "0x1", "--1", "1 ", "٣", "9" * 19)),
    *((values.unsigned, text) for text in ("", "-1", "+1", "1.0", "1" * 10)),
    *((values.idle_connections, text) for text in ("", "10001", "many", "1000000000000")),
    *(
        (values.duration, text)
        for text in ("", " ", "s", "5 seconds", "1s1m", "1.5s", "-1s", "5S", "1ms1s", "101y", "٣s", "1m;", "5s\n;x")
    ),
    *((values.whole_seconds, text) for text in ("", "500ms", "1s 1ms", "soon")),
    *((values.size, text) for text in ("", "k", "1g", "1kb", "-1", "1.5m", "1 k", "1" * 16, "٣")),
    *((values.offset, text) for text in ("", "1t", "1gb", "-1", "999999999999999g")),
    *((values.buffer_count, text) for text in ("", "8", "8  4k", "8 4g", "k 4k", "8 4k 2", "8\t4k", "-8 4k")),
    *(
        (values.balancing_method, text)
        for text in (
            "",
            "fastest",
            "hash",
            "hash  $a",
            "hash $a $b",
            "hash $a sometimes",
            "hash $a;b",
            "hash {",
            "hash $",
            'hash "$a"',
            "least_time header",
            "random two least_time=header",
            "random three",
            "ROUND_ROBIN",
        )
    ),
    *((values.header_names, text) for text in ("", "A,", ",A", "A B", "A:B", "A_B", "Ä", "A,,B")),
    *(
        (values.header_settings, text)
        for text in ("", "A,", "A: $b", 'A: "', "A: \\", "A_B: c", ": c", "A: b\nC: d", "A: \x7f")
    ),
    *(
        (values.rewrites, text)
        for text in (
            "",
            "serviceName=tea",
            "rewrite=/",
            "serviceName=tea rewrite=/a;",
            "serviceName=tea rewrite=a",
            "serviceName=tea rewrite=/$a",
            "serviceName=tea rewrite=/{a}",
            "serviceName=tea rewrite=/a=b",
            "serviceName=Tea rewrite=/a",
            "service=tea rewrite=/a",
        )
    ),
    *((values.services, text) for text in ("", "tea,", "Tea", "tea coffee", "tea;coffee", "-tea")),
    *((values.path_regex, text) for text in ("", "true", "Exact", "case_sensitive ")),
    *((values.log_level, text) for text in ("", "loud", "WARN")),
    *((values.worker_processes, text) for text in ("", "0", "-1", "many", "1.5", "10000")),
    *((values.log_format, text) for text in ("", " \n ", "a\x00b")),
    *((values.snippet, text) for text in ("}", "{", "a\x00", '"', "a {", "a } {", "location / { return 200; } }")),
]


@pytest.mark.parametrize(("parse", "text", "value"), ACCEPTED)
def test_accepted(parse: Parser, text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(("parse", "text"), REFUSED)
def test_refused_with_what_would_be_right(parse: Parser, text: str) -> None:
    with pytest.raises(ValueError, match=r".{10}") as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("parse", {parse for parse, *_ in ACCEPTED}, ids=lambda parse: parse.__qualname__)
def test_every_parser_says_in_the_reference_what_may_be_written(parse: Parser) -> None:
    assert parse.__doc__


@pytest.mark.parametrize(
    "text",
    [
        "",
        "add_header X y;",
        "if ($a = b) { return 403; }",
        "location / { location /a { return 200; } }",
        "# a } in a comment\n",
        "# it's a comment with an apostrophe\nreturn 200;",
        'add_header X "}{";',
        "add_header X '}\"{';",
        r'add_header X "a\"}";',
        "return 200 ${host};",
        "set $a b}c;",  # inside a word } is a character
        r"rewrite ^/a\{2\} /b;",
        "return 200 don't;",  # inside a word so is an apostrophe
        "return 200 a#b}c;",
        "a {}\n",
    ],
)
def test_balanced(text: str) -> None:
    assert values.unbalanced(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("}", "closes a block"),
        ("return 200; }", "closes a block"),
        ("a { b; } }", "closes a block"),
        ("}\nserver {", "closes a block"),
        ('add_header X "a"; } location /b { return 200', "closes a block"),
        ("# comment\n}", "closes a block"),
        ("a {", "never closed"),
        ("a { b {}", "never closed"),
        ('add_header X "a;', "quotation mark"),
        ("add_header X 'a;", "quotation mark"),
        (r'add_header X "a\";', "quotation mark"),
        ("set $a{ b;", "never closed"),  # a { ends the word and opens a block
    ],
)
def test_unbalanced(text: str, why: str) -> None:
    assert why in (values.unbalanced(text) or "")
