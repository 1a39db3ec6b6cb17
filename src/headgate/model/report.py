"""`Report`: what the cluster shall be told. Made by `status`, written by whoever talks to the cluster; both know only these values."""

from enum import Enum

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Ref


class StatusPatch(Struct, frozen=True, gc=False):
    """`status.loadBalancer.ingress` as it shall be, whole: the API knows no part of such a list."""

    ref: Ref
    ingress: tuple[LoadBalancerIngress, ...]


class EventType(Enum):
    NORMAL = "Normal"
    WARNING = "Warning"


class EventNote(Struct, frozen=True, gc=False):
    """One thing to say about an object, to whoever describes it."""

    ref: Ref
    uid: str
    type: EventType
    reason: str  # CamelCase, for machines
    message: str


class Report(Struct, frozen=True):
    patches: tuple[StatusPatch, ...] = ()
    events: tuple[EventNote, ...] = ()
