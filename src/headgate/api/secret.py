"""Secret and ConfigMap (v1). A Secret never shows its contents when printed."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field

from headgate.api.meta import Meta, Ref


class Secret(Struct, frozen=True, gc=False, rename="camel"):
    kind: ClassVar[str] = "Secret"
    meta: Meta = field(name="metadata")
    type: str = "Opaque"
    data: Mapping[str, str] = field(default_factory=dict)
    string_data: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.meta.namespace, self.meta.name)

    def __repr__(self) -> str:
        return f"Secret({self.meta.namespace}/{self.meta.name}, type={self.type!r}, keys={sorted(self.data)})"


class ConfigMap(Struct, frozen=True, gc=False, rename="camel"):
    kind: ClassVar[str] = "ConfigMap"
    meta: Meta = field(name="metadata")
    data: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.meta.namespace, self.meta.name)
