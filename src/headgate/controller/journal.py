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


_DECODER = msgspec.json.Decoder(_Line)
_ENCODER = msgspec.json.Encoder()


def line_of(accepted: Accepted) -> bytes:
    raw = msgspec.Raw(_ENCODER.encode(accepted.object))
    return _ENCODER.encode(_Line(accepted.object.kind, accepted.generation, raw))


def read_lines(lines: Iterable[bytes]) -> dict[Ref, Accepted]:
    """What these lines say, the later ones having the last word."""
    accepted: dict[Ref, Accepted] = {}
    for line in lines:
        try:
            _apply(_DECODER.decode(line), accepted)
        except msgspec.MsgspecError:
            continue  # a line cut by a crash, or of a version of ours that knew other fields
    return accepted


def _apply(line: _Line, accepted: dict[Ref, Accepted]) -> None:
    if line.gone is not None:
        accepted.pop(Ref(*line.gone), None)
    elif (kind := _KINDS.get(line.kind)) is not None:
        found: Known = msgspec.json.decode(line.object, type=kind)
        accepted[found.ref] = Accepted(found, line.generation)


class Journal:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[Ref, Accepted]:
        """What was accepted when we last ran; the file is made tidy on the way."""
        text = self._path.read_bytes() if self._path.exists() else b""
        lines = text.splitlines()
        accepted = read_lines(lines)
        is_cut = not text.endswith(b"\n") and lines != []  # what is appended would become a part of that line
        if is_cut or len(lines) > 2 * len(accepted) + 100:
            self._rewrite(accepted)
        return accepted

    def append(self, held: Held, fresh: Iterable[Ref], gone: Iterable[Ref]) -> None:
        lines = [_ENCODER.encode(_Line(gone=(ref.kind, ref.namespace, ref.name))) for ref in gone]
        lines += [line_of(known) for ref in fresh if (known := held.accepted(ref)) is not None]
        if lines:
            with open(self._path, "ab", opener=_private) as file:
                file.write(b"\n".join(lines) + b"\n")

    def _rewrite(self, accepted: dict[Ref, Accepted]) -> None:
        fresh = self._path.with_suffix(".new")
        with open(fresh, "wb", opener=_private) as file:
            file.writelines(line_of(each) + b"\n" for each in accepted.values())
        fresh.replace(self._path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
