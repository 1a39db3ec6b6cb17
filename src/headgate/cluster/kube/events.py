"""Events (core/v1): a note in, one Event per object and sentence in the cluster, with a count.

The name of an Event follows from what it says, numbers aside. So whoever says it again, after a restart or as the next
leader, finds the one that is there and counts on; a flapping object is one line of `kubectl describe`, not a thousand.
"""

import hashlib
import re
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from headgate.api import Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import EVENT, KINDS
from headgate.errors import Conflict, Missing
from headgate.model.report import EventNote

COMPONENT = "nginx-ingress-controller"  # as people's filters and dashboards know it
LONGEST = 1024  # bytes of a message
REMEMBERED = 20_000
_NUMBERS = re.compile(r"\d+")


class _Event(Struct, frozen=True):
    count: int = 1


class Said(Struct, frozen=True):
    """A note, and how often it is to be counted."""

    note: EventNote
    times: int = 1


class Events:
    def __init__(self, client: Client, *, instance: str = "") -> None:
        self._client = client
        self._instance = instance
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def write(self, said: Said) -> None:
        note, name = said.note, name_of(said.note)
        path = EVENT.path(_place(note.ref), name)
        known = self._counts.get(name)
        if known is None:
            try:
                await self._create(said, name, said.times)
                return
            except Conflict:
                known = msgspec.json.decode(await self._client.get(path), type=_Event).count
        try:
            change = {"count": known + said.times, "lastTimestamp": _now(), "message": _cut(note.message)}
            await self._client.patch(path, change)
            self._remember(name, known + said.times)
        except Missing:  # the API server forgets Events after an hour
            await self._create(said, name, known + said.times)

    async def _create(self, said: Said, name: str, count: int) -> None:
        await self._client.create(EVENT.path(_place(said.note.ref)), self._body(said.note, name, count))
        self._remember(name, count)

    def _remember(self, name: str, count: int) -> None:
        self._counts[name] = count
        self._counts.move_to_end(name)
        while len(self._counts) > REMEMBERED:
            self._counts.popitem(last=False)

    def _body(self, note: EventNote, name: str, count: int) -> dict[str, Any]:
        now, ref = _now(), note.ref
        about = {"apiVersion": KINDS[ref.kind].version, "kind": ref.kind, "name": ref.name, "uid": note.uid}
        return {
            "apiVersion": EVENT.version,
            "kind": EVENT.name,
            "metadata": {"name": name, "namespace": _place(ref)},
            "involvedObject": {**about, "namespace": ref.namespace} if ref.namespace else about,
            "type": note.type.value,
            "reason": note.reason,
            "message": _cut(note.message),
            "source": {"component": COMPONENT},
            "reportingComponent": COMPONENT,
            "reportingInstance": self._instance,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": count,
        }


def name_of(note: EventNote) -> str:
    """The same for the same sentence, whatever numbers stand in it: generations and lines change all the time."""
    sentence = _NUMBERS.sub("#", note.message)
    parts = (str(note.ref), note.uid, note.type.value, note.reason, sentence)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return f"{note.ref.name[:200]}.{digest}"


def _place(ref: Ref) -> str:
    """Events live in namespaces, also those about objects that do not."""
    return ref.namespace or "default"


def _cut(message: str) -> str:
    raw = message.encode()
    return message if len(raw) <= LONGEST else raw[: LONGEST - 3].decode(errors="ignore") + "…"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
