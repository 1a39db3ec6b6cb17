"""The text of one file in, its objects out: `read` gives a `Manifest`, which holds what is wrong with the file as well.

YAML with several documents, JSON, lists of objects (`List`, `IngressList`). Objects of kinds that we do not read are
left out without a word, and so is a document that does not claim to be an object of Kubernetes at all: Helm's
`values.yaml` may lie in the same folder. JSON does not pass through plain data: at 10,000 files that is the difference
between one second and three.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

import msgspec
from msgspec import Struct

from headgate.api import Malformed, Object
from headgate.api.decode import Head, decode, decode_json
from headgate.cluster.flaws import UNREADABLE, Flaw, ManifestError, place_of
from headgate.cluster.json_documents import JsonText, items, json_documents
from headgate.cluster.yaml_documents import Document, documents


class Entry(Struct, frozen=True, gc=False):
    """An object and the line on which it begins."""

    found: Object
    line: int


class Manifest(Struct, frozen=True, gc=False):
    """What one file says, as far as it can be read. With a flaw in it, the file is not to be taken at its word."""

    entries: tuple[Entry, ...] = ()
    flaws: tuple[Flaw, ...] = ()


_Told: TypeAlias = Entry | Flaw | None
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WORDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}

_FIRST_BYTES = {b"[": "a list", b'"': "text", b"t": "true or false", b"f": "true or false", b"n": "nothing"}


def read_file(path: Path) -> Manifest:
    try:
        text = path.read_bytes()
    except OSError as why:
        return Manifest(flaws=(Flaw(f"cannot be read: {why.strerror or why}", reason=UNREADABLE),))
    return read(text, path.name)


def read(text: bytes, name: str) -> Manifest:
    """The name tells JSON from YAML; a text that begins like JSON is tried as such, whatever it is called."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    try:
        told = list(_told(text, name))
    except UnicodeDecodeError as why:
        return Manifest(flaws=(Flaw("the text is not UTF-8", *place_of(why.start, text)),))
    except ManifestError as why:
        return Manifest(flaws=(why.flaw,))
    except RecursionError:
        return Manifest(flaws=(Flaw("nested too deeply", 1),))
    entries = tuple(one for one in told if isinstance(one, Entry))
    return Manifest(entries, tuple(one for one in told if isinstance(one, Flaw)))


def _told(text: bytes, name: str) -> Iterator[_Told]:
    text.decode()
    if name.lower().endswith(".json"):
        return _from_json(json_documents(text))
    if text.lstrip().startswith(b"{"):
        try:
            return _from_json(json_documents(text))
        except ManifestError:
            pass  # `{a: 1}` is YAML
    return _from_yaml(documents(text))


def _from_yaml(found: list[Document]) -> Iterator[_Told]:
    for document in found:
        yield from _yaml_object(document, document.data, document.line)


def _yaml_object(document: Document, raw: Any, line: int) -> Iterator[_Told]:
    if not isinstance(raw, dict):
        yield Flaw(_not_an_object(_WORDS.get(type(raw), "nothing")), line)
        return
    version, kind = raw.get("apiVersion"), raw.get("kind")
    if not _is_list(kind, has_items="items" in raw):
        yield _headless(version, kind, line) or _entry(decode(raw), line)
        return
    inside = [] if raw.get("items") is None else raw["items"]
    if not isinstance(inside, list):
        raise ManifestError("the items of a list must be a list", line, 0)
    default = {} if kind == "List" else {"apiVersion": version, "kind": kind.removesuffix("List")}
    for item in inside:
        is_bare = isinstance(item, dict) and not (item.get("apiVersion") or item.get("kind"))
        named = {**item, **default} if is_bare else item
        yield from _yaml_object(document, named, document.item_lines.get(id(item), line))


def _from_json(found: list[JsonText]) -> Iterator[_Told]:
    for document in found:
        yield from _json_object(document)


def _json_object(one: JsonText) -> Iterator[_Told]:
    head = one.head
    if head is None:
        yield Flaw(_not_an_object(_FIRST_BYTES.get(one.text[:1], "a number")), one.line)
    elif _is_list(head.kind, has_items=bool(head.items)):
        for item in items(one, head):
            yield from _json_object(item)
    else:
        yield _headless(head.api_version, head.kind, one.line) or _json_entry(one, head)


def _json_entry(one: JsonText, head: Head) -> _Told:
    try:
        return _entry(decode_json(one.text, head), one.line)
    except msgspec.DecodeError as why:  # inside a string: looking at the head alone does not read it
        return Flaw(f"{why}", one.line)


def _is_list(kind: Any, *, has_items: bool) -> TypeGuard[str]:
    """A custom resource may be called `AllowList` and be none."""
    return kind == "List" or (isinstance(kind, str) and kind.endswith("List") and has_items)


def _headless(version: Any, kind: Any, line: int) -> Flaw | None:
    for name, value, other in (("kind", kind, version), ("apiVersion", version, kind)):
        if value is None and other is not None:
            return Flaw(f"this object has no {name}", line)
        if value is not None and not (isinstance(value, str) and value):
            return Flaw(f"the {name} of this object must be text", line)
    return None


def _entry(found: Object | None, line: int) -> _Told:
    """An object without a name cannot be told from others: that is a mistake of the file."""
    if isinstance(found, Malformed) and not found.ref.name:
        return Flaw(f"this {found.ref.kind} has no name: metadata.name is missing", line)
    return None if found is None else Entry(found, line)


def _not_an_object(word: str) -> str:
    return f"this is {word}, and not an object with apiVersion and kind"
