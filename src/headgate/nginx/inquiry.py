"""Who owns what in a refused tree, and how to find a culprit by trying parts of it.

A `FileSet` and the suspects (objects whose present version nginx never accepted) go in; `blame` asks the questions.
Two kinds of suspect exist. An owner has a file, which a trial can leave out. One that is spread (a ConfigMap) has no
file but lines in the main file and perhaps snippets in everybody's: it is tried by taking its lines out of a file
that fails. A trial counts as failed only when nginx complains of the same thing, because a part of a configuration
may also fail for want of the rest.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from headgate.api import Ref
from headgate.model.fileset import File, FileSet
from headgate.nginx.check import Check
from headgate.nginx.words import Complaint


class Inquiry:
    def __init__(self, fileset: FileSet, suspects: Sequence[Ref], check: Check) -> None:
        self.files = fileset.files
        self.suspects = dict.fromkeys(suspects)  # a set that keeps the order of suspicion
        self._check = check
        sites = {path: file for path, file in self.files.items() if "/" in path and not file.secret}
        self.ours = [path for path, file in sites.items() if file.source is None]
        self.accepted = [path for path, file in sites.items() if file.source and file.source not in self.suspects]
        self.owned = owned_by(self.suspects, sites)
        self.guests = guests_in(sites, self.suspects)
        self._homes = {ref: path for path, guests in self.guests.items() for ref in guests}  # any file it is in
        lodgers = {block.source for file in self.files.values() if not file.secret for block in file.blocks}
        self.spread = [ref for ref in self.suspects if ref in lodgers and ref not in self.owned]

    def source_of(self, complaint: Complaint) -> Ref | None:
        """Whose line nginx points at."""
        file = self.files.get(complaint.path)
        return file.source_of_line(complaint.line) if file else None

    def secret_in(self, complaint: Complaint) -> Ref | None:
        """The suspect whose key or certificate the message names."""
        named = (self.files.get(name) for name in complaint.names())
        return next((file.source for file in named if file and file.secret and file.source in self.suspects), None)

    def mentioning(self, complaint: Complaint) -> list[Ref]:
        """Suspects in whose own text something stands that the message names."""
        pattern = pattern_of(complaint)
        if pattern is None:
            return []
        return [ref for ref in self.suspects if any(pattern.search(text) for text in self._texts_of(ref))]

    def _texts_of(self, ref: Ref) -> Iterator[str]:
        if ref in self.owned:
            for path in self.owned[ref]:
                yield from (block.text for block in self.files[path].blocks if block.source in (None, ref))
        elif ref in self.spread:
            for file in self.files.values():
                yield from (block.text for block in file.blocks if block.source == ref)

    async def complains(self, paths: Iterable[str], instead: Mapping[str, str] | None = None) -> Complaint | None:
        """What nginx says about these files with nothing but our own beside them."""
        return await self._check.part((*self.ours, *paths), instead=instead)

    async def guest_at_fault(self, path: str, gist: str) -> Ref | None:
        """The suspect without whose lines this file, which belongs to somebody else, would pass."""
        guests = self.guests.get(path, ())
        if not guests or not alike(await self.complains((path,)), gist):
            return None
        for ref in guests:
            if not alike(await self.complains((path,), instead={path: without(self.files[path], ref)}), gist):
                return ref
        return None

    async def search(self, group: Sequence[Ref], gist: str) -> Ref | None:
        """The culprit within the group: first on their own, then together with everything that was accepted."""
        for ref in group:
            home = self._homes.get(ref)
            if home is not None and await self.guest_at_fault(home, gist) == ref:
                return ref
        owners = [ref for ref in group if ref in self.owned]
        for kept in ((), tuple(self.accepted)) if self.accepted else ((),):
            if owners and (found := await self._smallest(owners, kept, gist)) is not None:
                return await self.guest_at_fault(self.owned[found][0], gist) or found
        return None

    async def _smallest(self, owners: Sequence[Ref], kept: tuple[str, ...], gist: str) -> Ref | None:
        """The owner who completes the smallest failing prefix: right for single culprits and for pairs."""

        async def fails(count: int) -> bool:
            if count == len(self.owned) and len(kept) == len(self.accepted):
                return True  # that is the whole tree, which was refused
            paths = [path for ref in owners[:count] for path in self.owned[ref]]
            return alike(await self.complains((*kept, *paths)), gist)

        passing, failing = 0, len(owners)
        if not await fails(failing):
            return None
        while failing - passing > 1:
            middle = (passing + failing) // 2
            passing, failing = (passing, middle) if await fails(middle) else (middle, failing)
        return None if failing == 1 and await fails(0) else owners[failing - 1]


def owned_by(suspects: Iterable[Ref], sites: Mapping[str, File]) -> dict[Ref, list[str]]:
    """The files of each suspect that has any, in the order of suspicion."""
    owned: dict[Ref, list[str]] = {ref: [] for ref in suspects}
    for path, file in sites.items():
        if file.source in owned:
            owned[file.source].append(path)
    return {ref: paths for ref, paths in owned.items() if paths}


def guests_in(sites: Mapping[str, File], suspects: Mapping[Ref, None]) -> dict[str, tuple[Ref, ...]]:
    """The suspects that have lines in a file of somebody else."""
    guests: dict[str, tuple[Ref, ...]] = {}
    for path, file in sites.items():
        found = {block.source for block in file.blocks if block.source != file.source and block.source in suspects}
        if found:
            guests[path] = tuple(ref for ref in suspects if ref in found)
    return guests


def without(file: File, ref: Ref) -> str:
    return "".join(block.text for block in file.blocks if block.source != ref)


def alike(complaint: Complaint | None, gist: str) -> bool:
    return complaint is not None and complaint.gist == gist


def pattern_of(complaint: Complaint) -> re.Pattern[str] | None:
    """What to look for in the suspects' texts."""
    if variable := complaint.variable():
        return re.compile(rf"\$\{{?{re.escape(variable)}(?!\w)", re.IGNORECASE)  # nginx prints names in lower case
    if complaint.bind:
        port = complaint.bind.rpartition(":")[2]
        return re.compile(rf"\blisten\s[^;]*(?<!\w){re.escape(port)}(?!\w)")
    names = sorted({re.escape(name) for name in complaint.names()})
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(names)})(?![\w.-])") if names else None
