"""Ingress and IngressClass of networking.k8s.io/v1, only the fields that we read."""

from typing import ClassVar

from msgspec import Struct, field

from headgate.api.meta import Meta, Ref


class PortRef(Struct, frozen=True, gc=False, rename="camel"):
    """A Service port by name or by number."""

    name: str = ""
    number: int = 0


class ServiceBackend(Struct, frozen=True, gc=False, rename="camel"):
    name: str
    port: PortRef = PortRef()


class ResourceBackend(Struct, frozen=True, gc=False, rename="camel"):
    kind: str = ""
    name: str = ""


class Backend(Struct, frozen=True, gc=False, rename="camel"):
    service: ServiceBackend | None = None
    resource: ResourceBackend | None = None


class HttpPath(Struct, frozen=True, gc=False, rename="camel"):
    backend: Backend
    path: str = ""
    path_type: str = ""


class HttpRule(Struct, frozen=True, gc=False, rename="camel"):
    paths: tuple[HttpPath, ...] = ()


class Rule(Struct, frozen=True, gc=False, rename="camel"):
    host: str = ""
    http: HttpRule | None = None


class IngressTls(Struct, frozen=True, gc=False, rename="camel"):
    hosts: tuple[str, ...] = ()
    secret_name: str = ""


class IngressSpec(Struct, frozen=True, gc=False, rename="camel"):
    ingress_class_name: str | None = None
    default_backend: Backend | None = None
    tls: tuple[IngressTls, ...] = ()
    rules: tuple[Rule, ...] = ()


class Ingress(Struct, frozen=True, gc=False, rename="camel"):
    kind: ClassVar[str] = "Ingress"
    meta: Meta = field(name="metadata")
    spec: IngressSpec = IngressSpec()

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.meta.namespace, self.meta.name)


class IngressClassSpec(Struct, frozen=True, gc=False, rename="camel"):
    controller: str = ""


class IngressClass(Struct, frozen=True, gc=False, rename="camel"):
    """Cluster-wide: its namespace is always empty."""

    kind: ClassVar[str] = "IngressClass"
    meta: Meta = field(name="metadata")
    spec: IngressClassSpec = IngressClassSpec()

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, "", self.meta.name)
