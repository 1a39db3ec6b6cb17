"""Values that know how to be written in an nginx configuration.

A number without a unit is a bug waiting, and a string without a type is an injection waiting: the printer
(`render/printer`) writes these types as they are and quotes or refuses everything else. They are made by the
parsers in `dialects/values` and by `translate`, which check first.
"""

import re
from enum import Enum
from typing import NewType

from msgspec import Struct

from headgate.api import Ref

UpstreamName = NewType("UpstreamName", str)

LONGEST = 2046  # bytes of one parameter: nginx takes 4093 between quotes, and each byte may need a backslash
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Can it be written to a file and read by a program in C?"""
    return _NO_TEXT.search(text) is None


def trouble_in(text: str) -> str | None:
    """Why this text cannot be one parameter in a configuration; None when it can. Parsers ask it, and so does the printer."""
    if _UNPRINTABLE.search(text):
        return "it holds a control character or a line end"
    return f"it is longer than {LONGEST} bytes" if len(text.encode()) > LONGEST else None


class Duration(Struct, frozen=True, gc=False, order=True):
    """A span of time, kept in milliseconds."""

    milliseconds: int

    def __str__(self) -> str:
        whole, rest = divmod(self.milliseconds, 1000)
        return f"{self.milliseconds}ms" if rest else f"{whole}s"


class Size(Struct, frozen=True, gc=False, order=True):
    """A number of bytes."""

    bytes: int

    def __str__(self) -> str:
        for unit, factor in (("g", 1 << 30), ("m", 1 << 20), ("k", 1 << 10)):
            if self.bytes and self.bytes % factor == 0 and (unit != "g"):
                return f"{self.bytes // factor}{unit}"
        return str(self.bytes)


class BufferCount(Struct, frozen=True, gc=False):
    """So many buffers of such a size."""

    count: int
    size: Size

    def __str__(self) -> str:
        return f"{self.count} {self.size}"


class Word(Struct, frozen=True, gc=False):
    """One bare word of nginx's own vocabulary; made from constants of ours, never from a user's text."""

    text: str

    def __str__(self) -> str:
        return self.text


class Expression(Struct, frozen=True, gc=False):
    """Text that may hold nginx variables. Printed in quotes; `$` is left alive on purpose."""

    text: str


class Pattern(Struct, frozen=True, gc=False):
    """A regular expression. Printed in quotes, never empty."""

    text: str


class Comment(Struct, frozen=True, gc=False):
    """A line for people; nginx reads nothing of it."""

    text: str


class LocationText(Struct, frozen=True, gc=False):
    """The text of a location, where nginx reads no variables: `$` is a character like any other."""

    text: str


class Snippet(Struct, frozen=True, gc=False):
    """Configuration text as a user wrote it. Exists only where snippets were switched on.

    `source` is whom to blame: a snippet of the ConfigMap stands in every tenant's file.
    """

    text: str
    source: Ref


class LogLevel(Enum):
    DEBUG = "debug"
    INFO = "info"
    NOTICE = "notice"
    WARN = "warn"
    ERROR = "error"
    CRIT = "crit"
    ALERT = "alert"
    EMERG = "emerg"


class Protocol(Enum):
    """How we speak to a backend."""

    HTTP = "http"
    HTTPS = "https"
    GRPC = "grpc"
    GRPCS = "grpcs"

    @property
    def is_grpc(self) -> bool:
        return self in (Protocol.GRPC, Protocol.GRPCS)


class Header(Struct, frozen=True, gc=False):
    """A header to set: the name and its value, or the client's own header of that name when value is None."""

    name: str
    value: str | None = None
