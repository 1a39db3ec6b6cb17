"""Say why a text is not YAML, in words that help: libyaml's complaint in, `ManifestError` out.

libyaml stops where it notices, which for a quote that is never closed is the end of the file. Here the line is the one
to look at: where the quote or the key began.
"""

from enum import Enum
from typing import Any

import yaml

from headgate.cluster.flaws import ManifestError, place_of


class _Place(Enum):
    STOPPED = "where libyaml noticed"
    BEGAN = "where the thing that it was reading began"


_TAB = "a tab is not allowed as indentation: use spaces"
_SENTENCES = {
    "mapping values are not allowed in this context": (
        _Place.STOPPED,
        "mapping values are not allowed here: check the indentation, and put a text with ': ' in it in quotes",
    ),
    "block sequence entries are not allowed in this context": (
        _Place.STOPPED,
        "a list may not begin here: put it on its own line",
    ),
    "found character that cannot start any token": (_Place.STOPPED, "a text cannot begin like this: put it in quotes"),
    "found a tab character that violates indentation": (_Place.STOPPED, _TAB),
    "found a tab character where an indentation space is expected": (_Place.STOPPED, _TAB),
    "found unexpected end of stream": (_Place.BEGAN, "the quote that opens here is never closed"),
    "found unknown escape character": (
        _Place.STOPPED,
        "no such escape: double the backslash, or use single quotes",
    ),
    "could not find expected ':'": (_Place.BEGAN, "the ':' after the key is missing"),
    "did not find expected key": (
        _Place.STOPPED,
        "a key is expected here: check the indentation (the mapping began on line LINE)",
    ),
    "did not find expected '-' indicator": (
        _Place.STOPPED,
        "a '-' is expected here: check the indentation (the list began on line LINE)",
    ),
    "did not find expected ',' or ']'": (_Place.STOPPED, "',' or ']' is expected here: '[' was opened on line LINE"),
    "did not find expected ',' or '}'": (_Place.STOPPED, "',' or '}' is expected here: '{' was opened on line LINE"),
    "did not find expected node content": (_Place.STOPPED, "a value is expected here"),
    "did not find expected <document start>": (
        _Place.STOPPED,
        "text after the end of the document: '---' begins a new one",
    ),
}


def in_words(why: yaml.YAMLError, text: bytes) -> ManifestError:
    if isinstance(why, yaml.reader.ReaderError):
        return ManifestError("a control character is not allowed here", *place_of(why.position, text))
    if not isinstance(why, yaml.MarkedYAMLError) or why.problem_mark is None:
        return ManifestError(str(why), 1, 1)
    stopped, began = why.problem_mark, why.context_mark or why.problem_mark
    place, sentence = _SENTENCES.get(str(why.problem), (_Place.STOPPED, str(why.problem)))
    if place is _Place.STOPPED and _rest(stopped, text).startswith("\t"):
        sentence = _TAB
    return at(began if place is _Place.BEGAN else stopped, sentence.replace("LINE", str(began.line + 1)), text)


def at(mark: Any, message: str, text: bytes) -> ManifestError:
    """A complaint about the place of a mark."""
    if "{{" in _rest(mark, text, column=0):
        message += "; '{{' looks like a template that was not rendered"
    return ManifestError(message, mark.line + 1, mark.column + 1)


def _rest(mark: Any, text: bytes, *, column: int | None = None) -> str:
    """The line of a mark, from there on."""
    lines = text.decode(errors="replace").splitlines()
    return lines[mark.line][mark.column if column is None else column :] if mark.line < len(lines) else ""
