"""Who says what: which files hold which objects. Files come and go; out comes, for each object, the one that counts.

The same object in two files is a mistake that must not make the world depend on the order of reading: the file whose
path sorts first counts, in one file the first line, and when that one goes the next takes over.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from headgate.api import Object, Ref
from headgate.cluster.manifests import Entry
from headgate.model.finding import Finding, Severity


class Claim(Struct, frozen=True, gc=False):
    path: str
    line: int
    found: Object


class Claims:
    def __init__(self) -> None:
        self._claims: dict[Ref, tuple[Claim, ...]] = {}
        self._contested: set[Ref] = set()

    def add(self, path: str, entries: Iterable[Entry]) -> tuple[Ref, ...]:
        """The objects of a file; their names."""
        refs = []
        for entry in entries:
            ref = entry.found.ref
            self._set(ref, (*self._claims.get(ref, ()), Claim(path, entry.line, entry.found)))
            refs.append(ref)
        return tuple(refs)

    def remove(self, path: str, refs: Iterable[Ref]) -> None:
        for ref in refs:
            self._set(ref, tuple(claim for claim in self._claims.get(ref, ()) if claim.path != path))

    def winner(self, ref: Ref) -> Claim | None:
        return next(iter(self._claims.get(ref, ())), None)

    def duplicates(self) -> Iterator[Finding]:
        for ref in self._contested:
            first, *others = (f"{claim.path} (line {claim.line})" for claim in self._claims[ref])
            message = f"is in {first} and again in {' and '.join(others)}: the first one counts"
            yield Finding(ref, Severity.ERROR, "DuplicateObject", message)

    def _set(self, ref: Ref, claims: tuple[Claim, ...]) -> None:
        if len(claims) > 1:
            self._contested.add(ref)
            claims = tuple(sorted(claims, key=lambda claim: (claim.path, claim.line)))
        else:
            self._contested.discard(ref)
        if claims:
            self._claims[ref] = claims
        else:
            self._claims.pop(ref, None)
