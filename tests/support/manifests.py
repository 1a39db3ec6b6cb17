"""Small builders of Kubernetes objects: a few words in, a plain dictionary as a user would write it out.

`namespace` is left out unless it is given: a `Site` puts its own in, so that tests do not meet. `write` replaces a
file by rename, as a careful editor does.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.support.certificates import Pair, base64_text

Manifest: TypeAlias = dict[str, Any]
Backend: TypeAlias = dict[str, Any]


def ingress(
    name: str,
    *rules: Manifest,
    annotations: Mapping[str, str] | None = None,
    tls: Sequence[Manifest] = (),
    default: Backend | None = None,
    class_name: str | None = None,
    **meta: str,
) -> Manifest:
    spec: Manifest = {}
    if class_name is not None:
        spec["ingressClassName"] = class_name
    if default is not None:
        spec["defaultBackend"] = default
    if tls:
        spec["tls"] = list(tls)
    if rules:
        spec["rules"] = list(rules)
    made = _object("networking.k8s.io/v1", "Ingress", name, meta, spec=spec)
    if annotations:
        made["metadata"]["annotations"] = dict(annotations)
    return made


def rule(host: str, *paths: Manifest) -> Manifest:
    made: Manifest = {"http": {"paths": list(paths)}}
    return {"host": host, **made} if host else made


def path(text: str, service: str, port: int | str = 80, kind: str | None = "Prefix") -> Manifest:
    made: Manifest = {"path": text, "backend": to(service, port)}
    return {**made, "pathType": kind} if kind else made


def to(service: str, port: int | str = 80) -> Backend:
    """A backend by port number or port name."""
    spelled = {"name": port} if isinstance(port, str) else {"number": port}
    return {"service": {"name": service, "port": spelled}}


def route(name: str, host: str, service: str, *, text: str = "/", **more: Any) -> Manifest:
    """The smallest Ingress: one host, one Prefix path, one Service."""
    return ingress(name, rule(host, path(text, service)), **more)


def tls_for(secret: str, *hosts: str) -> Manifest:
    return {"hosts": list(hosts), "secretName": secret}


def service(name: str, *ports: Manifest, **more: Any) -> Manifest:
    spec = {"ports": list(ports) or [{"port": 80}], **more.pop("spec", {})}
    return _object("v1", "Service", name, more, spec=spec)


def service_port(number: int, *, name: str = "", target: int | str | None = None, speaks: str = "") -> Manifest:
    made: Manifest = {"port": number, "name": name, "targetPort": target, "appProtocol": speaks}
    return {key: value for key, value in made.items() if value}


def behind(name: str, port: int, *addresses: str, speaks: str = "") -> list[Manifest]:
    """A Service on port 80 and the endpoints behind it, all of them on one port."""
    front = service(name, service_port(80, target=port, speaks=speaks))
    return [front, endpoints(name, *(addresses or ("127.0.0.1",)), port=port)]


def external_name(name: str, target: str, port: int, *, speaks: str = "") -> Manifest:
    return service(name, service_port(port, speaks=speaks), spec={"type": "ExternalName", "externalName": target})


def endpoints(
    service_name: str,
    *addresses: str | Manifest,
    port: int,
    port_name: str = "",
    suffix: str = "1",
    **meta: str,
) -> Manifest:
    """One EndpointSlice. An address that is a mapping is an endpoint spelled out, conditions and all."""
    spelled = [{"addresses": [each]} if isinstance(each, str) else each for each in addresses]
    family = "IPv6" if any(":" in address for each in spelled for address in each["addresses"]) else "IPv4"
    made = _object("discovery.k8s.io/v1", "EndpointSlice", f"{service_name}-{suffix}", meta)
    made["metadata"]["labels"] = {"kubernetes.io/service-name": service_name}
    return {**made, "addressType": family, "endpoints": spelled, "ports": [{"name": port_name, "port": port}]}


def endpoint(address: str, **conditions: bool) -> Manifest:
    return {"addresses": [address], "conditions": conditions}


def tls_secret(name: str, pair: Pair, **meta: str) -> Manifest:
    return opaque_pair(name, pair.crt.encode(), pair.pem_key.encode(), **meta)


def opaque_pair(name: str, crt: bytes, key: bytes, **meta: str) -> Manifest:
    """A TLS Secret with these bytes in it, whatever they are."""
    made = _object("v1", "Secret", name, meta)
    return {**made, "type": "kubernetes.io/tls", "data": {"tls.crt": base64_text(crt), "tls.key": base64_text(key)}}


def configmap(name: str, settings: Mapping[str, str], **meta: str) -> Manifest:
    return {**_object("v1", "ConfigMap", name, meta), "data": dict(settings)}


def ingress_class(name: str, controller: str, *, is_default: bool = False) -> Manifest:
    made = _object("networking.k8s.io/v1", "IngressClass", name, {}, spec={"controller": controller})
    if is_default:
        made["metadata"]["annotations"] = {"ingressclass.kubernetes.io/is-default-class": "true"}
    return made


def write(folder: Path, name: str, *objects: Manifest) -> Path:
    """Objects as documents of one file, JSON when the name says so, replaced by rename."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_text(folder / name, as_json(objects) if name.endswith(".json") else as_yaml(objects))


def write_text(file: Path, text: str) -> Path:
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text)
    return fresh.replace(file)


def as_json(objects: Iterable[Manifest]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def as_yaml(objects: Iterable[Manifest]) -> str:
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)


def _object(version: str, kind: str, name: str, meta: Mapping[str, str], **body: Any) -> Manifest:
    """`created` is short for creationTimestamp."""
    spelled = {"creationTimestamp" if key == "created" else key: value for key, value in meta.items()}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **spelled}, **body}
