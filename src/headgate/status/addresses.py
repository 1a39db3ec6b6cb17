"""At which addresses are we reached? Three sources, in the order of F5's controller: the ConfigMap, a Service, an IngressLink."""

import ipaddress

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Service


class Sources(Struct, frozen=True):
    """None: nobody asked for it, or it was not seen yet."""

    said: str | None = None  # external-status-address in the ConfigMap
    service: Service | None = None  # of -external-service
    link: str | None = None  # virtualServerAddress of -ingresslink


def addresses_of(sources: Sources) -> tuple[LoadBalancerIngress, ...] | None:
    """Each address once; None as long as no source says anything, which is something else than "none"."""
    if sources.said:
        return _entries((sources.said,))
    if sources.service is not None:
        return _entries(_service_addresses(sources.service))
    return _entries((sources.link,)) if sources.link else None


def _service_addresses(service: Service) -> tuple[str, ...]:
    if service.spec.type == "ExternalName":
        return (service.spec.external_name,)
    balanced = (each.ip or each.hostname for each in service.status.load_balancer.ingress)
    return (*balanced, *service.spec.external_ips)


def _entries(addresses: tuple[str, ...]) -> tuple[LoadBalancerIngress, ...]:
    return tuple(_entry(address) for address in dict.fromkeys(addresses) if address)


def _entry(address: str) -> LoadBalancerIngress:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return LoadBalancerIngress(hostname=address)
    return LoadBalancerIngress(ip=address)
