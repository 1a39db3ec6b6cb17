"""Service (v1) and EndpointSlice (discovery.k8s.io/v1), only the fields that we read."""

from typing import ClassVar

from msgspec import Struct, field

from headgate.api.meta import Meta, Ref
from headgate.api.status import LoadBalanced

SERVICE_NAME_LABEL = "kubernetes.io/service-name"


class ServicePort(Struct, frozen=True, gc=False, rename="camel"):
    port: int
    name: str = ""
    protocol: str = "TCP"
    target_port: int | str | None = None
    app_protocol: str | None = None


class ServiceSpec(Struct, frozen=True, gc=False, rename="camel"):
    type: str = "ClusterIP"
    cluster_ip: str = field(default="", name="clusterIP")
    external_name: str = ""
    external_ips: tuple[str, ...] = field(default=(), name="externalIPs")
    ports: tuple[ServicePort, ...] = ()


class Service(Struct, frozen=True, gc=False, rename="camel"):
    kind: ClassVar[str] = "Service"
    meta: Meta = field(name="metadata")
    spec: ServiceSpec = ServiceSpec()
    status: LoadBalanced = LoadBalanced()  # its addresses may be the ones that Ingresses are given

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.meta.namespace, self.meta.name)


class EndpointConditions(Struct, frozen=True, gc=False, rename="camel"):
    """`None` is "not said", which the API defines per field: ready and serving when unknown, not terminating."""

    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class TargetRef(Struct, frozen=True, gc=False, rename="camel"):
    """The Pod behind an endpoint."""

    name: str = ""


class SliceEndpoint(Struct, frozen=True, gc=False, rename="camel"):
    addresses: tuple[str, ...] = ()
    conditions: EndpointConditions = EndpointConditions()
    target_ref: TargetRef | None = None


class SlicePort(Struct, frozen=True, gc=False, rename="camel"):
    name: str | None = None
    port: int | None = None
    protocol: str = "TCP"
    app_protocol: str | None = None


class EndpointSlice(Struct, frozen=True, gc=False, rename="camel"):
    kind: ClassVar[str] = "EndpointSlice"
    meta: Meta = field(name="metadata")
    address_type: str = "IPv4"
    endpoints: tuple[SliceEndpoint, ...] = ()
    ports: tuple[SlicePort, ...] = ()

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.meta.namespace, self.meta.name)

    @property
    def service_name(self) -> str:
        return self.meta.labels.get(SERVICE_NAME_LABEL, "")
