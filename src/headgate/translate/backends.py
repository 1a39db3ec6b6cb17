"""From a backend of an Ingress to what nginx proxies to: an upstream with its endpoints, or a name to resolve.

One `Backends` serves one object: equal backends within it are one upstream, and mistakes are collected beside.
"""

import hashlib
from collections.abc import Mapping

from msgspec import Struct

from headgate.api import Backend, Malformed, PortRef, Ref, Service, ServiceBackend, ServicePort
from headgate.model.finding import Severity
from headgate.model.options import Options
from headgate.model.server import Endpoint, Pass, PassByName, Target, Upstream
from headgate.model.settings import Settings
from headgate.model.values import Protocol, UpstreamName
from headgate.translate.endpoints import endpoints_of, find_port, is_local
from headgate.translate.names import is_label, is_port_name, is_subdomain, shown
from headgate.translate.notes import Notes
from headgate.translate.view import View

_PROTOCOLS = {
    "https": Protocol.HTTPS,
    "wss": Protocol.HTTPS,
    "kubernetes.io/wss": Protocol.HTTPS,
    "grpc": Protocol.GRPC,
    "kubernetes.io/h2c": Protocol.GRPC,
    "grpcs": Protocol.GRPCS,
}
_WEBSOCKET = frozenset({"ws", "wss", "kubernetes.io/ws", "kubernetes.io/wss"})


class Resolved(Struct, frozen=True, gc=False):
    """A backend, understood: where to, and in whose name."""

    target: Target
    service: str


