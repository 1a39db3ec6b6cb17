"""`Feed`: objects of one group on their way to the store, held back until all of the group has been listed.

So a namespace appears as a whole: an Ingress is never seen before the Services and Secrets that it names, only because
they were listed later.
"""

from collections.abc import Callable, Iterable

from headgate.api import Object, Ref
from headgate.api.decode import Head, decode_json
from headgate.cluster.kube.kinds import Kind
from headgate.cluster.kube.reflector import Seen
from headgate.cluster.store import Store


class Feed:
    def __init__(self, store: Store, changed: Callable[[frozenset[Ref]], None]) -> None:
        self._store = store
        self._changed = changed
        self._held_back: dict[Ref, Object] | None = {}
        self._is_closed = False

    def put(self, objects: Iterable[Object]) -> None:
        if self._is_closed:
            return
        if self._held_back is not None:
            self._held_back.update((each.ref, each) for each in objects)
        elif names := self._store.put(objects):
            self._changed(names)

    def drop(self, refs: Iterable[Ref]) -> None:
        if self._held_back is not None:
            for ref in refs:
                self._held_back.pop(ref, None)
        elif names := self._store.drop(refs):
            self._changed(names)

    def open(self) -> None:
        """Everything was listed: let it all go at once, and from now on as it comes."""
        objects, self._held_back = self._held_back or {}, None
        self.put(objects.values())

    def close(self) -> None:
        """The group is gone, and everything of it was dropped. A straggler among its tasks must not bring it back."""
        self._is_closed = True


def decoded(kind: Kind, seen: Seen) -> Object:
    """The object, or what is wrong with its shape."""
    found = decode_json(seen.text, Head(kind.version, kind.name))
    if found is None:
        raise TypeError(f"{kind.name} of {kind.version} is no kind that we read")
    return found
