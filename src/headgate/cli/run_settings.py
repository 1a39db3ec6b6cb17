"""From the flags of `headgate run` to what the rooms below are built with: settings, places on disk, who we are."""

import socket
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from headgate.api import Ref
from headgate.cli.flags import RESOLV_CONF, resolvers
from headgate.cli.run_flags import RunFlags
from headgate.errors import Unusable
from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.layout import Layout
from headgate.model.server import Listener
from headgate.model.settings import Settings

_PLAIN, _TLS = 80, 443


class Pod(Struct, frozen=True):
    """Our own: where the Lease is, and whom events about Headgate itself are about."""

    namespace: str
    name: str

    @property
    def ref(self) -> Ref:
        return Ref("Pod", self.namespace, self.name)


def run_settings(flags: RunFlags, capabilities: Capabilities) -> Settings:
    return Settings(
        capabilities=msgspec.structs.replace(capabilities, ipv6=False) if flags.disable_ipv6 else capabilities,
        semantics=flags.ingress_semantics,
        listeners=(Listener(flags.http_port), Listener(flags.https_port, tls=True)),
        ingress_class=flags.ingress_class,
        classless_is_ours=False,
        allow_empty_host=flags.allow_empty_ingress_host,
        snippets=flags.enable_snippets,
        configmap=flags.nginx_configmaps,
        default_certificate=flags.default_server_tls_secret,
        resolver=tuple(resolvers(RESOLV_CONF)),
        wildcard_certificate=flags.wildcard_tls_secret,
        default_listeners=_default_listeners(flags),
        exposure=_exposure(flags),
    )


def _default_listeners(flags: RunFlags) -> tuple[Listener, ...]:
    """Further ports of the default server; the usual ones go without saying."""
    usual = (_PLAIN, _TLS, flags.http_port, flags.https_port)
    wanted = ((flags.default_http_listener_port, False), (flags.default_https_listener_port, True))
    return tuple(Listener(port, tls=tls) for port, tls in wanted if port not in usual)


def _exposure(flags: RunFlags) -> Exposure:
    return Exposure(
        status_socket=flags.enable_prometheus_metrics,
        status_port=flags.nginx_status_port if flags.nginx_status else 0,
        status_allow=flags.nginx_status_allow_cidrs,
        latency=flags.enable_latency_metrics,
        health_uri=flags.health_status_uri if flags.health_status else "",
    )


def run_layout(flags: RunFlags, *, user: str | None = None) -> Layout:
    return Layout(tree=flags.nginx_dir, run=flags.state_dir, temp=f"{flags.state_dir}/temp", user=user)


def named_secrets(flags: RunFlags) -> tuple[Ref, ...]:
    """Secrets that flags name: nothing else may refer to them, and they are wanted all the same."""
    named = (flags.default_server_tls_secret, flags.wildcard_tls_secret, flags.prometheus_tls_secret)
    return tuple(dict.fromkeys(ref for ref in named if ref is not None))


def own_pod(environment: Mapping[str, str], flags: RunFlags) -> Pod:
    """From the downward API; outside a cluster from what there is."""
    namespace, name = environment.get("POD_NAMESPACE", ""), environment.get("POD_NAME", "")
    if flags.proxy or flags.kubeconfig or flags.context:
        return Pod(namespace or "default", name or socket.gethostname())
    if missing := [key for key, value in (("POD_NAMESPACE", namespace), ("POD_NAME", name)) if not value]:
        raise Unusable(
            f"{' and '.join(missing)} must be set in the environment: give the Pod's own namespace and name with fieldRef, "
            "as the manifests do, or use -kubeconfig outside a cluster"
        )
    return Pod(namespace, name)