class Backends:
    def __init__(self, source: Ref, view: View, settings: Settings, options: Options, notes: Notes) -> None:
        self._source = source
        self._view = view
        self._settings = settings
        self._options = options
        self._notes = notes
        self._known: dict[ServiceBackend, Resolved] = {}
        self.upstreams: dict[UpstreamName, Upstream] = {}
        self.endpoints: dict[UpstreamName, tuple[Endpoint, ...]] = {}

    def resolve(self, backend: Backend, field: str) -> Resolved | None:
        """None when the backend itself is wrong; a Service that is merely missing answers 502."""
        if backend.resource is not None:
            self._notes.reject(f"{field}.resource", "a resource backend cannot be served: name a Service instead")
            return None
        wanted = backend.service
        if wanted is None:
            self._notes.reject(field, "it names no Service: write service.name and service.port")
            return None
        if (found := self._known.get(wanted)) is None:
            if not self._is_sound(wanted, field):
                return None
            found = self._known[wanted] = self._resolved(wanted, field)
        return found

    def _is_sound(self, wanted: ServiceBackend, field: str) -> bool:
        if not is_label(wanted.name):
            self._notes.reject(
                f"{field}.service.name",
                f"{shown(wanted.name)} is no Service name: write lower-case letters, digits and dashes",
            )
            return False
        port = wanted.port
        if port.name and not is_port_name(port.name):
            self._notes.reject(
                f"{field}.service.port.name",
                f"{shown(port.name)} is no port name: write up to 15 lower-case letters, digits and dashes",
            )
            return False
        if not port.name and not 0 < port.number < 65536:
            self._notes.reject(
                f"{field}.service.port", "write the port of the Service by name, or by a number from 1 to 65535"
            )
            return False
        return True

    def _resolved(self, wanted: ServiceBackend, field: str) -> Resolved:
        service = self._view.service(self._source.namespace, wanted.name)
        if not isinstance(service, Service):
            self._tell_missing(service, wanted, field)
            return self._upstream(wanted, None, ())
        port = find_port(service, wanted.port)
        if service.spec.type == "ExternalName":
            return self._external(service, port, wanted, field)
        if port is None:
            self._notes.warn("PortMissing", f"{field}.service.port", _no_such_port(service, wanted.port))
            return self._upstream(wanted, None, ())
        slices = self._view.slices(self._source.namespace, wanted.name)
        endpoints = endpoints_of(port, slices)
        if not endpoints:
            said = f"Service {service.meta.name} has no ready endpoint on port {port.name or port.port}; requests get 502 until it has"
            self._notes.say(Severity.INFO, "NoEndpoints", f"{field}.service", said)
        return self._upstream(wanted, port, endpoints)

    def _tell_missing(self, service: Malformed | None, wanted: ServiceBackend, field: str) -> None:
        name = f"{self._source.namespace}/{wanted.name}"
        trouble = "does not exist" if service is None else f"cannot be read ({service.field}: {service.message})"
        self._notes.warn(
            "ServiceMissing", f"{field}.service.name", f"Service {name} {trouble}; requests get 502 meanwhile"
        )

    def _upstream(self, wanted: ServiceBackend, port: ServicePort | None, endpoints: tuple[Endpoint, ...]) -> Resolved:
        name = upstream_name(self._source, wanted)
        self.upstreams[name] = Upstream(name, self._options.balancing)
        self.endpoints[name] = endpoints
        protocol, websocket = self._spoken(wanted.name, port)
        return Resolved(Pass(name, protocol, websocket, self._rewrite(wanted.name)), wanted.name)

    def _external(self, service: Service, port: ServicePort | None, wanted: ServiceBackend, field: str) -> Resolved:
        host = service.spec.external_name.rstrip(".").lower()
        number = port.port if port is not None else wanted.port.number
        if (trouble := self._external_trouble(host, number)) is not None:
            said = f"Service {service.meta.name}: externalName {shown(service.spec.external_name)}: {trouble}; requests get 502"
            self._notes.warn("ExternalNameRefused", f"{field}.service", said)
            return self._upstream(wanted, port, ())
        protocol, websocket = self._spoken(wanted.name, port)
        target = PassByName(host, number, protocol, websocket, self._rewrite(wanted.name))
        return Resolved(target, wanted.name)

    def _external_trouble(self, host: str, number: int) -> str | None:
        if is_local(host):
            return "it would reach Headgate's own machine: name another host"
        if not is_subdomain(host):
            return "it is no DNS name"
        if not 0 < number < 65536:
            return "its port is not known by this name: list the port in the Service, or use a number"
        if not self._settings.resolver:
            return "there is no resolver to ask: give one with --resolver"
        return None

    def _spoken(self, service: str, port: ServicePort | None) -> tuple[Protocol, bool]:
        """Annotations name Services; otherwise the port's appProtocol says it."""
        routing = self._options.routing
        said = (port.app_protocol or "").lower() if port is not None else ""
        protocol = _PROTOCOLS.get(said, Protocol.HTTP)
        tls = service in (routing.ssl_services or ()) or protocol in (Protocol.HTTPS, Protocol.GRPCS)
        grpc = service in (routing.grpc_services or ()) or protocol.is_grpc
        if grpc and not (self._options.globals.http2 and self._settings.capabilities.http2):
            self._notes.warn(
                "Http2Off",
                "",
                f"Service {service} speaks gRPC, which needs HTTP/2, and the ConfigMap turns that off: it is proxied as HTTP/1.1",
            )
            grpc = False
        websocket = not grpc and (service in (routing.websocket_services or ()) or said in _WEBSOCKET)
        return _PROTOCOL[grpc, tls], websocket

    def _rewrite(self, service: str) -> str | None:
        return next((each.target for each in self._options.routing.rewrites or () if each.service == service), None)


_PROTOCOL: Mapping[tuple[bool, bool], Protocol] = {
    (False, False): Protocol.HTTP,
    (False, True): Protocol.HTTPS,
    (True, False): Protocol.GRPC,
    (True, True): Protocol.GRPCS,
}


def upstream_name(source: Ref, wanted: ServiceBackend) -> UpstreamName:
    """A short hash first, since nginx compares names from the left for every proxy_pass; then something to read.

    A namespace, a Service and a port have no dots, so the readable part can be taken apart again.
    """
    port = wanted.port.name or wanted.port.number
    readable = f"{source.namespace}.{source.name}.{wanted.name}.{port}"
    digest = hashlib.blake2b(f"{source.kind}/{readable}".encode(errors="surrogatepass"), digest_size=4).hexdigest()
    return UpstreamName(f"{digest}.{readable}")


def _no_such_port(service: Service, wanted: PortRef) -> str:
    known = ", ".join(f"{port.port} ({port.name})" if port.name else str(port.port) for port in service.spec.ports)
    return f"Service {service.meta.name} has no port {wanted.name or wanted.number}; it has {known or 'none'}. Requests get 502"
