"""From a Service and its EndpointSlices to addresses.

Kubernetes' own rules: a slice belongs to a Service by its label, a port by its name; what a condition does not say counts
as ready. A terminating endpoint leaves at once, unless nothing else serves.
"""

import ipaddress
import re

from headgate.api import EndpointSlice, PortRef, Service, ServicePort, SliceEndpoint
from headgate.model.server import Endpoint
from headgate.translate.names import is_ipv4

_LEADING_ZEROS = re.compile(r"\b0+(?=\d)", re.ASCII)  # nginx reads 127.000.000.001 as an address, Python does not
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})


def find_port(service: Service, wanted: PortRef) -> ServicePort | None:
    """The Service port that a backend names or numbers."""
    for port in service.spec.ports:
        if port.protocol != "TCP":
            continue  # DNS, for one, has the same number twice
        if (wanted.name and port.name == wanted.name) or (not wanted.name and port.port == wanted.number):
            return port
    return None


def endpoints_of(port: ServicePort, slices: tuple[EndpointSlice, ...]) -> tuple[Endpoint, ...]:
    """Where requests may go now, sorted, each address once."""
    serving: set[Endpoint] = set()
    leaving: set[Endpoint] = set()
    for each in slices:
        number = _number(port, each)
        if number is None:
            continue
        for endpoint in each.endpoints:
            known = {Endpoint(address, number) for address in endpoint.addresses if _is_address(address)}
            if is_ready(endpoint):
                serving |= known
            elif _still_serves(endpoint):
                leaving |= known
    return tuple(sorted(serving or leaving))


def _number(port: ServicePort, of: EndpointSlice) -> int | None:
    if of.address_type not in ("IPv4", "IPv6"):
        return None
    for candidate in of.ports:
        if (candidate.name or "") == port.name and candidate.protocol == port.protocol:
            number = candidate.port if candidate.port is not None else _target(port)
            return number if 0 < number < 65536 else None
    return None


def _target(port: ServicePort) -> int:
    return port.target_port if isinstance(port.target_port, int) else port.port


def is_ready(endpoint: SliceEndpoint) -> bool:
    return endpoint.conditions.ready is not False and endpoint.conditions.terminating is not True


def _still_serves(endpoint: SliceEndpoint) -> bool:
    conditions = endpoint.conditions
    serving = conditions.serving if conditions.serving is not None else conditions.ready is not False
    return bool(conditions.terminating and serving)


def _is_address(text: str) -> bool:
    if is_ipv4(text):
        return True
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def is_local(host: str) -> bool:
    """Would this name lead to the machine we run on, and so to ports that are ours?"""
    name = host.rstrip(".").lower()
    if name in _LOCAL_NAMES or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(_LEADING_ZEROS.sub("", name))
    except ValueError:
        return False
    return address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
