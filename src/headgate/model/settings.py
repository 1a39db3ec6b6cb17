"""What the operator decided with flags. Not Kubernetes, not nginx: the rules by which one becomes the other."""

from enum import Enum

from msgspec import Struct

from headgate.api import Ref
from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.server import Listener


class Semantics(Enum):
    """Whose reading of paths and wildcards counts."""

    KUBERNETES = "kubernetes"
    NIC = "nic"


class Settings(Struct, frozen=True, gc=False):
    capabilities: Capabilities = Capabilities()
    semantics: Semantics = Semantics.KUBERNETES
    listeners: tuple[Listener, ...] = (Listener(port=80), Listener(port=443, tls=True))
    ingress_class: str | None = None  # None: any class whose controller we are
    classless_is_ours: bool = True  # when there is no IngressClass at all
    allow_empty_host: bool = True
    snippets: bool = False
    configmap: Ref | None = None
    default_certificate: Ref | None = None
    resolver: tuple[str, ...] = ()
    wildcard_certificate: Ref | None = None  # for hosts whose tls entry names no Secret
    default_listeners: tuple[Listener, ...] = ()  # where the default server listens too
    exposure: Exposure = Exposure()

    @property
    def https_port(self) -> int:
        return next((listener.port for listener in self.listeners if listener.tls), 443)
