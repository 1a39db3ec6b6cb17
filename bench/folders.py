"""Folders of manifests to measure with: a number in, files of Ingress, Service and EndpointSlice out.

Every Ingress has a host of its own with five paths to one Service of two to five endpoints, and nothing is random, so that
two runs measure the same thing. One file holds the three objects of one application, as people keep them.
"""

import json
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

Manifest: TypeAlias = dict[str, Any]

PATHS = ("/", "/api", "/api/orders", "/static", "/account")
NAMESPACES = 50
PORT = 8080


class Format(Enum):
    JSON = "json"
    YAML = "yaml"


class Names(Enum):
    """Whether hosts are exact or `*.NAME`; the value is what stands before the name."""

    EXACT = ""
    WILDCARD = "*."


def host(number: int) -> str:
    return f"app-{number:05}.shop.example.com"


def namespace(number: int) -> str:
    return f"team-{number % NAMESPACES:02}"


def addresses(number: int) -> list[str]:
    """Two to five endpoints, no two applications with the same."""
    first = number * 5
    return [f"10.{at >> 16 & 255}.{at >> 8 & 255}.{at & 255}" for at in range(first, first + 2 + number % 4)]


def application(number: int, *, names: Names = Names.EXACT, secret: str = "") -> list[Manifest]:
    """The three objects of one application."""
    name = f"app-{number:05}"
    named = names.value + host(number)
    tls = {"tls": [{"hosts": [named], "secretName": secret}]} if secret else {}
    rules = [{"host": named, "http": {"paths": [_path(path, name) for path in PATHS]}}]
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": _meta(name, number),
        "spec": {"ingressClassName": "nginx", **tls, "rules": rules},
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _meta(name, number),
        "spec": {
            "selector": {"app": name},
            "ports": [{"name": "http", "port": 80, "targetPort": PORT, "protocol": "TCP"}],
        },
    }
    return [ingress, service, endpoint_slice(number, addresses(number), PORT)]


def endpoint_slice(number: int, at: list[str], port: int) -> Manifest:
    name = f"app-{number:05}"
    meta = _meta(f"{name}-x7k2p", number)
    meta["labels"] |= {"kubernetes.io/service-name": name}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": meta,
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}} for address in at],
        "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
    }


def _meta(name: str, number: int) -> Manifest:
    return {"name": name, "namespace": namespace(number), "labels": {"app": name}}


def _path(path: str, service: str) -> Manifest:
    return {"path": path, "pathType": "Prefix", "backend": {"service": {"name": service, "port": {"number": 80}}}}


def text(objects: list[Manifest], written_as: Format) -> str:
    """JSON as kubectl prints several objects, a List; YAML as people write them, documents of two-space indentation."""
    if written_as is Format.JSON:
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2)
    return "---\n".join("".join(_yaml_lines(each, 0)) for each in objects)


def _yaml_lines(value: Manifest, depth: int) -> list[str]:
    """As much of YAML as these objects need: a real emitter takes a minute for 10,000 files."""
    indent = "  " * depth
    lines = []
    for key, inner in value.items():
        if isinstance(inner, dict):
            lines += [f"{indent}{key}:\n", *_yaml_lines(inner, depth + 1)]
        elif isinstance(inner, list):
            lines.append(f"{indent}{key}:\n")
            for item in inner:
                lines += _yaml_item(item, depth)
        else:
            lines.append(f"{indent}{key}: {_yaml_scalar(inner)}\n")
    return lines


def _yaml_item(item: Any, depth: int) -> list[str]:
    if not isinstance(item, dict):
        return [f"{'  ' * depth}- {_yaml_scalar(item)}\n"]
    first, *rest = _yaml_lines(item, depth + 1)
    return [f"{'  ' * depth}- {first.lstrip()}", *rest]


def _yaml_scalar(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) or value.startswith(("*", '"')) else value


def write_folder(folder: Path, count: int, written_as: Format) -> Path:
    """One file for each application."""
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"app-{number:05}.{written_as.value}").write_text(text(application(number), written_as))
    return folder


def write_single(folder: Path, count: int, written_as: Format) -> Path:
    """All of it in one file, as an export of a cluster is."""
    folder.mkdir(parents=True)
    objects = [each for number in range(count) for each in application(number)]
    (folder / f"all.{written_as.value}").write_text(text(objects, written_as))
    return folder
