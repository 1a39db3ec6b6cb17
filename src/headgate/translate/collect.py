"""Let every source object claim what it wants, compiling again only what looked at something that changed.

The memo is invisible: with and without it the claims are equal, and a test holds that. It is dropped whole when what
every object is read against (flags, ConfigMap, classes) changes.
"""

from collections.abc import Iterable

from msgspec import Struct

from headgate.api import Ingress, Key, Malformed, Meta, Ref, Snapshot
from headgate.errors import Bug
from headgate.model.finding import Finding, Severity
from headgate.model.server import Site
from headgate.translate.claims import Claim
from headgate.translate.classes import Classes
from headgate.translate.ingress import Common, Pairs, claim
from headgate.translate.view import View, still_true

SPARE = 100  # pairs that may be remembered for nothing before the rest is forgotten


class Compiled(Struct):
    """A claim, the object it was made from, and everything that was looked at on the way."""

    of: Ingress | Malformed
    claim: Claim | None  # None: not ours
    looks: dict[Ref, object]


class Memo:
    """What passes remember of each other."""

    def __init__(self) -> None:
        self.against: tuple[Common, Classes] | None = None
        self.pairs = Pairs()
        self.compiled: dict[Key, Compiled] = {}
        self.readers: dict[Ref, set[Key]] = {}
        self.sites: dict[Ref, tuple[Site, frozenset[object], Site]] = {}

    def forget_unless(self, against: tuple[Common, Classes]) -> None:
        if self.against != against:
            self.against = against
            self.compiled.clear()
            self.readers.clear()

    def remember(self, key: Key, compiled: Compiled) -> None:
        self.forget(key)
        self.compiled[key] = compiled
        for ref in compiled.looks:
            self.readers.setdefault(ref, set()).add(key)

    def forget(self, key: Key) -> None:
        if (old := self.compiled.pop(key, None)) is not None:
            for ref in old.looks:
                readers = self.readers[ref]
                readers.discard(key)
                if not readers:
                    del self.readers[ref]


def collect(
    snapshot: Snapshot, common: Common, classes: Classes, *, memo: Memo, stale: Iterable[Ref] | None
) -> list[Claim]:
    """Claims in the order of namespace and name. `stale`: names of what changed; None when nobody knows."""
    memo.forget_unless((common, classes))
    ingresses = snapshot.objects.get("Ingress", {})
    for key in [key for key in memo.compiled if key not in ingresses]:
        memo.forget(key)
    doubtful = _doubtful(memo, stale)
    claims = []
    for key in sorted(ingresses):
        ingress = ingresses[key]
        known = memo.compiled.get(key)
        if known is None or known.of is not ingress or (key in doubtful and not still_true(known.looks, snapshot)):
            known = _compile(ingress, snapshot, common, classes, memo.pairs)
            memo.remember(key, known)
        if known.claim is not None:
            claims.append(known.claim)
    if len(memo.pairs) > 2 * len(memo.readers) + SPARE:
        memo.pairs.forget_but(memo.readers)
    return claims


def _doubtful(memo: Memo, stale: Iterable[Ref] | None) -> set[Key] | dict[Key, Compiled]:
    if stale is None:
        return memo.compiled
    return set().union(*(memo.readers.get(ref, ()) for ref in stale))


def _compile(ingress: object, snapshot: Snapshot, common: Common, classes: Classes, pairs: Pairs) -> Compiled:
    if not isinstance(ingress, Ingress | Malformed):
        raise TypeError(f"{type(ingress).__name__} among the Ingresses")
    if not classes.is_ours(ingress):
        return Compiled(ingress, None, {})
    view = View(snapshot)
    try:
        made = claim(ingress, view, common, pairs)
    except Bug as why:
        made = _our_fault(ingress.ref, why)
    return Compiled(ingress, made, view.looks)


def _our_fault(source: Ref, why: Bug) -> Claim:
    """One tenant never stops another: our own mistake is pinned on the object at hand."""
    said = f"Headgate itself failed on this object ({type(why).__name__}: {why}); please report it"
    finding = Finding(source, Severity.ERROR, "Bug", said)
    meta = Meta(name=source.name, namespace=source.namespace)
    return Claim(source, meta, Site(source), findings=(finding,), rejected=frozenset({source}))
