"""`diff`: two models in, the smallest thing that moves nginx from one to the other out."""

from typing import TypeAlias

from msgspec import Struct

from headgate.model.shape import Model
from headgate.model.values import UpstreamName


class Unchanged(Struct, frozen=True):
    pass


class EndpointsMoved(Struct, frozen=True):
    upstreams: tuple[UpstreamName, ...]


class Reload(Struct, frozen=True):
    pass


Change: TypeAlias = Unchanged | EndpointsMoved | Reload


def diff(live: Model, wanted: Model) -> Change:
    if live.shape is not wanted.shape and live.shape != wanted.shape:
        return Reload()
    old, new = live.table.endpoints, wanted.table.endpoints
    moved = tuple(name for name, peers in new.items() if (was := old.get(name)) is not peers and was != peers)
    return EndpointsMoved(moved) if moved else Unchanged()
