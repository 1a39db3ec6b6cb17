"""A context of a kubeconfig in, `Access` out: which cluster, and as whom.

What is wrong with it is `Unusable`, in a sentence that names the file and the entry.
"""

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from headgate.cluster.kube.access import Access, Plugin
from headgate.cluster.kube.kubeconfig import Cluster, Exec, Kubeconfig, User
from headgate.errors import Unusable

PROTOCOLS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
T = TypeVar("T")


def access_in(config: Kubeconfig, context: str | None = None) -> Access:
    """What the context says, or the current one when none is named."""
    name = context or config.current
    if not name:
        raise Unusable(f"{_files(config)}: there is no current-context: set one, or name it with -context")
    chosen, _ = _entry(config, config.contexts, name, f"no context {name!r}")
    wrong = f"context {name!r} names a"
    cluster, place = _entry(config, config.clusters, chosen.cluster, f"{wrong} cluster that is not there")
    user, home = User(), place
    if chosen.user:
        user, home = _entry(config, config.users, chosen.user, f"{wrong} user that is not there")
    _check_cluster(cluster, f"{place}: cluster {chosen.cluster!r}")
    _check_user(user, f"{home}: user {chosen.user!r}")
    return Access(
        server=cluster.server.rstrip("/"),
        authority=_decoded(cluster.certificate_authority_data, place, "certificate-authority-data"),
        authority_file=_beside(place, cluster.certificate_authority),
        certificate=_decoded(user.client_certificate_data, home, "client-certificate-data"),
        key=_decoded(user.client_key_data, home, "client-key-data"),
        certificate_file=_beside(home, user.client_certificate),
        key_file=_beside(home, user.client_key),
        token=user.token,
        token_file=_beside(home, user.token_file),
        username=user.username,
        password=user.password,
        plugin=_plugin(user.exec, home, chosen.user),
        impersonated=user.impersonated,
        impersonated_groups=user.impersonated_groups,
        proxy_url=cluster.proxy_url,
        tls_server_name=cluster.tls_server_name,
        insecure=cluster.insecure_skip_tls_verify,
        namespace=chosen.namespace,
    )


def _entry(config: Kubeconfig, entries: Mapping[str, tuple[T, Path]], name: str, wrong: str) -> tuple[T, Path]:
    if name not in entries:
        known = ", ".join(sorted(entries)) or "none"
        raise Unusable(f"{_files(config)}: {wrong}; there are: {known}")
    return entries[name]


def _files(config: Kubeconfig) -> str:
    return ", ".join(map(str, config.paths))


def _check_cluster(cluster: Cluster, where: str) -> None:
    server = urlsplit(cluster.server)
    if server.scheme not in ("http", "https") or not server.hostname:
        raise Unusable(f"{where}: server {cluster.server!r}: write an address such as https://10.0.0.1:6443")
    if cluster.insecure_skip_tls_verify and (cluster.certificate_authority or cluster.certificate_authority_data):
        raise Unusable(f"{where}: a certificate authority and insecure-skip-tls-verify exclude each other")
    if cluster.proxy_url and urlsplit(cluster.proxy_url).scheme not in ("http", "https"):
        raise Unusable(f"{where}: proxy-url {cluster.proxy_url!r}: only http and https proxies are spoken to")


def _check_user(user: User, where: str) -> None:
    if user.auth_provider is not None and user.exec is None:
        raise Unusable(f"{where}: auth-provider is gone from Kubernetes since 1.26: use an exec plugin")
    has_certificate = bool(user.client_certificate or user.client_certificate_data)
    if has_certificate != bool(user.client_key or user.client_key_data):
        raise Unusable(f"{where}: a client certificate and its key go together: name both")


def _plugin(found: Exec | None, home: Path, user: str) -> Plugin | None:
    if found is None:
        return None
    if found.api_version not in PROTOCOLS:
        right = " or ".join(PROTOCOLS)
        raise Unusable(f"{home}: user {user!r}: exec.apiVersion {found.api_version!r}: write {right}")
    # As kubectl: a bare name is looked for on the PATH, anything with a slash is beside the file.
    command = _beside(home, found.command) if "/" in found.command else found.command
    environment = {each.name: each.value for each in found.env}
    return Plugin(
        command,
        found.api_version,
        found.args,
        environment,
        hint=found.install_hint,
        tells_cluster=found.provide_cluster_info,
    )


def _beside(place: Path, path: str) -> str:
    return str(place.parent / Path(path)) if path else ""


def _decoded(text: str, place: Path, name: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        raise Unusable(f"{place}: {name} is not the base64 of PEM") from None
