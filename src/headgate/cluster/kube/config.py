"""Find out how to reach the API server: the Pod that we are in, kubeconfig files or a `kubectl proxy` in, `Access` out.

Whatever is wrong with them is `Unusable`, with the file and what would be right: nothing can start without.
"""

import ipaddress
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.context import access_in
from headgate.cluster.kube.kubeconfig import read_all
from headgate.errors import Unusable

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def in_cluster(folder: Path = SERVICE_ACCOUNT, environment: Mapping[str, str] = os.environ) -> Access:
    """As a Pod sees it: the Service of the API server, and the token that is mounted and rotates."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "")
    token, authority = folder / "token", folder / "ca.crt"
    if not host or not port or not token.exists():
        raise Unusable(
            "this is not a Pod with a service account (KUBERNETES_SERVICE_HOST and "
            f"{token} are needed): outside a cluster, name a kubeconfig with -kubeconfig, or a kubectl proxy with -proxy"
        )
    namespace = folder / "namespace"
    server = f"https://{f'[{host}]' if ':' in host else host}:{port}"
    access = Access(
        server=server,
        authority_file=str(authority) if authority.exists() else "",
        token_file=str(token),
        namespace=namespace.read_text().strip() if namespace.exists() else "",
    )
    return _with_proxy(access, environment)


def from_kubeconfig(
    paths: Sequence[Path], context: str | None = None, environment: Mapping[str, str] = os.environ
) -> Access:
    """One or several files, merged as kubectl does; `context` instead of the current one."""
    return _with_proxy(access_in(read_all(paths), context), environment)


def kubeconfig_paths(named: str = "", environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """The file that was named, else those of KUBECONFIG, else the one at home."""
    if named:
        return (Path(named).expanduser(),)
    listed = [Path(each) for each in environment.get("KUBECONFIG", "").split(os.pathsep) if each]
    return tuple(dict.fromkeys(listed)) or (Path.home() / ".kube" / "config",)


def through_proxy(url: str) -> Access:
    """A `kubectl proxy`, which knows who we are: plain HTTP, and nothing to prove."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Unusable(f"-proxy {url!r}: write the address of a kubectl proxy, such as http://127.0.0.1:8001")
    return Access(server=url.rstrip("/"))


def _with_proxy(access: Access, environment: Mapping[str, str]) -> Access:
    """The environment's proxy, as every client of Kubernetes takes it, unless the kubeconfig names one."""
    if access.proxy_url:
        return access
    parts = urlsplit(access.server)
    name = f"{parts.scheme}_proxy"
    proxy = environment.get(name) or environment.get(name.upper()) or ""
    excepted = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    if not proxy or _is_excepted(parts.hostname or "", excepted):
        return access
    return msgspec.structs.replace(access, proxy_url=proxy if "://" in proxy else f"http://{proxy}")


def _is_excepted(host: str, excepted: str) -> bool:
    """NO_PROXY lists names with all that is below them, addresses, and networks."""
    return host in ("localhost", "127.0.0.1", "::1") or any(
        _matches(host, entry.strip()) for entry in excepted.split(",") if entry.strip()
    )


def _matches(host: str, entry: str) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        bare = entry.lstrip("*").lstrip(".").lower()
        return host.lower() == bare or host.lower().endswith(f".{bare}")
