"""The text of a file: which objects it holds and on which lines, and what is said when it cannot be read."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.api import Ingress, Malformed, Service
from headgate.cluster.flaws import UNREADABLE, Flaw
from headgate.cluster.manifests import Manifest, read, read_file

INGRESS = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "cafe"}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "tea"}}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "tea"}}

TWO_DOCUMENTS = """\
# The cafe.
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: cafe
  creationTimestamp: 2026-11-16T10:00:00Z
---
---
apiVersion: v1
kind: Service
metadata:
  name: tea
"""

A_LIST = """\
apiVersion: v1
kind: List
items:
- apiVersion: networking.k8s.io/v1
  kind: Ingress
  metadata: {name: cafe}

- # a comment
  apiVersion: v1
  kind: Service
  metadata: {name: tea}
"""


def yaml(text: str) -> Manifest:
    return read(dedent(text).encode(), "cafe.yaml")


def as_json(*documents: Any, indent: int | None = None, between: str = "\n") -> Manifest:
    return read(between.join(json.dumps(one, indent=indent) for one in documents).encode(), "cafe.json")


def names(manifest: Manifest) -> list[tuple[str, int]]:
    assert manifest.flaws == ()
    return [(str(entry.found.ref), entry.line) for entry in manifest.entries]


def flaw(manifest: Manifest) -> Flaw:
    (only,) = manifest.flaws
    return only


def test_documents_of_a_file_become_objects_with_lines() -> None:
    assert names(yaml(TWO_DOCUMENTS)) == [("Ingress default/cafe", 2), ("Service default/tea", 9)]


def test_an_unquoted_timestamp_stays_text() -> None:
    found = yaml(TWO_DOCUMENTS).entries[0].found
    assert isinstance(found, Ingress)
    assert found.meta.creation_timestamp == "2026-11-16T10:00:00Z"


def test_a_list_is_unpacked_with_the_lines_of_its_entries() -> None:
    assert names(yaml(A_LIST)) == [("Ingress default/cafe", 4), ("Service default/tea", 9)]


def test_a_list_in_json_is_unpacked_with_the_lines_of_its_entries() -> None:
    assert names(as_json({"apiVersion": "v1", "kind": "List", "items": [INGRESS, SERVICE]}, indent=1)) == [
        ("Ingress default/cafe", 5),
        ("Service default/tea", 12),
    ]


def test_entries_with_merged_parts_know_their_lines_too() -> None:
    text = """
        kind: List
        defaults: &service {apiVersion: v1, kind: Service}
        items:
        - {<<: *service, metadata: {name: tea}}
        - {<<: *service, metadata: {name: coffee}}
        """
    assert names(yaml(text)) == [("Service default/tea", 5), ("Service default/coffee", 6)]


def test_equal_entries_of_a_list_have_lines_of_their_own() -> None:
    found = as_json({"kind": "List", "items": [SERVICE, SERVICE, SERVICE]}, indent=1)
    assert [line for _, line in names(found)] == [4, 11, 18]


def test_entries_of_a_typed_list_need_not_say_their_kind() -> None:
    bare = {"apiVersion": "v1", "kind": "ServiceList", "items": [{"metadata": {"name": "tea"}}]}
    assert names(as_json(bare)) == names(yaml(json.dumps(bare))) == [("Service default/tea", 1)]


def test_a_list_in_a_list_is_unpacked_too() -> None:
    nested = {"kind": "List", "apiVersion": "v1", "items": [{"kind": "List", "apiVersion": "v1", "items": [SERVICE]}]}
    assert [name for name, _ in names(as_json(nested))] == ["Service default/tea"]
    assert [name for name, _ in names(yaml("---\n" + json.dumps(nested)))] == ["Service default/tea"]


@pytest.mark.parametrize("items", [{}, {"items": None}, {"items": []}])
def test_an_empty_list_is_fine(items: dict[str, Any]) -> None:
    assert as_json({"kind": "List", "apiVersion": "v1", **items}) == Manifest()


def test_a_kind_that_is_only_called_list_is_an_object_like_any() -> None:
    assert as_json({"apiVersion": "example.com/v1", "kind": "AllowList", "metadata": {"name": "x"}}) == Manifest()


@pytest.mark.parametrize("between", ["\n", "", "\n\n  ", " \t\r\n"])
def test_json_documents_may_follow_each_other(between: str) -> None:
    found = as_json(INGRESS, DEPLOYMENT, SERVICE, between=between)
    assert [name for name, _ in names(found)] == ["Ingress default/cafe", "Service default/tea"]


def test_json_lines_know_their_lines() -> None:
    assert [line for _, line in names(as_json(INGRESS, SERVICE, SERVICE))] == [1, 2, 3]


def test_json_under_a_yaml_name_is_read_alike() -> None:
    text = json.dumps({"kind": "List", "apiVersion": "v1", "items": [INGRESS, SERVICE]}, indent=2).encode()
    assert read(text, "-") == read(text, "cafe.yaml") == read(text, "cafe.json")


def test_yaml_that_begins_like_json_is_yaml() -> None:
    assert names(yaml("{apiVersion: v1, kind: Service, metadata: {name: tea}}")) == [("Service default/tea", 1)]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert names(read(b"\xef\xbb\xbf" + json.dumps(SERVICE).encode(), "tea.json")) == [("Service default/tea", 1)]
    assert names(read(b"\xef\xbb\xbf" + TWO_DOCUMENTS.encode(), "cafe.yaml"))[0] == ("Ingress default/cafe", 2)


@pytest.mark.parametrize("text", ["", "\n\n", "---\n---\n", "# only a comment\n", "~"])
def test_an_empty_file_holds_nothing(text: str) -> None:
    assert yaml(text) == Manifest()


def test_an_empty_json_file_holds_nothing() -> None:
    assert read(b" \n", "cafe.json") == Manifest()


@pytest.mark.parametrize("raw", [DEPLOYMENT, {"replicas": 3}, {"version": "3", "services": {}}, {}])
def test_what_is_not_for_us_is_left_out_without_a_word(raw: dict[str, Any]) -> None:
    assert as_json(raw) == yaml("---\n" + json.dumps(raw)) == Manifest()


def test_an_object_of_the_wrong_shape_is_malformed_and_no_flaw_of_the_file() -> None:
    found = yaml("{apiVersion: v1, kind: Service, metadata: {name: tea}, spec: []}\n---\n" + json.dumps(INGRESS))
    assert found.flaws == ()
    assert [type(entry.found) for entry in found.entries] == [Malformed, Ingress]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\n---\njust text\n", 3, "this is text, and not an object with apiVersion and kind"),
        ("---\n- apiVersion: v1\n", 2, "this is a list, and not an object with apiVersion and kind"),
        ("5\n", 1, "this is a number, and not an object with apiVersion and kind"),
        ("kind: List\nitems: [5]\n", 1, "this is a number, and not an object with apiVersion and kind"),
        ("kind: List\nitems: 5\n", 1, "the items of a list must be a list"),
        ("\nkind: Ingress\nmetadata: {}\n", 2, "this object has no apiVersion"),
        ("apiVersion: v1\nmetadata: {}\n", 1, "this object has no kind"),
        ("apiVersion: v1\nkind: [Service]\n", 1, "the kind of this object must be text"),
        ("apiVersion: 1\nkind: Service\n", 1, "the apiVersion of this object must be text"),
        ("apiVersion: v1\nkind: Service\nmetadata: {}\n", 1, "this Service has no name: metadata.name is missing"),
        ("apiVersion: v1\nkind: Service\n", 1, "this Service has no name: metadata.name is missing"),
    ],
)
def test_a_document_that_is_no_object_is_a_flaw_with_its_line(text: str, line: int, message: str) -> None:
    assert flaw(yaml(text)) == Flaw(message, line)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[1]", 1, "this is a list, and not an object with apiVersion and kind"),
        ('\n"text"', 2, "this is text, and not an object with apiVersion and kind"),
        ("5", 1, "this is a number, and not an object with apiVersion and kind"),
        ('{"kind": "List", "items": 5}', 1, "the items of a list must be a list"),
        ('{"kind": "Ingress"}', 1, "this object has no apiVersion"),
        ('{"kind": 5, "apiVersion": "v1"}', 1, "the kind of this object must be text"),
        ('{"kind": "Service", "apiVersion": "v1"}', 1, "this Service has no name: metadata.name is missing"),
    ],
)
def test_a_json_document_that_is_no_object_is_a_flaw_with_its_line(text: str, line: int, message: str) -> None:
    assert flaw(read(text.encode(), "cafe.json")) == Flaw(message, line)


def test_the_other_documents_of_such_a_file_are_still_told() -> None:
    found = yaml("just text\n---\n" + json.dumps(SERVICE))
    assert [type(entry.found) for entry in found.entries] == [Service]
    assert len(found.flaws) == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{"a": 1,\n "b": }', "line 2, column 7", "expecting value"),
        ('{"a": 1\n', "line 2, column 1", "expecting ',' delimiter"),
        ('{"a": "x', "line 1, column 7", "unterminated string starting"),
        ('{"a": 1}\n{"b"}', "line 2, column 5", "expecting ':' delimiter"),
        ("{'a': 1}", "line 1, column 2", "expecting property name enclosed in double quotes"),
        ('{"a": 1} trailing', "line 1, column 10", "expecting value"),
    ],
)
def test_json_that_does_not_parse_is_a_flaw_with_its_place(text: str, place: str, message: str) -> None:
    found = flaw(read(text.encode(), "cafe.json"))
    assert (found.place, found.message) == (place, message)


def test_yaml_that_does_not_parse_is_a_flaw_with_its_place() -> None:
    found = flaw(yaml("apiVersion: v1\nkind: Service\nmetadata: name: tea\n"))
    assert found.place == "line 3, column 15"
    assert found.message.startswith("mapping values are not allowed here")


@pytest.mark.parametrize("name", ["cafe.yaml", "cafe.json"])
def test_bytes_that_are_not_utf_8_are_a_flaw_with_their_place(name: str) -> None:
    assert flaw(read(b"a: 1\nb: caf\xe9\n", name)) == Flaw("the text is not UTF-8", 2, 7)
    assert flaw(read("kind: Service".encode("utf-16"), name)).message == "the text is not UTF-8"


@pytest.mark.parametrize("name", ["cafe.yaml", "cafe.json"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"kind":"List","items":' * 100_000])
def test_what_is_nested_too_deeply_is_a_flaw(text: str, name: str) -> None:
    assert read(text.encode(), name).flaws


@pytest.mark.parametrize("entry", ["some text", [SERVICE], None, 5])
def test_an_entry_of_a_list_that_is_no_object_is_a_flaw(entry: Any) -> None:
    found = {"kind": "List", "apiVersion": "v1", "items": [entry]}
    assert flaw(as_json(found)).message == flaw(yaml("# YAML\n" + json.dumps(found))).message


def test_a_file_that_cannot_be_read_is_a_flaw(tmp_path: Path) -> None:
    found = flaw(read_file(tmp_path / "nowhere.yaml"))
    assert found == Flaw("cannot be read: No such file or directory", reason=UNREADABLE)


@settings(deadline=None)
@given(st.binary(max_size=80), st.sampled_from(["x.yaml", "x.json"]))
def test_any_bytes_end_in_an_answer(text: bytes, name: str) -> None:
    for found in read(text, name).flaws:
        assert found.message


WORDS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=4)  # no pairs of escapes
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
KINDS = st.sampled_from(["Ingress", "Service", "List", "ServiceList", "Deployment", "", None])
VERSIONS = st.sampled_from(["v1", "networking.k8s.io/v1", "extensions/v1beta1", "", None])
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "metadata": st.fixed_dictionaries({}, optional={"name": WORDS, "labels": JSON_VALUES}),
        "spec": st.fixed_dictionaries({}, optional={"rules": JSON_VALUES, "ports": JSON_VALUES, "type": JSON_VALUES}),
        "items": JSON_VALUES,
    },
)


@settings(deadline=None)
@given(KINDS, VERSIONS, FIELDS)
def test_json_and_yaml_of_the_same_object_are_the_same(kind: str | None, version: str | None, rest: Any) -> None:
    raw = {**rest, **({} if kind is None else {"kind": kind}), **({} if version is None else {"apiVersion": version})}
    text = json.dumps(raw)
    from_json, from_yaml = read(text.encode(), "x.json"), read(f"---\n{text}".encode(), "x.yaml")
    assert [entry.found for entry in from_json.entries] == [entry.found for entry in from_yaml.entries]
    assert [flaw.message for flaw in from_json.flaws] == [flaw.message for flaw in from_yaml.flaws]
