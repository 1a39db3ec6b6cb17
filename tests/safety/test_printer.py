"""The printer by itself: any text whatever either is refused, or is the very word that nginx reads."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.api import Ref
from headgate.errors import Unprintable
from headgate.model.server import Endpoint, Match, Path
from headgate.model.values import Comment, Expression, LocationText, Pattern, Snippet, Word
from headgate.render.printer import emit
from tests.safety.amounts import Part, parts
from tests.safety.hostile import hostile
from tests.safety.tally import Tally
from tests.support.nginx_tokens import Directive, read

_AT_A_TIME = 10

# What is printed of a text, and the words that nginx must read there.
_PRINTED: tuple[tuple[Callable[[str], Any], Callable[[str], tuple[str, ...]]], ...] = (
    (str, lambda text: (text,)),
    (Expression, lambda text: (text,)),
    (Pattern, lambda text: (text,)),
    (LocationText, lambda text: (text,)),
    (Word, lambda text: (text,)),
    (Path, lambda text: (text,)),
    (lambda text: Path(text, Match.EXACT), lambda text: ("=", text)),
    (lambda text: Path(text, Match.REGEX), lambda text: ("~", text)),
    (lambda text: Path(text, Match.REGEX_ANY_CASE), lambda text: ("~*", text)),
    (lambda text: Endpoint(text, 80), lambda text: (f"[{text}]:80" if ":" in text else f"{text}:80",)),
)


def printed(value: object) -> str | None:
    try:
        return emit(value)
    except Unprintable:
        return None


@pytest.mark.parametrize("part", parts(0.55), ids=lambda part: str(part.number))
def test_a_text_is_refused_or_is_the_word_that_nginx_reads(part: Part, tally: Tally) -> None:
    @part.tried(at_a_time=_AT_A_TIME)
    @given(st.lists(hostile(), min_size=_AT_A_TIME, max_size=_AT_A_TIME))
    def holds(texts: list[str]) -> None:
        for text in texts:
            tally.note("text", accepted=sum(_holds(text)) > 0)

    holds()
    assert tally.accepted.total() > tally.tried.total() * 0.3


def _holds(text: str) -> list[bool]:
    """Which of the types print it; all of them at once, since one word too many shows wherever it is."""
    lines, expected, accepted = [], [], []
    for made, words in _PRINTED:
        found = printed(made(text))
        accepted.append(found is not None)
        if found is not None:
            lines.append(f"before {found} after;\n")
            expected.append(Directive(("before", *words(text), "after")))
    comment = printed(Comment(text))
    lines.append("" if comment is None else f"# {comment}\n")
    assert read("".join(lines)) == tuple(expected)
    return accepted


def test_a_variable_is_alive_only_where_it_was_asked_for() -> None:
    for text in ("$host", "${host}", "a$", "$1"):
        assert printed(text) is None
        assert printed(Expression(text)) == f'"{text}"'


@pytest.mark.parametrize(
    "text", ["a\nb", "a\rb", "a\0b", "a\x1bb", "a\x7fb", "a\x85b", "a\u2028b", "a\u2029b", "a\ud800b"]
)
def test_line_ends_and_control_characters_are_printed_nowhere(text: str) -> None:
    assert [made for made, _ in _PRINTED if printed(made(f"/{text}")) is not None] == []
    assert printed(Comment(text)) is None


def test_a_tab_is_printed_so_that_people_see_it() -> None:
    assert printed(Expression("a\tb")) == r'"a\tb"'


@pytest.mark.parametrize("worst", ["a", '"', "\\", "é", "\t"])
def test_the_longest_text_that_is_printed_is_one_that_nginx_reads(worst: str) -> None:
    for size in range(2, 2060):
        text = "/" + worst * ((size - 1) // len(worst.encode()))
        if (found := printed(Expression(text))) is None:
            assert size > 2046
        else:
            assert read(f"a {found} b;") == (Directive(("a", text, "b")),)


def test_a_snippet_ends_with_its_line() -> None:
    source = Ref("Ingress", "default", "web")
    assert printed(Snippet("# a", source)) == "# a\n"
    assert printed(Snippet("a;\r\n\r\n", source)) == "a;\n"
    assert printed(Snippet("a\0;", source)) is None


def test_what_has_no_type_of_its_own_is_not_printed() -> None:
    for value in (None, 1.5, b"a", ["a"], {"a": 1}, object()):
        with pytest.raises(TypeError):
            emit(value)
