"""YAML: the same answers as PyYAML's own loader wherever both have one, and a sentence where there is none."""

import math
import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from headgate.cluster.flaws import Flaw, ManifestError
from headgate.cluster.yaml_documents import documents


class Reference(yaml.CSafeLoader):
    """PyYAML's loader without timestamps, which Kubernetes does not have either."""


Reference.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def loaded(text: str) -> list[Any]:
    return [document.data for document in documents(text.encode())]


def expected(text: str) -> list[Any]:
    return [with_text_keys(data) for data in yaml.load_all(text, Loader=Reference) if data is not None]


def with_text_keys(data: Any) -> Any:
    if isinstance(data, dict):
        return {text_key(key): with_text_keys(value) for key, value in data.items()}
    return [with_text_keys(value) for value in data] if isinstance(data, list) else data


def text_key(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def same(one: Any, other: Any) -> bool:
    """Equal and of equal types all the way down: 1, 1.0 and true are three things, and nan is itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (isinstance(one, float) and math.isnan(one) and math.isnan(other))


def complaint(text: str) -> tuple[int, str]:
    with pytest.raises(ManifestError) as caught:
        documents(text.encode())
    return caught.value.flaw.line, caught.value.flaw.message


# fmt: off
TRICKY = [
    "yes", "No", "ON", "off", "true", "False", "y", "n", "null", "NULL", "~",
    "0o14", "014", "08", "0x1F", "0x_", "0b11", "1_000", "+12", "-0", "_1", "1_", "-", "--",
    "1e3", "1.5e+3", ".5", "09.5", "685_230.15", "-.inf", ".NaN", ".", "..",
    "1:30", "190:20:30.15", "2001-12-14", "2001-12-14T21:59:43Z",
]
# fmt: on
PLAIN = st.sampled_from(TRICKY) | st.text("0123456789.+-_:eExobTrufalsNyn~", min_size=1, max_size=8)


@settings(deadline=None)
@given(PLAIN)
def test_plain_scalars_are_what_pyyaml_takes_them_for(text: str) -> None:
    try:
        wanted = expected(f"a: {text}")
    except (yaml.YAMLError, ValueError):
        return  # `0x_` crashes PyYAML; here it is text
    assert same(loaded(f"a: {text}"), wanted)


TEXTS = st.one_of(PLAIN, st.text(max_size=20), st.text("ab \n\t'\"#:-{}[]&*!|>%@`\\", max_size=12))
LEAVES: SearchStrategy[Any] = st.one_of(TEXTS, st.integers(), st.floats(), st.booleans(), st.none())
KEYS = st.one_of(TEXTS, st.integers(), st.booleans())
TREES: SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)


@settings(deadline=None)
@given(
    trees=st.lists(TREES, max_size=3),
    flow=st.sampled_from([None, True, False]),
    style=st.sampled_from([None, "'", '"', "|", ">"]),
    width=st.sampled_from([1, 20, 1000]),
    allow_unicode=st.booleans(),
)
def test_whatever_pyyaml_writes_is_read_as_pyyaml_reads_it(
    *, trees: list[Any], flow: bool | None, style: str | None, width: int, allow_unicode: bool
) -> None:
    text = yaml.dump_all(
        trees,
        Dumper=yaml.CSafeDumper,
        default_flow_style=flow,
        default_style=style,
        width=width,
        allow_unicode=allow_unicode,
    )
    raw = list(yaml.load_all(text, Loader=Reference))
    if any(len(with_text_keys(mapping)) < len(mapping) for mapping in mappings(raw)):
        complaint(text)  # `1` and "1" are one key where all keys are text
    else:
        assert same(loaded(text), expected(text))


def mappings(data: Any) -> list[dict[Any, Any]]:
    inner = list(data.values()) if isinstance(data, dict) else data if isinstance(data, list) else []
    return [*([data] if isinstance(data, dict) else []), *(found for value in inner for found in mappings(value))]


@st.composite
def with_anchors(draw: DrawFn) -> str:
    """A mapping in flow style in which parts are named and used again, merges included."""
    anchors: list[str] = []
    mappings: list[str] = []

    def value(depth: int) -> str:
        kinds = ["scalar", *(["alias"] if anchors else []), *(["list", "mapping"] if depth else [])]
        kind = draw(st.sampled_from(kinds))
        if kind == "alias":
            return f"*{draw(st.sampled_from(anchors))} "
        written = {"scalar": scalar, "list": listed, "mapping": mapped}[kind](depth)
        return named(written, is_mapping=kind == "mapping") if yes_or_no() else written

    def yes_or_no() -> bool:
        return draw(st.booleans())

    def named(written: str, *, is_mapping: bool) -> str:
        name = f"a{len(anchors)}"
        anchors.append(name)
        if is_mapping:
            mappings.append(name)
        return f"&{name} {written}"

    def scalar(_depth: int) -> str:
        return draw(st.sampled_from(["1", "true", "text", "'quoted'", "null"]))

    def listed(depth: int) -> str:
        return f"[{', '.join(value(depth - 1) for _ in range(draw(st.integers(0, 3))))}]"

    def mapped(depth: int) -> str:
        names = draw(st.lists(st.sampled_from(["a", "b", "c", "2", "yes", '"<<"']), unique=True, max_size=3))
        parts = [f"{name}: {value(depth - 1)}" for name in names]
        if mappings and yes_or_no():
            merged = draw(st.lists(st.sampled_from(mappings), min_size=1, max_size=3))
            parts.append(
                f"<<: *{merged[0]} " if len(merged) == 1 else f"<<: [{', '.join(f'*{one} ' for one in merged)}]"
            )
        return f"{{{', '.join(parts)}}}"

    return "\n".join(f"key{index}: {value(3)}" for index in range(draw(st.integers(1, 6))))


@settings(deadline=None)
@given(with_anchors())
def test_anchors_aliases_and_merges_are_what_pyyaml_takes_them_for(text: str) -> None:
    assert same(loaded(text), expected(text))


def refusal(text: bytes) -> Flaw | None:
    try:
        documents(text)
    except ManifestError as why:
        return why.flaw
    return None


@settings(deadline=None)
@given(st.text("ab1: -\n'\"#{}[],&*!|>?%<=\t", max_size=40))
def test_any_text_is_read_like_pyyaml_or_refused_with_a_place(text: str) -> None:
    flaw = refusal(text.encode())
    if flaw is not None:
        assert flaw.line >= 1
        return
    try:
        wanted = expected(text)
    except yaml.YAMLError as why:
        objection = str(why)
    else:
        assert same(loaded(text), wanted)
        return
    # A lone `=` or `<<` is text here; and YAML allows an anchor to be given again.
    assert any(words in objection for words in (":value'", ":merge'", "duplicate anchor"))


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_end_in_an_answer(text: bytes) -> None:
    flaw = refusal(text)
    assert flaw is None or flaw.message


def test_a_timestamp_stays_text() -> None:
    assert loaded("creationTimestamp: 2026-11-16T10:00:00Z") == [{"creationTimestamp": "2026-11-16T10:00:00Z"}]


def test_keys_are_text_as_in_json() -> None:
    assert loaded("80: a\nyes: b\n1.5: c") == [{"80": "a", "true": "b", "1.5": "c"}]


def test_documents_know_the_line_where_they_begin() -> None:
    text = "# about\n---\na: 1\n---\n\n# more\nb: 2\n---\n---\n- c\n"
    assert [(document.line, document.data) for document in documents(text.encode())] == [
        (3, {"a": 1}),
        (7, {"b": 2}),
        (10, ["c"]),
    ]


def test_an_anchor_may_be_given_again() -> None:
    assert loaded("a: &x 1\nb: &x 2\nc: *x") == [{"a": 1, "b": 2, "c": 2}]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: c: d\n", 2, "mapping values are not allowed here"),
        ("a:\n\tb: 1\n", 2, "a tab is not allowed as indentation"),
        ("a:\n- b\n\t- c\n", 3, "a tab is not allowed as indentation"),
        ("a: 1\nb: 'x\nc: 2\nd: 3\n", 2, "the quote that opens here is never closed"),
        ('a: 1\nb: "x\nc: 2\n', 2, "the quote that opens here is never closed"),
        ("a: [1, 2\nb: 3\n", 2, "',' or ']' is expected here: '[' was opened on line 1"),
        ("a: {b: 1\nc: 2\n", 2, "',' or '}' is expected here: '{' was opened on line 1"),
        ("a:\n  b: 1\n c: 2\n", 3, "a key is expected here: check the indentation"),
        ("- a\nb: 1\n", 2, "a '-' is expected here"),
        ("a: 1\nb\n", 2, "the ':' after the key is missing"),
        ("a: @b\n", 1, "a text cannot begin like this: put it in quotes"),
        ("a: - b\n", 1, "a list may not begin here"),
        ('a: "\\d"\n', 1, "no such escape"),
        ("a: 1\n... b\n", 2, "text after the end of the document"),
        ("a: 1\nb: 2\na: 3\n", 3, "the key 'a' is in this mapping twice"),
        ("a: {b: 1, b: 2}\n", 1, "the key 'b' is in this mapping twice"),
        ("80: a\n'80': b\n", 2, "the key '80' is in this mapping twice"),
        ("a: *b\n", 1, "nothing is called &b"),
        ("a: &b [*b]\n", 1, "&b contains itself"),
        ("? [a]\n: b\n", 1, "a key must be text"),
        ("a: !secret b\n", 1, "the tag !secret means nothing"),
        ("a: !!binary aGk=\n", 1, "the tag !!binary means nothing"),
        ("a: !!int b\n", 1, "this is not what its tag !!int says"),
        ("<<: 5\n", 1, "only a mapping, or a list of mappings, can be merged"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  <<: *x\n", 4, "the key '<<' is in this mapping twice"),
        ("a: 1\nb: \x01\n", 2, "a control character is not allowed here"),
        ("name: {{ .Values.name }}\n", 1, "looks like a template that was not rendered"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, words: str) -> None:
    where, message = complaint(text)
    assert where == line
    assert words in message


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1} '] * 10)}]" for n in range(1, 12)]
    began = time.monotonic()
    _, message = complaint("\n".join(lines))
    assert "aliases of this file ask for too much" in message
    assert time.monotonic() - began < 5


def test_a_bomb_in_many_documents_is_refused_too() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1} '] * 10)}]" for n in range(1, 4)]
    one = "\n".join(lines)
    assert loaded(one)
    assert "ask for too much" in complaint("\n---\n".join([one] * 500))[1]


def test_an_alias_of_a_long_text_is_not_cheap() -> None:
    text = f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a '] * 1000)}]"
    assert "ask for too much" in complaint(text)[1]


def test_ordinary_use_of_aliases_is_no_bomb() -> None:
    text = "defaults: &defaults {a: 1, b: 2, c: 3}\nlist:\n" + "- <<: *defaults\n  a: 5\n" * 2000
    assert loaded(text)[0]["list"][1999] == {"a": 5, "b": 2, "c": 3}


@pytest.mark.parametrize("bracket", ["[", "{a: "])
def test_what_is_nested_too_deeply_is_refused(bracket: str) -> None:
    assert "nested more than 100 levels deep" in complaint(bracket * 100_000)[1]
