"""Go's way with flags, which manifests written for F5's controller rely on: argv in, flag → text and what is left over out.

One dash or two, `-flag=value` or `-flag value`; a bool takes its value only behind `=`. The first word that is no flag ends the
flags, those behind it included. `Kind` reads the text of one flag by Go's rules.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from headgate.errors import HeadgateError

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_OCTAL = re.compile(r"([+-]?)0([0-7_]+)", re.ASCII)
_SPAN = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_LARGEST = 1 << 63


class WrongUsage(HeadgateError):
    """The command line cannot be read: usage, and exit code 2."""


class HelpWanted(HeadgateError):
    """`-h` or `-help`."""


class Kind(Struct, frozen=True):
    """How the text of a flag is read, before anyone asks whether the value makes sense."""

    name: str
    read: Callable[[str], Any]  # raises ValueError that says what would be right
    is_bool: bool = False


class Split(Struct, frozen=True):
    """The last text given for each flag, and the words behind the flags."""

    texts: dict[str, str]
    rest: tuple[str, ...]


def split(argv: Sequence[str], kinds: Mapping[str, Kind]) -> Split:
    texts: dict[str, str] = {}
    words = list(argv)
    while words and len(words[0]) > 1 and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        name, equals, text = word.removeprefix("-").removeprefix("-").partition("=")
        kind = _kind_of(name, word, kinds)
        if not equals and kind.is_bool:
            text = "true"
        elif not equals:
            if not words:
                raise WrongUsage(f"-{name} wants a value: write -{name}=VALUE")
            text = words.pop(0)
        texts[name] = text
    return Split(texts, tuple(words))


def _kind_of(name: str, word: str, kinds: Mapping[str, Kind]) -> Kind:
    if not name or name.startswith("-"):
        raise WrongUsage(f"{word} is no flag: write -flag=value")
    if name in kinds:
        return kinds[name]
    if name in ("h", "help"):
        raise HelpWanted
    near = get_close_matches(name, kinds, n=1, cutoff=0.7)
    raise WrongUsage(f"there is no flag -{name}" + (f"; did you mean -{near[0]}?" if near else ""))


def _boolean(text: str) -> bool:
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError("write true or false")


def _integer(text: str) -> int:
    right = "write a whole number, such as 8080"
    octal = _OCTAL.fullmatch(text)
    try:
        number = int(f"{octal[1]}0o{octal[2]}" if octal else text, 0)
    except ValueError:
        raise ValueError(right) from None
    if not text.isascii() or text != text.strip() or not -_LARGEST <= number < _LARGEST:
        raise ValueError(right)
    return number


def _duration(text: str) -> float:
    """Seconds. Go knows hours, minutes, seconds and what is smaller, and wants the unit."""
    spans = _SPAN.findall(text)
    if text != "0" and (not spans or "".join(number + unit for number, unit in spans) != text.removeprefix("+")):
        raise ValueError("write a number with a unit, such as 5s, 500ms or 1m30s")
    return sum(float(number) * _SECONDS[unit] for number, unit in spans)


def _text(text: str) -> str:
    return text


BOOL = Kind("bool", _boolean, is_bool=True)
INT = Kind("int", _integer)
STRING = Kind("string", _text)
DURATION = Kind("duration", _duration)
