"""A folder of manifests as the source of objects: paths in; the store filled and followed, and findings about files out.

`load` reads everything once; `watch` goes on looking for ever. Nothing is trusted to notify: editors, ConfigMap mounts
and network file systems all change files in ways of their own, so the folder is looked at several times a second, and
what looks different is read when it has looked the same for a moment. A file that cannot be read or parsed keeps its
last good content, and a folder that vanishes keeps all of it: only what was really deleted is gone.

`files` and `kube` have one face: a store, a callback with the names of what changed, and findings as a value.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from headgate.api import Ref
from headgate.cluster.claims import Claims
from headgate.cluster.flaws import UNREADABLE, Flaw
from headgate.cluster.folder import Sight, Signature, look, under
from headgate.cluster.manifests import Manifest, read
from headgate.cluster.store import Store
from headgate.cluster.workers import read_files
from headgate.model.finding import Finding, Severity, order

FILE = "File"
SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 0.8  # seconds; a saved change is to answer within one
REST = 20  # times as long as a look took, so that looking takes a twentieth of a core
SETTLED = 0.05  # seconds; a file that did not change for so long is not being written
_EMPTIED = (Flaw("is empty: to delete its objects, delete the file"),)  # a full disk leaves such files behind


class _File(Struct, frozen=True, gc=False):
    """What is remembered of a file; `good` says that its objects are all that it held when it was last in order."""

    signature: Signature | None  # None is standard input, which can be read once
    refs: tuple[Ref, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    good: bool = True


class _News(Struct, frozen=True):
    """What a look found out; `lost` are paths that could not be looked at, and why: what is known of them stays."""

    sight: Sight
    manifests: Mapping[str, Manifest]
    gone: Iterable[str]
    lost: Mapping[str, Flaw]


class FolderSource:
    def __init__(self, paths: Sequence[Path], store: Store) -> None:
        self._roots = tuple(dict.fromkeys(str(path) for path in paths))
        self._store = store
        self._files: dict[str, _File] = {}
        self._claims = Claims()
        self._devices: dict[str, int] = {}  # of the roots that are folders: where they were mounted
        self._lost: Mapping[str, Flaw] = {}
        self._findings: tuple[Finding, ...] = ()
        self._pause = SHORTEST_PAUSE

    def load(self) -> frozenset[Ref]:
        """Look once and read what is there; the names of what changed."""
        sight = look(self._roots)
        return self._take(self._news(sight, self._differing(sight)))

    def load_stream(self, text: bytes, name: str = "-") -> frozenset[Ref]:
        """Standard input, as if it were a file of that name."""
        return self._publish(self._learn(name, None, read(text, name)))

    async def watch(self, changed: Callable[[frozenset[Ref]], None]) -> None:
        """For ever: call `changed` with the names of what changed, or with none when only findings did."""
        while True:
            await asyncio.sleep(self._pause)
            news = await asyncio.to_thread(self._look_again)
            told = self._findings
            refs = self._take(news)
            if refs or self._findings != told:
                changed(refs)

    def findings(self) -> tuple[Finding, ...]:
        return self._findings

    def origin(self, ref: Ref) -> tuple[str, int] | None:
        """The file and the line from which an object came, or on which a file has its mistake."""
        if ref.kind == FILE:
            file = self._files.get(ref.name)
            return (ref.name, file.flaws[0].line or 1) if file is not None and file.flaws else (ref.name, 1)
        claim = self._claims.winner(ref)
        return (claim.path, claim.line) if claim is not None else None

    def _look_again(self) -> _News:
        """Runs in a thread. What is different must look the same twice before it is believed, deletions included."""
        began = time.thread_time()
        sight = look(self._roots)
        self._pause = min(max(SHORTEST_PAUSE, REST * (time.thread_time() - began)), LONGEST_PAUSE)
        differing = self._differing(sight)
        if differing:
            time.sleep(SETTLED)
            before, sight = sight, look(self._roots)
            differing = {path for path in self._differing(sight) if before.files.get(path) == sight.files.get(path)}
        return self._news(sight, differing | self._unreadable(sight))

    def _differing(self, sight: Sight) -> set[str]:
        """Files that are not as they were when we read them: changed, new or gone."""
        known = self._files
        fresh = {path for path, seen in sight.files.items() if path not in known or known[path].signature != seen}
        lost = self._lost_in(sight)
        gone = {path for path, file in known.items() if path not in sight.files and file.signature is not None}
        return fresh | {path for path in gone if not any(under(path, place) for place in lost)}

    def _unreadable(self, sight: Sight) -> set[str]:
        """Files that could not be read are tried again each time: what hindered us need not show in them."""
        return {path for path, file in self._files.items() if file.flaws and _hindered(file) and path in sight.files}

    def _lost_in(self, sight: Sight) -> dict[str, Flaw]:
        lost = {path: Flaw(f"cannot be read: {why}", reason=UNREADABLE) for path, why in sight.unreadable.items()}
        for root in sight.missing:
            if root not in self._files:  # a file that was named and is gone is deleted, as any other
                lost[root] = Flaw("there is no such file or folder", reason="Missing")
        for root, device in sight.devices.items():
            # A mount point without its file system is an empty folder on another device.
            if self._devices.get(root, device) != device and not any(under(path, root) for path in sight.files):
                lost[root] = Flaw("is empty since its file system went away", reason="Missing")
        return lost

    def _news(self, sight: Sight, differing: Iterable[str]) -> _News:
        there = sorted(path for path in differing if path in sight.files)
        manifests = read_files({path: sight.files[path].size for path in there})
        gone = sorted(path for path in differing if path not in sight.files)
        return _News(sight, manifests, gone, self._lost_in(sight))

    def _take(self, news: _News) -> frozenset[Ref]:
        """Make what was found the truth. Runs where the store lives, and does not wait for anything."""
        touched: list[Ref] = []
        for path in news.gone:
            touched += self._forget(path)
        for path, manifest in news.manifests.items():
            touched += self._learn(path, _trusted(news.sight.files[path], news.sight.looked), manifest)
        self._devices |= {root: device for root, device in news.sight.devices.items() if root not in news.lost}
        self._lost = news.lost
        return self._publish(touched)

    def _forget(self, path: str) -> tuple[Ref, ...]:
        file = self._files.pop(path)
        self._claims.remove(path, file.refs)
        return file.refs

    def _learn(self, path: str, signature: Signature | None, manifest: Manifest) -> tuple[Ref, ...]:
        """The names of objects that the file had or has. A flawed file that once was good keeps what it had."""
        old = self._files.get(path, _File(None))
        flaws = _EMPTIED if signature is not None and not signature.size else manifest.flaws
        if flaws and old.good and old.refs:
            self._files[path] = msgspec.structs.replace(old, signature=signature, flaws=flaws)
            return ()
        self._claims.remove(path, old.refs)
        refs = self._claims.add(path, manifest.entries)
        self._files[path] = _File(signature, refs, manifest.flaws, good=not manifest.flaws)
        return (*old.refs, *refs)

    def _publish(self, touched: Iterable[Ref]) -> frozenset[Ref]:
        winners = {ref: self._claims.winner(ref) for ref in touched}
        put = self._store.put(claim.found for claim in winners.values() if claim is not None)
        drop = self._store.drop(ref for ref, claim in winners.items() if claim is None)
        self._findings = tuple(sorted({*self._about_files(), *self._claims.duplicates()}, key=order))
        return put | drop

    def _about_files(self) -> Iterable[Finding]:
        for path, flaw in self._lost.items():
            stays = any(under(known, path) and file.refs for known, file in self._files.items())
            yield _finding(path, flaw, "what came from there stays in force" if stays else "")
        for path, file in self._files.items():
            for flaw in file.flaws:
                yield _finding(path, flaw, "the last good content stays in force" if file.good else "")


def _finding(path: str, flaw: Flaw, but: str) -> Finding:
    message = f"{flaw.message}; {but}" if but else flaw.message
    return Finding(Ref(FILE, "", path), Severity.ERROR, flaw.reason, message, flaw.place)


def _hindered(file: _File) -> bool:
    return any(flaw.reason == UNREADABLE for flaw in file.flaws)


def _trusted(signature: Signature, looked: int) -> Signature:
    """A file that was written just before we looked may be written again in the same tick of its clock, unseen.

    So what is remembered of it equals nothing, and it is read once more.
    """
    is_fresh = 0 <= looked - signature.changed <= SETTLED * 1e9
    return signature._replace(changed=0) if is_fresh else signature
