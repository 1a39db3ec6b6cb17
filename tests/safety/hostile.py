"""Strings that mean harm: everything that nginx, a shell, a terminal or a careless parser could read as more than text."""

from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

# Single characters and short pieces with a meaning somewhere; combined they make what nobody thought of.
PIECES: tuple[str, ...] = (
    '"', "'", ";", "{", "}", "$", "#", "\\", "\n", "\r", "\r\n", "\t", " ", "\0", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u2029",
    "\u00a0", "\ufeff", "\u202e", "\ud800", "\udfff", "😀", "é", "ß", "İ", "~", "=", "@", "*", "(", ")", "[", "]", "|", "^", "?", "+", ",",
    ":", "/", "//", "..", "/../", "%", "%00", "%0a", "%22", "%24", "%3B", "%5c", "%7B", "%7d", "%2f", "%C2%85", "%E2%80%A8", "%ff",
    "${", "${x}", "${{", "$host", "$1", "\\\\", '\\"', "\\n", "\\;", "*/", "-->", "{{", "}}", "{%", "`", "<", "a", "A", "0", "-", ".", "_",
)  # fmt: skip

# Whole attempts: close what is open, say something, and leave the rest well-formed.
PAYLOADS: tuple[str, ...] = (
    '"; } server { listen 1; } #', "'; } server { listen 1; } #", "; } server { listen 1; } #", "}\n}\n", "} } http { server { listen 1; } }",
    '";}location /x{return 200 "', "\\", 'a\\', '\\"', '\\";}#', "a\\\\", "${x", "${{}}", "$", "#", "# \n}", "\n", "\nreturn 200;\n", "\r\nreturn 200;",
    "a\u2028return 200;", "a\x85}", "/{", "/}", "/;", '/"', "/'", "/ ", "/$", "/$request_uri", "/${host}", "/\\", "/a\\", "/#", "/%0A}", "/%22;%7D",
    "~", "~ ^/", "= /", "^~ /", "@named", "~*", "*", "default_server", "unix:/run/x.sock", "http://127.0.0.1/", "off", "on", "include /etc/passwd;",
    "load_module x.so;", "x; include /etc/passwd", 'x" always; add_header Y "z', "a b", "a,b", "a;b", "a:b", "a=b", "../../etc/passwd", "/etc/passwd",
    "(?<headgate_reason>x)", "(?P<host>x)", "(?'args'x)", "/(?<http_upgrade>.*)", "[", "(", "(?", "/[", "/(a+)+$", "\\Q", "1" * 40, "-1", "1e9", "0x10",
    "1y                                                                x", "hash " + "$aaaaaaaa" * 12 + "!", "{{ 7 * 7 }}", "{% raw %}", "<script>",
    "xn--", "a..b", ".a", "-a", "*.*.a", "*", "127.0.0.1", "localhost", "::1", "[::1]", "0", "00", "\u0661", "true\n", "true;", " true", "1m;", "8 4k;", "8 4k 2k",
    "Ⓐ", "K", "ſ", "e\u0301", "a" * 64, "a" * 254, "9" * 400,
)  # fmt: skip

_LENGTHS = (60, 255, 256, 1000, 2046, 2047, 2048, 4094, 4097, 9000)


# To make a strategy costs Hypothesis more than to draw from it, so each is made once.
@cache
def hostile() -> SearchStrategy[str]:
    """One hostile string."""
    pieces = st.sampled_from(PIECES)
    payloads = st.sampled_from(PAYLOADS)
    mixed = st.lists(pieces, min_size=1, max_size=7).map("".join)
    wrapped = st.tuples(pieces, payloads, pieces).map("".join)
    long = st.tuples(pieces, st.sampled_from(_LENGTHS)).map(lambda made: made[0] * made[1])
    anything = st.text(st.characters(), max_size=10)
    return st.one_of(mixed, payloads, mixed, wrapped, mixed, anything, mixed, payloads, mixed, long)


@cache
def moulded(moulds: tuple[str, ...]) -> SearchStrategy[str]:
    """A hostile string in a shape that a parser wants: `/{}` for a path, `X-A: {}` for a header."""
    return st.tuples(st.sampled_from(moulds), hostile()).map(lambda made: made[0].replace("{}", made[1]))


@cache
def one_of(options: tuple[T, ...]) -> SearchStrategy[T]:
    return st.sampled_from(options)
