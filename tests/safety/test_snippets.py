"""Snippets are the one raw thing. One that is accepted stays inside the block in which it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.api import Ref
from headgate.dialects import read_annotations, read_configmap
from headgate.dialects.values import unbalanced
from headgate.model.values import Snippet, is_text
from headgate.render.printer import emit
from tests.safety.amounts import Part, parts
from tests.safety.hostile import hostile, moulded
from tests.safety.rows import SPELLINGS
from tests.safety.tally import Tally
from tests.support.nginx_tokens import Broken, Directive, read

_AT_A_TIME = 10
_SENTINEL = Directive(("sentinel",))
_SYNTAX = [
    "a",
    " ",
    "\n",
    "\r",
    "\t",
    ";",
    "{",
    "}",
    "a;",
    "a {",
    '"',
    "'",
    "\\",
    "$",
    "${",
    "${{",
    "#",
    ")",
    "(",
    "b",
    "a b;",
    "\u2028",
    "\x85",
]

_TEXTS = st.one_of(
    st.lists(st.sampled_from(_SYNTAX), min_size=1, max_size=12).map("".join),
    moulded(SPELLINGS["server-snippets"].moulds),
    hostile(),
)


@pytest.mark.parametrize("part", parts(0.1), ids=lambda part: str(part.number))
def test_an_accepted_snippet_stays_inside_its_block(part: Part, tally: Tally) -> None:
    @part.tried(at_a_time=_AT_A_TIME)
    @given(st.lists(_TEXTS, min_size=_AT_A_TIME, max_size=_AT_A_TIME))
    def holds(texts: list[str]) -> None:
        for text in texts:
            tally.note("snippet", accepted=_holds(text))

    holds()
    assert tally.accepted.total() > tally.tried.total() * 0.1


def _holds(text: str) -> bool:
    if not is_text(text):
        return False
    accepted = unbalanced(text) is None
    printed = emit(Snippet(text, Ref("Ingress", "default", "web")))
    try:
        alone = read(printed)
    except Broken:
        _hold_broken(printed, accepted=accepted)
        return accepted
    assert accepted, "what nginx reads as whole directives is not refused"
    assert read(_around(printed)) == (Directive(("server",), (*alone, _SENTINEL)),)
    return True


def _around(printed: str) -> str:
    return f"server {{\n{printed}    sentinel;\n}}\n"


def _hold_broken(printed: str, *, accepted: bool) -> None:
    """Text that nginx cannot read, but that we accepted, nginx still cannot read in its place."""
    if accepted:
        with pytest.raises(Broken):
            read(_around(printed))


@pytest.mark.parametrize(
    "text",
    [
        "} server { listen 1;", "a ${{; }", "a ${{; } server { b ${{}};", "a", "a \\", "a; \\", "a; \\\r", "a {", "a; }", '"a', "a '", "# a\n}", "a; b",
        "a $\\{; }", 'a "${"; }', "a;} b {", "\\", "a { b; ", "a\\;",
    ],
)  # fmt: skip
def test_text_that_would_leave_its_block_is_refused(text: str) -> None:
    assert unbalanced(text) is not None
    for reading in (
        read_annotations({"nginx.org/server-snippets": text}, snippets=True),
        read_configmap({"main-snippets": text}),
    ):
        assert reading.problems


@pytest.mark.parametrize(
    "text",
    ["", "a;", "a b { c; }", "# }", "a # {\n;", "a ${b};", "a '}';", 'a "\\"{";', "a b}c;", "a \\{;", "if ($a) { b; }"],
)
def test_text_that_stays_inside_is_accepted(text: str) -> None:
    assert unbalanced(text) is None


@pytest.mark.parametrize("text", ["a\0;", "a \ud800;"])
def test_what_is_no_text_is_refused(text: str) -> None:
    assert read_annotations({"nginx.org/server-snippets": text}, snippets=True).problems


def test_without_the_switch_no_snippet_is_read() -> None:
    said = {"nginx.org/server-snippets": "a;", "nginx.org/location-snippets": "b;"}
    reading = read_annotations(said, snippets=False)
    assert {problem.field for problem in reading.problems} == set(said)
    assert (reading.options.snippets.server, reading.options.snippets.location) == (None, None)
