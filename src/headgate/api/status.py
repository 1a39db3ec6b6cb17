"""The status of an Ingress or a Service: at which addresses it is reached from outside.

It is no part of `Ingress`: a status that somebody writes, ourselves above all, is no change of the object.
"""

from msgspec import Struct


class PortStatus(Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    port: int
    protocol: str
    error: str = ""


class LoadBalancerIngress(Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """One address, as an IP or as a name. We set no ports, but those of other controllers' entries must survive our writing."""

    ip: str = ""
    hostname: str = ""
    ports: tuple[PortStatus, ...] = ()


class LoadBalancer(Struct, frozen=True, gc=False, rename="camel"):
    ingress: tuple[LoadBalancerIngress, ...] = ()


class LoadBalanced(Struct, frozen=True, gc=False, rename="camel"):
    load_balancer: LoadBalancer = LoadBalancer()
