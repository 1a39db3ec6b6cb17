"""Parsers of spelled values: text in, a typed value out, or a `ValueError` that says what would have been right.

There is no separate validator. The docstring of a parser is its line in the reference page.
"""

import ipaddress
import re
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from headgate.model.options import Method, PathRegex, Rewrite
from headgate.model.values import BufferCount, Duration, Header, LogLevel, Size, is_text, trouble_in

E = TypeVar("E", bound=Enum)

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
# Patterns here can match a text in one way only: in two, a hostile text would keep one tenant's parser busy for hours.
_TIME = re.compile(
    r"(?:(?P<y>\d{1,15})y\s*)?(?:(?P<M>\d{1,15})M\s*)?(?:(?P<w>\d{1,15})w\s*)?(?:(?P<d>\d{1,15})d\s*)?"
    r"(?:(?P<h>\d{1,15})h\s*)?(?:(?P<m>\d{1,15})m(?!s)\s*)?(?:(?P<s>\d{1,15})(?:s|(?!\d*ms))\s*)?(?:(?P<ms>\d{1,15})ms)?",
    re.ASCII,
)
_DAY = 86_400_000
_MILLISECONDS = {
    "y": 365 * _DAY,
    "M": 30 * _DAY,
    "w": 7 * _DAY,
    "d": _DAY,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1_000,
    "ms": 1,
}
_LONGEST = 100 * 365 * _DAY
_SIZE = re.compile(r"(\d{1,15})([kKmM]?)", re.ASCII)
_OFFSET = re.compile(r"(\d{1,15})([kKmMgG]?)", re.ASCII)
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LARGEST = 1 << 50
_MOST_IDLE = (
    10_000  # a hundred million made nginx take a minute and all memory to load: one tenant would stop everybody
)
_HEADER_NAME = re.compile(r"[-A-Za-z0-9]+", re.ASCII)
_LONGEST_HEADER = 46  # what nginx's table of headers holds; for gRPC nothing can make it larger
_HEADER_VALUE = re.compile(r'([^"\\]|\\.)*')
_HASH_KEY = re.compile(r"(?:[A-Za-z0-9_.:/-]|\$[A-Za-z_][A-Za-z0-9_]*+|\$\{[A-Za-z_][A-Za-z0-9_]*\})+", re.ASCII)
_REWRITE_TARGET = re.compile(r"/[^\s{};$\\\"']*")
_LONGEST_TARGET = 1_000  # an upstream's name stands before it in one parameter
_DNS_NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*", re.ASCII
)
_SERVICE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)

METHODS: dict[str, tuple[str, ...]] = {
    "round_robin": (),
    "least_conn": ("least_conn",),
    "ip_hash": ("ip_hash",),
    "random": ("random",),
    "random two": ("random", "two"),
    "random two least_conn": ("random", "two", "least_conn"),
}


def boolean(text: str) -> bool:
    """`true` or `false`"""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("write true or false")


def integer(text: str) -> int:
    """a whole number"""
    if not re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
        raise ValueError("write a whole number, such as 32")
    return int(text)


def unsigned(text: str) -> int:
    """a whole number, 0 or more"""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise ValueError("write a whole number from 0 to 999999999")
    return int(text)


def idle_connections(text: str) -> int:
    """a whole number up to 10000"""
    number = integer(text)
    if number > _MOST_IDLE:
        raise ValueError(f"nginx sets memory aside for each of them: write a whole number up to {_MOST_IDLE}")
    return max(number, 0)


def duration(text: str) -> Duration:
    """a time with units, such as `10s`, `1m 30s` or `500ms`"""
    found = _TIME.fullmatch(text.strip())
    parts = {unit: int(number) for unit, number in (found.groupdict() if found else {}).items() if number}
    if not parts:
        raise ValueError("write a number with a unit, such as 10s")
    total = sum(number * _MILLISECONDS[unit] for unit, number in parts.items())
    if total > _LONGEST:
        raise ValueError("that is more than a hundred years: write a number with a unit, such as 10s")
    return Duration(total)


