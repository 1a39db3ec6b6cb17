"""Accepted versions on disk: an append-only file of JSON lines, so that a pass costs what it accepted and not what exists.

A line is `{"kind", "generation", "object"}`, or `{"gone": [kind, namespace, name]}`. A last line that was cut by a crash is dropped. The file holds Secrets,
so only we may read it.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from headgate.api import ConfigMap, Ingress, Known, Ref, Secret
from headgate.controller.held import Accepted, Held

_KINDS: dict[str, type[Known]] = {"Ingress": Ingress, "Secret": Secret, "ConfigMap": ConfigMap}


class _Line(Struct, omit_defaults=True):
    kind: str = ""
    generation: int = 0
    object: msgspec.Raw = msgspec.Raw()
    gone: tuple[str, str, str] | None = None


class Journal:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(_Line)
        self._encoder = msgspec.json.Encoder()

    def read(self) -> dict[Ref, Accepted]:
        """What was accepted when we last ran; the file is made tidy on the way."""
        accepted: dict[Ref, Accepted] = {}
        text = self._path.read_bytes() if self._path.exists() else b""
        lines = text.splitlines()
        for line in lines:
            try:
                self._apply(self._decoder.decode(line), accepted)
            except msgspec.MsgspecError:
                continue  # a line cut by a crash, or of a version of ours that knew other fields
        is_cut = not text.endswith(b"\n") and lines != []  # what is appended would become a part of that line
        if is_cut or len(lines) > 2 * len(accepted) + 100:
            self._rewrite(accepted)
        return accepted

    def _apply(self, line: _Line, accepted: dict[Ref, Accepted]) -> None:
        if line.gone is not None:
            accepted.pop(Ref(*line.gone), None)
        elif (kind := _KINDS.get(line.kind)) is not None:
            found: Known = msgspec.json.decode(line.object, type=kind)
            accepted[found.ref] = Accepted(found, line.generation)

    def append(self, held: Held, fresh: Iterable[Ref], gone: Iterable[Ref]) -> None:
        lines = [self._encoder.encode(_Line(gone=(ref.kind, ref.namespace, ref.name))) for ref in gone]
        lines += [self._line(known) for ref in fresh if (known := held.accepted(ref)) is not None]
        if lines:
            with open(self._path, "ab", opener=_private) as file:
                file.write(b"\n".join(lines) + b"\n")

    def _line(self, accepted: Accepted) -> bytes:
        raw = msgspec.Raw(self._encoder.encode(accepted.object))
        return self._encoder.encode(_Line(accepted.object.kind, accepted.generation, raw))

    def _rewrite(self, accepted: dict[Ref, Accepted]) -> None:
        fresh = self._path.with_suffix(".new")
        with open(fresh, "wb", opener=_private) as file:
            file.writelines(self._line(each) + b"\n" for each in accepted.values())
        fresh.replace(self._path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
