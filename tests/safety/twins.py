"""What a model must look like in print: a twin of it without a single dangerous string is printed, read, and its words put back.

Every string of the model that could mean harm is replaced by a harmless stand-in of its own; the twin is rendered, nginx's reading
of it is taken, and in that reading each stand-in is replaced by the string that it stands for. What nginx reads of the real
rendering must be exactly that: the same directives in the same places, and each word verbatim. So no directive can appear,
vanish or move because of what a string holds, and nothing of the templates is written down twice.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from headgate.model.options import Snippets
from headgate.model.shape import Model
from headgate.model.values import Snippet
from tests.support.nginx_tokens import Directive, read

_HARMLESS = re.compile(r"[A-Za-z0-9_./:-]{0,200}", re.ASCII)
_LEAD = re.compile(r"\^?/?")  # decides what a location means, so the stand-in has it too
_STAND_IN = re.compile(r"zq(\d+):?qz")
# Their numbers follow from the lengths of names.
_COMPUTED = frozenset({"server_names_hash_bucket_size", "server_names_hash_max_size"})


def mapped(value: Any, text: Callable[[str], str], snippet: Callable[[str], str], known: dict[int, Any]) -> Any:
    """The same value with every string replaced; equal strings stay equal, and what is shared stays shared."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, tuple):
        return tuple(mapped(each, text, snippet, known) for each in value)
    if isinstance(value, Mapping):
        pairs = ((mapped(key, text, snippet, known), mapped(each, text, snippet, known)) for key, each in value.items())
        return dict(pairs)
    if not isinstance(value, Struct):
        return value
    if (found := known.get(id(value))) is None:
        made = {}
        for name in value.__struct_fields__:
            each = getattr(value, name)
            is_snippet = isinstance(each, str) and isinstance(value, Snippet | Snippets)
            made[name] = snippet(each) if is_snippet else mapped(each, text, snippet, known)
        found = known[id(value)] = msgspec.structs.replace(value, **made)
    return found


class Twins:
    """A model and its harmless twin."""

    def __init__(self, model: Model) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self.twin: Model = mapped(model, self._stand_in, self._stand_in_snippet, {})
        self.files: dict[str, str] = {}  # where the twin's certificates are, and where the model's

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def _stand_in(self, text: str) -> str:
        if _HARMLESS.fullmatch(text):
            return text
        lead = _LEAD.match(text)
        assert lead is not None
        number = self._number(text[lead.end() :])
        return f"{lead[0]}zq{number}{':' if ':' in text else ''}qz"

    def _stand_in_snippet(self, text: str) -> str:
        """A directive in the place of all of them; one that adds a header if they do, since that changes what we add."""
        if not text.strip():
            return text
        name = "add_header" if "add_header" in text else "default_type"
        return f"{name} zq{self._number(text)}qz x;"

    def expected(self, directives: tuple[Directive, ...]) -> tuple[Directive, ...]:
        """The reading of the twin with the words of the model put back."""
        return tuple(made for each in directives for made in self._expected(each))

    def _expected(self, directive: Directive) -> tuple[Directive, ...]:
        words, block = directive
        if words[0].startswith("ssl_certificate"):
            return (Directive(tuple(self.files.get(word, word) for word in words)),)
        if len(words) == 3 and words[2] == "x" and (found := _STAND_IN.fullmatch(words[1])):
            return read_cached(closed(self._texts[int(found[1])]))
        restored = tuple(
            _STAND_IN.sub(self._escaped if _is_our_pattern(words[0], at, word) else self._verbatim, word)
            for at, word in enumerate(words)
        )
        return (Directive(restored, None if block is None else self.expected(block)),)

    def _verbatim(self, found: re.Match[str]) -> str:
        return self._texts[int(found[1])]

    def _escaped(self, found: re.Match[str]) -> str:
        return re.escape(self._verbatim(found))


def closed(snippet: str) -> str:
    """A snippet as it is printed: with one line end behind it, whatever was there."""
    return snippet.rstrip("\r\n") + "\n"


def _is_our_pattern(directive: str, at: int, word: str) -> bool:
    """Where plain text stands in a regular expression that we made."""
    return (directive == "rewrite" and at == 1) or (directive == "server_name" and word.startswith("~"))


def without_computed(directives: tuple[Directive, ...]) -> tuple[Directive, ...]:
    kept = []
    for words, block in directives:
        if words[0] in _COMPUTED:
            assert " ".join(words[1:]).isdecimal()
            kept.append(Directive(words[:1]))
        else:
            kept.append(Directive(words, None if block is None else without_computed(block)))
    return tuple(kept)


@lru_cache(maxsize=256)
def read_cached(text: str) -> tuple[Directive, ...]:
    """Most files are the same in every world."""
    return read(text)