def whole_seconds(text: str) -> Duration:
    """a time in whole seconds, such as `10s` or `1m 30s`"""
    found = duration(text)
    if found.milliseconds % 1000:
        raise ValueError("nginx counts whole seconds here: write a number with a unit, such as 10s")
    return found


def _bytes(text: str, pattern: re.Pattern[str], right: str) -> Size:
    found = pattern.fullmatch(text.strip())
    if not found:
        raise ValueError(right)
    size = int(found[1]) * _FACTOR[found[2].lower()]
    if size > _LARGEST:
        raise ValueError(f"that is more than nginx can count: {right}")
    return Size(size)


def size(text: str) -> Size:
    """a number of bytes, with `k` or `m` behind it if wanted"""
    return _bytes(text, _SIZE, "write a number of bytes, such as 8k or 1m")


def offset(text: str) -> Size:
    """a number of bytes, with `k`, `m` or `g` behind it if wanted"""
    return _bytes(text, _OFFSET, "write a number of bytes, such as 8m or 1g; 0 means any")


def buffer_count(text: str) -> BufferCount:
    """a count and a size, such as `8 4k`"""
    count, _, each = text.strip().partition(" ")
    if not re.fullmatch(r"\d{1,6}", count, re.ASCII) or not _SIZE.fullmatch(each):
        raise ValueError("write a count and a size with one blank between, such as 8 4k")
    return BufferCount(int(count), size(each))


def balancing_method(text: str) -> Method:
    """`round_robin`, `least_conn`, `ip_hash`, `random`, `random two`, `random two least_conn`, `hash KEY` or
    `hash KEY consistent`"""
    text = text.strip()
    if text in METHODS:
        return Method(words=METHODS[text])
    words = text.split(" ")
    if words[0] == "hash" and len(words) in (2, 3) and (len(words) == 2 or words[2] == "consistent"):
        if not _HASH_KEY.fullmatch(words[1]) or trouble_in(words[1]):
            raise ValueError("the key of hash is made of letters, digits and variables, such as hash $request_uri")
        return Method(words=("hash",), key=words[1], consistent=len(words) == 3)
    if text.startswith(("least_time", "random two least_time")):
        raise ValueError("least_time needs NGINX Plus: write least_conn or random two least_conn")
    raise ValueError(f"write one of {', '.join(METHODS)}, hash KEY, hash KEY consistent")


def header_names(text: str) -> tuple[str, ...]:
    """header names, separated by commas"""
    right = "write names of letters, digits and dashes, with commas between"
    return tuple(_header_name(item.strip(), right) for item in text.split(","))


def _header_name(name: str, right: str) -> str:
    if len(name) > _LONGEST_HEADER:
        raise ValueError(f"a header name has more than {_LONGEST_HEADER} characters, which nginx cannot hold: {right}")
    if not _HEADER_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no header name: {right}")
    return name


def header_settings(text: str) -> tuple[Header, ...]:
    """`Name: value` pairs, separated by commas; a name alone passes on the client's own header"""
    return tuple(_header_setting(item) for item in text.split(","))


def _header_setting(item: str) -> Header:
    name, colon, value = (part.strip() for part in item.partition(":"))
    _header_name(name, "write Name: value pairs, with commas between")
    if not colon:
        return Header(name)
    if (trouble := trouble_in(value)) is not None:
        raise ValueError(f"the value of {name} cannot be sent: {trouble}")
    if "$" in value or not _HEADER_VALUE.fullmatch(value):
        raise ValueError(f"the value of {name} may hold no $ and no quotation mark without a backslash")
    return Header(name, value)


def rewrites(text: str) -> tuple[Rewrite, ...]:
    """`serviceName=NAME rewrite=/path` pairs, separated by semicolons"""
    return tuple(_rewrite(item.strip()) for item in text.split(";"))


def _rewrite(item: str) -> Rewrite:
    found = re.fullmatch(r"serviceName=([^=\s]+)\s+rewrite=([^=\s]+)", item)
    if not found or not _SERVICE.fullmatch(found[1]) or not _REWRITE_TARGET.fullmatch(found[2]):
        raise ValueError("write serviceName=NAME rewrite=/path, with semicolons between")
    if trouble_in(found[2]) or len(found[2].encode()) > _LONGEST_TARGET:
        raise ValueError(f"the path of a rewrite has at most {_LONGEST_TARGET} bytes and no control characters")
    return Rewrite(service=found[1], target=found[2])


