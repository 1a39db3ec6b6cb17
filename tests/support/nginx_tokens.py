"""Read configuration text as nginx does: text in, a tree of directives out, or `Broken` in nginx's own words.

Written from nginx's rules alone and sharing nothing with the package, so that it can judge what the package prints;
`tests/safety/test_nginx_tokens.py` holds it against a real nginx. What surprises people: a quotation mark, `#` and `}` are
special only where a word begins; a backslash protects any character but stays in the word unless it stands before
`"`, `'`, `\\`, `t`, `r` or `n`; after `$` any number of `{` belong to the word.
"""

import re
from typing import NamedTuple

_BLANKS = re.compile(rb"(?:[ \t\r\n]+|#[^\n]*)*")
_COMMENT = re.compile(rb"#[^\n]*")
_BARE = re.compile(rb"(?:\\.|\$\{*|[^\\$ \t\r\n;{])+", re.DOTALL)
_QUOTED = {
    b'"': re.compile(rb'"((?:\\.|[^\\"])*)"', re.DOTALL),
    b"'": re.compile(rb"'((?:\\.|[^\\'])*)'", re.DOTALL),
}
_ESCAPE = re.compile(rb"""\\(["'\\trn])""")
_ESCAPED = {b"t": b"\t", b"r": b"\r", b"n": b"\n"}
_BUFFER = 4096  # bytes from where a word begins to the last byte that nginx must see to know that it ended


class Broken(Exception):
    """nginx would refuse the text, and say this."""


class Directive(NamedTuple):
    words: tuple[str, ...]
    block: "tuple[Directive, ...] | None" = None


def read(text: str | bytes) -> tuple[Directive, ...]:
    """A whole file."""
    reader = _Reader(text.encode(errors="surrogateescape") if isinstance(text, str) else text)
    return reader.directives(depth=0)


def first(text: bytes) -> str | None:
    """The name of the first directive; None when there is none. What follows it is not looked at."""
    words, end = _Reader(text).directive()
    if end == b"}":
        raise Broken('unexpected "}"')
    return words[0] if words else None


class _Reader:
    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0

    def directives(self, *, depth: int) -> tuple[Directive, ...]:
        found = []
        while True:
            words, end = self.directive()
            if end == b"{":
                found.append(Directive(words, self.directives(depth=depth + 1)))
            elif end == b";":
                found.append(Directive(words))
            elif end == b"}" and not depth:
                raise Broken('unexpected "}"')
            elif not end and depth:
                raise Broken('unexpected end of file, expecting "}"')
            else:
                return tuple(found)

    def directive(self) -> tuple[tuple[str, ...], bytes]:
        """Words and what ended them: `;`, `{`, `}`, or nothing at the end of the text."""
        words: list[str] = []
        while True:
            self._skip_blanks()
            c = self._peek()
            if c in (b";", b"{", b"}", b""):
                if c == b"" and words:
                    raise Broken('unexpected end of file, expecting ";" or "}"')
                if c and (c == b"}") == bool(words):
                    raise Broken(f'unexpected "{c.decode()}"')
                self._at += 1
                return tuple(words), c
            words.append(_unescaped(self._quoted(c) if c in _QUOTED else self._bare()))

    def _peek(self) -> bytes:
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        found = _BLANKS.match(self._text, self._at)
        assert found is not None
        for comment in _COMMENT.finditer(found[0]) if b"#" in found[0] else ():
            ends_file = found.end() == len(self._text) and comment.end() == len(found[0])
            if len(comment[0]) >= _BUFFER and not ends_file:
                raise Broken("too long parameter")
        self._at = found.end()

    def _bare(self) -> bytes:
        found = _BARE.match(self._text, self._at)
        if found is None or found.end() == len(self._text):
            self._check_length(self._at, len(self._text))
            raise Broken('unexpected end of file, expecting ";" or "}"')
        self._check_length(found.start(), found.end())
        self._at = found.end()
        return found[0]

    def _quoted(self, quote: bytes) -> bytes:
        found = _QUOTED[quote].match(self._text, self._at)
        if found is None:
            self._check_length(self._at + 1, len(self._text))
            raise Broken('unexpected end of file, expecting ";" or "}"')
        self._check_length(found.start() + 1, found.end())
        self._at = found.end()
        if (c := self._peek()) not in (b" ", b"\t", b"\r", b"\n", b";", b"{", b")", b""):
            raise Broken(f'unexpected "{c.decode(errors="surrogateescape")}"')
        return found[1]

    def _check_length(self, start: int, end: int) -> None:
        """nginx looks at one byte behind a word, and at one more when that is a blank, before it lets go of the word."""
        seen = end + 1 if self._text[end : end + 1] in (b" ", b"\t", b"\r", b"\n") else end
        if min(seen, len(self._text) - 1) - start >= _BUFFER:
            raise Broken("too long parameter")


def _unescaped(raw: bytes) -> str:
    if b"\\" in raw:
        raw = _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), raw)
    return raw.decode(errors="surrogateescape")
