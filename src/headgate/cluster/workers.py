"""Read many files at once: paths in, manifests out, on all cores when there is so much YAML that it pays.

The workers are plain children, started for one load and gone after it: `python -m headgate.cluster.workers` takes paths
on standard input and answers with typed objects, packed. They inherit no sockets, as children of a fork would, and may
be started while threads run. A worker that dies, or cannot be started, costs time and nothing else: its files are read
here.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from headgate.api import Malformed, Object
from headgate.api.decode import KINDS
from headgate.cluster.flaws import Flaw
from headgate.cluster.manifests import Entry, Manifest, read_file

WORTH_WORKERS = 3_000_000  # bytes of YAML: half a second of reading; a worker takes a tenth of one to start
MOST_WORKERS = 4  # each takes some 50 MB while it lives


class _Packed(Struct, frozen=True, array_like=True):
    type: str
    line: int
    body: Raw


class _Answer(Struct, frozen=True, array_like=True):
    entries: list[_Packed]
    flaws: tuple[Flaw, ...]


def read_files(sizes: Mapping[str, int]) -> dict[str, Manifest]:
    """All these files; how long they are decides whether to share the work."""
    yaml = [path for path in sizes if not path.lower().endswith(".json")]
    shares = min(_cores(), MOST_WORKERS) if sum(sizes[path] for path in yaml) > WORTH_WORKERS else 1
    found = read_in_workers(yaml, shares) if shares > 1 else {}
    return found | {path: read_file(Path(path)) for path in sizes if path not in found}


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def read_in_workers(paths: Sequence[str], shares: int) -> dict[str, Manifest]:
    """What that many workers could read; the rest is missing."""
    with ThreadPoolExecutor(shares) as threads:
        # Every n-th file, because neighbours tend to be alike in size.
        answers = threads.map(_ask, [paths[first::shares] for first in range(shares)])
        return {path: manifest for answer in answers for path, manifest in answer.items()}


def _ask(paths: Sequence[str]) -> dict[str, Manifest]:
    question = msgspec.msgpack.encode([os.fsencode(path) for path in paths])
    command = [sys.executable, "-P", "-m", __name__]
    try:
        # A group of its own: Ctrl-C is for us to hear.
        done = subprocess.run(command, input=question, capture_output=True, check=True, process_group=0)
        answers = msgspec.msgpack.decode(done.stdout, type=list[_Answer | None])
    except (OSError, subprocess.CalledProcessError, msgspec.DecodeError):
        return {}
    return {path: _unpacked(answer) for path, answer in zip(paths, answers, strict=True) if answer is not None}


def answer(question: bytes) -> bytes:
    """The worker's whole life."""
    paths = msgspec.msgpack.decode(question, type=list[bytes])
    return msgspec.msgpack.encode([_packed(read_file(Path(os.fsdecode(path)))) for path in paths])


def _packed(manifest: Manifest) -> _Answer | None:
    """None for what cannot be packed, a number of more than 64 bits: it is read again by who asked."""
    pack = msgspec.msgpack.encode
    try:
        entries = [_Packed(type(one.found).__name__, one.line, Raw(pack(one.found))) for one in manifest.entries]
    except OverflowError:
        return None
    return _Answer(entries, manifest.flaws)


def _unpacked(answer: _Answer) -> Manifest:
    entries = tuple(Entry(_decoder(one.type).decode(one.body), one.line) for one in answer.entries)
    return Manifest(entries, answer.flaws)


@cache
def _decoder(name: str) -> msgspec.msgpack.Decoder[Object]:
    types: dict[str, type[Object]] = {kind.__name__: kind for kind in (*KINDS.values(), Malformed)}
    return msgspec.msgpack.Decoder(types[name])


if __name__ == "__main__":
    sys.stdout.buffer.write(answer(sys.stdin.buffer.read()))
