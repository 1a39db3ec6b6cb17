"""`View`: the snapshot as one object sees it, remembering every look.

What was looked at, misses included, is the key of the object's memo: creating the missing thing must change the answer.
Looks are remembered by identity, since an object that the store did not replace is the same object.
"""

from headgate.api import EndpointSlice, Malformed, Object, Ref, Secret, Service, Snapshot

ENDPOINTS = "Endpoints"  # the name under which the slices of a Service are looked at


class View:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.looks: dict[Ref, object] = {}

    def service(self, namespace: str, name: str) -> Service | Malformed | None:
        found = self._look(Ref("Service", namespace, name))
        return found if isinstance(found, Service | Malformed) else None

    def secret(self, namespace: str, name: str) -> Secret | Malformed | None:
        found = self._look(Ref("Secret", namespace, name))
        return found if isinstance(found, Secret | Malformed) else None

    def slices(self, namespace: str, service: str) -> tuple[EndpointSlice, ...]:
        found = self._snapshot.endpoint_slices(namespace, service)
        self.looks[Ref(ENDPOINTS, namespace, service)] = found
        return found

    def _look(self, ref: Ref) -> Object | None:
        found = self._snapshot.get(ref)
        self.looks[ref] = found
        return found


def still_true(looks: dict[Ref, object], snapshot: Snapshot) -> bool:
    """Would every look give the very same thing now?"""
    return all(_now(ref, snapshot) is seen for ref, seen in looks.items())


def _now(ref: Ref, snapshot: Snapshot) -> object:
    if ref.kind == ENDPOINTS:
        return snapshot.endpoint_slices(ref.namespace, ref.name)
    return snapshot.get(ref)
