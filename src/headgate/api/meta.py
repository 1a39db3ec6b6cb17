"""What every Kubernetes object has: a name, an age, annotations; and `Ref`, the way we point at one.

There is no `resourceVersion` here on purpose: two versions of an object are equal when what we read of
them is equal, so a status write or a managedFields change is no change at all.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class Ref(Struct, frozen=True, order=True, gc=False):
    """Points at an object: whom to blame, and whom to tell."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class Meta(Struct, frozen=True, gc=False, rename="camel"):
    """The part of `metadata` that decides anything."""

    name: str
    namespace: str = "default"
    uid: str = ""
    creation_timestamp: str = ""
    generation: int = 0
    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


class Malformed(Struct, frozen=True, gc=False):
    """An object whose shape is wrong: it has a name, so it can be held, and a sentence, so it can be mended."""

    ref: Ref
    message: str
    field: str = ""
    raw: Any = None
