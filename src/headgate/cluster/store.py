"""`Store`: the one place where objects live. Objects in, the names of what really changed out, snapshots on demand.

Sources feed it: `files` now, list and watch of a cluster later. An object that comes again with equal content is no
change: the old one stays, by identity, and no name is given out, so that a resync or a touched file costs nothing.
A changed EndpointSlice gives two names: its own, and `Endpoints NAMESPACE/SERVICE` of the Service whose slices it
changed, which is how `translate` remembers that it looked at them.

It belongs to the event loop's thread: nothing here locks. What it gives out is never written to again.
"""

from collections.abc import Iterable, Mapping

from headgate.api import EndpointSlice, Key, Object, Ref, Snapshot
from headgate.api.snapshot import reindex

ENDPOINTS = "Endpoints"


class Store:
    def __init__(self) -> None:
        self._objects: dict[str, dict[Key, Object]] = {}
        self._slices: dict[Key, tuple[EndpointSlice, ...]] = {}
        self._stale: set[str] = set()  # kinds that changed since the last snapshot
        self._last = Snapshot()

    def put(self, objects: Iterable[Object]) -> frozenset[Ref]:
        """New and changed objects; an equal one is left as it was."""
        changed: set[Ref] = set()
        for found in objects:
            ref = found.ref
            of_kind = self._objects.setdefault(ref.kind, {})
            old = of_kind.get((ref.namespace, ref.name))
            if old is found or old == found:
                continue
            of_kind[(ref.namespace, ref.name)] = found
            self._note(changed, ref, old, found)
        return frozenset(changed)

    def drop(self, refs: Iterable[Ref]) -> frozenset[Ref]:
        """Objects that are gone; those that never were are no change."""
        changed: set[Ref] = set()
        for ref in refs:
            old = self._objects.get(ref.kind, {}).pop((ref.namespace, ref.name), None)
            if old is not None:
                self._note(changed, ref, old, None)
        return frozenset(changed)

    def replace(self, kind: str, objects: Iterable[Object], *, namespace: str | None = None) -> frozenset[Ref]:
        """All objects of a kind, as a list says (of one namespace, if it was asked for one): what is not in it is gone.

        So a deletion that was missed while nobody watched comes to light here.
        """
        listed = list(objects)
        there = {(found.ref.namespace, found.ref.name) for found in listed}
        gone = [
            Ref(kind, *key)
            for key in self._objects.get(kind, {})
            if key not in there and (namespace is None or key[0] == namespace)
        ]
        return self.drop(gone) | self.put(listed)

    def snapshot(self) -> Snapshot:
        """The world as it is now. Kinds that did not change are the same mappings as in the snapshot before."""
        if not self._stale:
            return self._last
        fresh: dict[str, Mapping[Key, Object]] = {kind: dict(self._objects[kind]) for kind in self._stale}
        slices = dict(self._slices) if EndpointSlice.kind in self._stale else self._last.slices
        self._stale.clear()
        self._last = Snapshot(objects={**self._last.objects, **fresh}, slices=slices)
        return self._last

    def _note(self, changed: set[Ref], ref: Ref, old: Object | None, new: Object | None) -> None:
        changed.add(ref)
        self._stale.add(ref.kind)
        if ref.kind == EndpointSlice.kind:
            touched = reindex(self._slices, old, new)
            changed.update(Ref(ENDPOINTS, *service) for service in touched)