def services(text: str) -> tuple[str, ...]:
    """names of Services that this Ingress uses, separated by commas"""
    names = tuple(item.strip() for item in text.split(","))
    if not all(_SERVICE.fullmatch(name) for name in names):
        raise ValueError("write names of Services that this Ingress uses, with commas between")
    return names


def one_of(kind: type[E]) -> Callable[[str], E]:
    """A parser of the words of an enumeration."""
    words = [str(member.value) for member in kind]

    def parse(text: str) -> E:
        if text not in words:
            raise ValueError(f"write one of {', '.join(words)}")
        return kind(text)

    parse.__doc__ = ", ".join(f"`{word}`" for word in words)
    return parse


path_regex = one_of(PathRegex)
log_level = one_of(LogLevel)


def address_or_name(text: str) -> str:
    """an IP address or a DNS name; empty is as if it were not there"""
    told = text.strip()
    try:
        return str(ipaddress.ip_address(told.replace("%", " ")))  # a zone means nothing to anybody else
    except ValueError:
        if told and (not _DNS_NAME.fullmatch(told) or told.rpartition(".")[2].isdigit()):
            raise ValueError("write an IP address or a DNS name, such as 203.0.113.7 or lb.example.com") from None
        return told


def worker_processes(text: str) -> int:
    """a number of processes, or `auto`"""
    if text.strip() == "auto":
        return 0
    if not re.fullmatch(r"[1-9]\d{0,3}", text.strip(), re.ASCII):
        raise ValueError("write a number of processes, or auto")
    return int(text)


def log_format(text: str) -> tuple[str, ...]:
    """a log line, which may be spread over several lines; variables are allowed"""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    pieces = tuple(_piece(line, first=at == 0) for at, line in enumerate(lines))
    if not pieces:
        raise ValueError("write a log line with variables, such as $remote_addr $status")
    if (trouble := next(filter(None, map(trouble_in, pieces)), None)) is not None:
        raise ValueError(f"a line of it cannot be printed: {trouble}")
    return pieces


def _piece(line: str, *, first: bool) -> str:
    """nginx joins pieces as they are: what came on a line of its own gets a blank, what came in quotes says its own."""
    if len(line) > 1 and line[0] == line[-1] == "'":
        return line[1:-1]
    return line if first else f" {line}"


def snippet(text: str) -> str:
    """lines of nginx configuration"""
    if not is_text(text):
        raise ValueError("a snippet holds text only, and no NUL")
    if (trouble := unbalanced(text)) is not None:
        raise ValueError(trouble)
    return text


def unbalanced(text: str) -> str | None:
    """What is wrong with the braces and quotes of configuration text; None when it stays inside its own block.

    nginx's own reader decides in the end. This is here so that a snippet of one object cannot close the block it stands in
    and open another host's: such text would be a valid file.
    """
    depth, at, in_word, in_directive = 0, 0, False, False
    while at < len(text):
        c = text[at]
        at += 1
        if c == "#" and not in_word:
            at = end if (end := text.find("\n", at)) >= 0 else len(text)
        elif c in " \t\r\n":
            in_word = False
        elif c in ";{" or (c == "}" and not in_word):
            depth += {"{": 1, "}": -1}.get(c, 0)
            if depth < 0:
                return "a } closes a block that the snippet did not open"
            in_word = in_directive = False
        else:
            if c in "\"'" and not in_word:
                at = _end_of_quote(text, at - 1)
                if at < 0:
                    return f"a quotation mark {c} is never closed"
            elif c == "\\":
                at += 1
            elif c == "$":
                while text.startswith("{", at):  # to nginx they are all part of the word
                    at += 1
            in_word = in_directive = True
    if in_directive:
        return "the last directive is not closed with ; or a block"
    return "a { is never closed" if depth else None


def _end_of_quote(text: str, at: int) -> int:
    """The position behind the quoted string that begins at `at`; -1 when it has no end."""
    quote, at = text[at], at + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == quote:
            return at + 1
        at += 1
    return -1
