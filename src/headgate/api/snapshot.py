"""`Snapshot`: every object that we may see, frozen, as known at one moment.

Made by the store in `cluster`; read by `translate` through its `View`. An object that the store did not
replace is the same object in the next snapshot, so identity tells what changed. `replacing` puts
stand-ins in the place of bad objects (see `controller/held`).
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from headgate.api.ingress import Ingress, IngressClass
from headgate.api.meta import Malformed, Ref
from headgate.api.secret import ConfigMap, Secret
from headgate.api.service import EndpointSlice, Service

Known: TypeAlias = Ingress | IngressClass | Service | EndpointSlice | Secret | ConfigMap
Object: TypeAlias = Known | Malformed
Key: TypeAlias = tuple[str, str]  # namespace, name


class Snapshot(Struct, frozen=True):
    """Objects by kind and key, and the slices of each Service."""

    objects: Mapping[str, Mapping[Key, Object]] = field(default_factory=dict)
    slices: Mapping[Key, tuple[EndpointSlice, ...]] = field(default_factory=dict)

    def get(self, ref: Ref) -> Object | None:
        return self.objects.get(ref.kind, {}).get((ref.namespace, ref.name))

    def of_kind(self, kind: str) -> Iterable[Object]:
        return self.objects.get(kind, {}).values()

    def endpoint_slices(self, namespace: str, service: str) -> tuple[EndpointSlice, ...]:
        return self.slices.get((namespace, service), ())

    def replacing(self, stand_ins: Mapping[Ref, Known | None]) -> "Snapshot":
        """The same world with some objects replaced, or left out where there is no stand-in."""
        if not stand_ins:
            return self
        changed = {kind: dict(self.objects.get(kind, {})) for kind in {ref.kind for ref in stand_ins}}
        slices = dict(self.slices) if EndpointSlice.kind in changed else None
        for ref, stand_in in stand_ins.items():
            key = (ref.namespace, ref.name)
            if slices is not None:
                reindex(slices, changed[ref.kind].get(key), stand_in)
            if stand_in is None:
                changed[ref.kind].pop(key, None)
            else:
                changed[ref.kind][key] = stand_in
        return Snapshot(objects={**self.objects, **changed}, slices=self.slices if slices is None else slices)


def reindex(slices: dict[Key, tuple[EndpointSlice, ...]], old: Object | None, new: Object | None) -> set[Key]:
    """Keep the index of slices true when `old` becomes `new`; the Services whose slices changed.

    A slice without the label of a Service belongs to none, and one that is malformed has no label to trust.
    """
    touched = set()
    for slice_, stays in ((old, False), (new, True)):
        if not isinstance(slice_, EndpointSlice) or not slice_.service_name:
            continue
        key = (slice_.meta.namespace, slice_.service_name)
        others = [other for other in slices.get(key, ()) if other.meta.name != slice_.meta.name]
        slices[key] = tuple(sorted([*others, slice_] if stays else others, key=lambda one: one.meta.name))
        touched.add(key)
    for key in touched:
        if not slices[key]:
            del slices[key]
    return touched
