"""Where the kinds live in the API: a kind and a place in, the path and the parameters of a request out."""

from msgspec import Struct

from headgate.api import Ref


class Kind(Struct, frozen=True):
    name: str
    version: str  # as in apiVersion
    plural: str
    namespaced: bool = True

    def path(self, namespace: str = "", name: str = "") -> str:
        root = f"/apis/{self.version}" if "/" in self.version else f"/api/{self.version}"
        place = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{place}/{self.plural}{f'/{name}' if name else ''}"


INGRESS = Kind("Ingress", "networking.k8s.io/v1", "ingresses")
INGRESS_CLASS = Kind("IngressClass", "networking.k8s.io/v1", "ingressclasses", namespaced=False)
SERVICE = Kind("Service", "v1", "services")
ENDPOINT_SLICE = Kind("EndpointSlice", "discovery.k8s.io/v1", "endpointslices")
SECRET = Kind("Secret", "v1", "secrets")
CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")
NAMESPACE = Kind("Namespace", "v1", "namespaces", namespaced=False)
POD = Kind("Pod", "v1", "pods")
LEASE = Kind("Lease", "coordination.k8s.io/v1", "leases")
EVENT = Kind("Event", "v1", "events")

KINDS = {
    kind.name: kind
    for kind in (
        INGRESS,
        INGRESS_CLASS,
        SERVICE,
        ENDPOINT_SLICE,
        SECRET,
        CONFIG_MAP,
        NAMESPACE,
        POD,
        LEASE,
        EVENT,
    )
}


def path_of(ref: Ref) -> str:
    return KINDS[ref.kind].path(ref.namespace, ref.name)


class Scope(Struct, frozen=True):
    """Which objects of a kind: of one namespace or of all, with these labels, with these fields."""

    kind: Kind
    namespace: str = ""
    labels: str = ""
    fields: str = ""

    @property
    def path(self) -> str:
        return self.kind.path(self.namespace)

    @property
    def params(self) -> dict[str, str]:
        wanted = {"labelSelector": self.labels, "fieldSelector": self.fields}
        return {name: value for name, value in wanted.items() if value}

    def __str__(self) -> str:
        """For sentences: `secrets in shop`."""
        return f"{self.kind.plural} in {self.namespace}" if self.namespace else self.kind.plural
