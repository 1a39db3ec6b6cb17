"""JSON bytes in, the texts of single objects out, unread: `api.decode` makes typed objects of them with nothing between.

A text may hold several documents one after the other, on lines of their own or not. `ManifestError` when it is not JSON.
"""

import json
import re
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from headgate.api.decode import Head, read_head
from headgate.cluster.flaws import ManifestError

_SPACE = re.compile(r"[ \t\r\n]*")


class JsonText(Struct, frozen=True):
    """A document, or an entry of a list; `head` is None for what is not an object."""

    text: bytes
    head: Head | None
    line: int


def json_documents(text: bytes) -> list[JsonText]:
    """All documents of a text that is known to be UTF-8."""
    whole = text.lstrip()
    if not whole:
        return []
    try:
        return [JsonText(whole, _head(whole), text.count(b"\n", 0, len(text) - len(whole)) + 1)]
    except msgspec.DecodeError:
        return list(_several(text.decode()))


def items(document: JsonText, head: Head) -> Iterator[JsonText]:
    """The entries of a list, each with its line. In a typed list, `IngressList`, they need not say what they are."""
    try:
        entries = msgspec.json.decode(head.items, type=list[Raw] | None) if head.items else None
    except msgspec.ValidationError:
        raise ManifestError("the items of a list must be a list", document.line, 0) from None
    text, line, counted = document.text, document.line, 0
    start = text.find(bytes(head.items))
    for entry in map(bytes, entries or ()):
        start = text.find(entry, start)
        line += text.count(b"\n", counted, start)
        counted, start = start, start + len(entry)
        yield JsonText(entry, _of_list(_head(entry), head), line)


def _head(text: bytes) -> Head | None:
    try:
        return read_head(text)
    except msgspec.ValidationError:
        return None


def _of_list(head: Head | None, outer: Head) -> Head | None:
    if head is None or head.kind or head.api_version or outer.kind == "List":
        return head
    return msgspec.structs.replace(head, kind=outer.kind.removesuffix("List"), api_version=outer.api_version)


def _several(text: str) -> Iterator[JsonText]:
    """Documents in a row. The reader of the standard library finds their ends, and says better what is wrong."""
    decoder, line, counted = json.JSONDecoder(), 1, 0
    start = _after_space(text, 0)
    while start < len(text):
        try:
            _, end = decoder.raw_decode(text, start)
            one = text[start:end].encode()
            head = _head(one)
        except json.JSONDecodeError as why:
            raise ManifestError(why.msg[:1].lower() + why.msg[1:].removesuffix(" at"), why.lineno, why.colno) from None
        line += text.count("\n", counted, start)
        counted, start = start, _after_space(text, end)
        yield JsonText(one, head, line)


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position
