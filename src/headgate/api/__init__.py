"""Typed Kubernetes resources: JSON in, frozen Structs out. Knows nothing of nginx."""

from headgate.api.ingress import (
    Backend,
    HttpPath,
    HttpRule,
    Ingress,
    IngressClass,
    IngressClassSpec,
    IngressSpec,
    IngressTls,
    PortRef,
    ResourceBackend,
    Rule,
    ServiceBackend,
)
from headgate.api.meta import Malformed, Meta, Ref
from headgate.api.secret import ConfigMap, Secret
from headgate.api.service import (
    SERVICE_NAME_LABEL,
    EndpointConditions,
    EndpointSlice,
    Service,
    ServicePort,
    ServiceSpec,
    SliceEndpoint,
    SlicePort,
)
from headgate.api.snapshot import Key, Known, Object, Snapshot
from headgate.api.status import LoadBalanced, LoadBalancer, LoadBalancerIngress

__all__ = [
    "SERVICE_NAME_LABEL",
    "Backend",
    "ConfigMap",
    "EndpointConditions",
    "EndpointSlice",
    "HttpPath",
    "HttpRule",
    "Ingress",
    "IngressClass",
    "IngressClassSpec",
    "IngressSpec",
    "IngressTls",
    "Key",
    "Known",
    "LoadBalanced",
    "LoadBalancer",
    "LoadBalancerIngress",
    "Malformed",
    "Meta",
    "Object",
    "PortRef",
    "Ref",
    "ResourceBackend",
    "Rule",
    "Secret",
    "Service",
    "ServiceBackend",
    "ServicePort",
    "ServiceSpec",
    "SliceEndpoint",
    "SlicePort",
    "Snapshot",
]
