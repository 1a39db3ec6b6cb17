"""The one printer: every `{{ }}` of every template passes through `emit`.

Typed values are written as they are; plain text is quoted, or refused when quotes would not stop nginx from reading more into it.
So injection is prevented by construction, not by remembering. Nothing here knows a directive.
"""

import re
from collections.abc import Callable
from enum import Enum

from headgate.errors import Unprintable
from headgate.model.server import Endpoint, Match, Path
from headgate.model.values import (
    LONGEST,
    BufferCount,
    Comment,
    Duration,
    Expression,
    LocationText,
    Pattern,
    Size,
    Snippet,
    Word,
    is_text,
    trouble_in,
)

# Bare in nginx's syntax: no blank, quote, brace, semicolon, backslash, # or $. Dots and slashes are common, and read better bare.
_BARE = re.compile(r"[A-Za-z0-9_./:@%+,=*&!()\[\]^~|<>?-]+", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_./:=*@+-]+", re.ASCII)


def quoted(text: str) -> str:
    """Inside double quotes nginx reads a backslash and a quote as special, and nothing else; a tab is shown for people's sake."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


def _checked(text: str) -> str:
    if (trouble := trouble_in(text)) is not None:
        raise Unprintable(f"{text[:80]!r}: {trouble}")
    return text


def _text(value: str) -> str:
    if _is_bare(value):
        return value
    if "$" in value:
        raise Unprintable(f"a variable in plain text: {value[:80]!r}")
    return quoted(_checked(value))


def _is_bare(text: str) -> bool:
    return len(text) <= LONGEST and _BARE.fullmatch(text) is not None


def _live(value: Expression) -> str:
    return quoted(_checked(value.text))


def _pattern(value: Pattern) -> str:
    if not value.text:
        raise Unprintable("an empty regular expression")
    return quoted(_checked(value.text))


def _place(text: str) -> str:
    """nginx reads no variables in the text of a location, so `$` is a character like any other."""
    if not text.startswith("/"):
        raise Unprintable(f"a location that does not begin with /: {text[:80]!r}")
    return text if _is_bare(text) else quoted(_checked(text))


def _location_text(value: LocationText) -> str:
    return _place(value.text)


def _path(value: Path) -> str:
    if value.match is Match.PREFIX:
        return _place(value.text)
    if value.match is Match.EXACT:
        return f"= {_place(value.text)}"
    return f"{value.match.value} {_pattern(Pattern(value.text))}"


def _word(value: Word) -> str:
    if not _WORD.fullmatch(value.text):
        raise Unprintable(f"not one word: {value.text[:80]!r}")
    return _checked(value.text)


def _comment(value: Comment) -> str:
    return _checked(value.text)


def _snippet(value: Snippet) -> str:
    """As it stands, closed with a line end, so that a comment on its last line ends with it."""
    if not is_text(value.text):
        raise Unprintable("a NUL in a snippet, or no text at all")
    return value.text.rstrip("\r\n") + "\n"


def _boolean(value: bool) -> str:  # noqa: FBT001 - the value itself is what is printed
    return "on" if value else "off"


_PRINT: dict[type, Callable[..., str]] = {
    str: _text,
    int: str,
    bool: _boolean,
    Duration: str,
    Size: str,
    BufferCount: str,
    Endpoint: lambda value: _text(str(value)),
    Expression: _live,
    Pattern: _pattern,
    LocationText: _location_text,
    Path: _path,
    Word: _word,
    Comment: _comment,
    Snippet: _snippet,
}


def emit(value: object) -> str:
    """A value as nginx text."""
    if (how := _PRINT.get(type(value))) is not None:
        return how(value)
    if isinstance(value, Enum):
        return _word(Word(str(value.value)))
    raise TypeError(f"templates may not print {type(value).__name__}")
