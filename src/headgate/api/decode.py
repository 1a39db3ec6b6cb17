"""Decode one object: plain JSON-like data or JSON text in, a typed object or `Malformed` out.

Kinds that we do not read give None: a folder of manifests holds Deployments too, and nobody wants to hear of them.
`decode_json` goes straight from text to Structs and takes the long way round only for an object that is not right at
once; both ways give equal objects. What is wrong with one is said in `complaints`.
"""

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from headgate.api.complaints import complaint
from headgate.api.ingress import Ingress, IngressClass
from headgate.api.meta import Malformed, Ref
from headgate.api.secret import ConfigMap, Secret
from headgate.api.service import EndpointSlice, Service
from headgate.api.snapshot import Known, Object

KINDS: dict[tuple[str, str], type[Known]] = {
    ("networking.k8s.io/v1", "Ingress"): Ingress,
    ("networking.k8s.io/v1", "IngressClass"): IngressClass,
    ("v1", "Service"): Service,
    ("discovery.k8s.io/v1", "EndpointSlice"): EndpointSlice,
    ("v1", "Secret"): Secret,
    ("v1", "ConfigMap"): ConfigMap,
}
_KNOWN_KINDS = {kind: version for version, kind in KINDS}
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"  # the whole object again, as kubectl remembers it
_CLUSTER_WIDE = frozenset({"IngressClass"})
# Others have kinds of these names too (`serving.knative.dev/v1` a Service, `config.openshift.io/v1` an Ingress), and
# those are none of ours; a group of Kubernetes itself is a slip or an old version.
_OUGHT_TO_BE_OURS = re.compile(r"^(v\d\w*|(core|extensions|apps|(networking|discovery)(\.k8s\.io)?)/.*)$")
_BETA = re.compile(r"/v\d+(alpha|beta)\d+$")


class Head(Struct, frozen=True, gc=False, rename="camel"):
    """As much of a JSON object as it takes to know what it is; `items` is that of a list, unread."""

    api_version: Any = None
    kind: Any = None
    items: Raw = Raw()


def decode(raw: Any) -> Object | None:
    """One object as parsed from JSON or YAML; None when its kind is none of ours."""
    if not isinstance(raw, dict):
        return None
    version, kind = raw.get("apiVersion"), raw.get("kind")
    wanted = KINDS.get((version, kind)) if isinstance(version, str) and isinstance(kind, str) else None
    if wanted is None:
        return _misspelled(raw, str(version), str(kind))
    try:
        found: Known = _convert(raw, wanted)
    except msgspec.ValidationError as why:
        return _malformed(raw, why)
    return _placed(found)


def decode_json(text: Raw | bytes | str, head: Head) -> Object | None:
    """One object as well-formed JSON text; `head` may know more than the text does, as in an `IngressList`."""
    version, kind = head.api_version, head.kind
    if not isinstance(kind, str) or kind not in _KNOWN_KINDS:
        return None
    wanted = KINDS.get((version, kind)) if isinstance(version, str) else None
    if wanted is not None:
        try:
            return _placed(_decoder(wanted).decode(text))
        except msgspec.ValidationError:
            pass  # nulls, or a mistake: the long way finds out
    return decode({**msgspec.json.decode(text), "apiVersion": version, "kind": kind})


def read_head(text: Raw | bytes | str) -> Head:
    """Raises `msgspec.DecodeError` for text that is not JSON, and `ValidationError` for what is not an object."""
    return _head_decoder().decode(text)


@cache
def _decoder(wanted: type[Known]) -> msgspec.json.Decoder[Known]:
    return msgspec.json.Decoder(wanted)


@cache
def _head_decoder() -> msgspec.json.Decoder[Head]:
    return msgspec.json.Decoder(Head)


def _convert(raw: dict[str, Any], wanted: type[Known]) -> Known:
    try:
        return msgspec.convert(raw, wanted)
    except msgspec.ValidationError:
        # `annotations:` with nothing behind it is null, and means the same as leaving it out.
        return msgspec.convert(_without_nulls(raw), wanted)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


def _placed(found: Known) -> Object:
    """Cluster-wide kinds have no namespace, whatever the manifest says."""
    namespace = "" if found.kind in _CLUSTER_WIDE else found.meta.namespace or "default"
    if not found.meta.name:
        return Malformed(Ref(found.kind, namespace, ""), "is missing", "metadata.name")
    if found.meta.namespace == namespace and LAST_APPLIED not in found.meta.annotations:
        return found
    said = {key: value for key, value in found.meta.annotations.items() if key != LAST_APPLIED}
    meta = msgspec.structs.replace(found.meta, namespace=namespace, annotations=said)
    return msgspec.structs.replace(found, meta=meta)


def _ref(raw: dict[str, Any]) -> Ref:
    meta = raw.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    kind = str(raw.get("kind"))
    namespace = "" if kind in _CLUSTER_WIDE else str(meta.get("namespace") or "default")
    return Ref(kind, namespace, str(meta.get("name") or ""))


def _misspelled(raw: dict[str, Any], version: str, kind: str) -> Malformed | None:
    """A kind of ours under a version that is not: nothing would come of it, and its author should hear that."""
    if kind not in _KNOWN_KINDS or not _OUGHT_TO_BE_OURS.match(version):
        return None
    wrong = "is no longer served by Kubernetes" if _BETA.search(version) else f"has no {kind}"
    return Malformed(_ref(raw), f"{version!r} {wrong}: write {_KNOWN_KINDS[kind]}", "apiVersion", _kept(raw))


def _malformed(raw: dict[str, Any], why: msgspec.ValidationError) -> Malformed:
    field, message = complaint(_without_nulls(raw), str(why))
    return Malformed(_ref(raw), message, field, _kept(raw))


def _kept(raw: dict[str, Any]) -> dict[str, Any] | None:
    """What is remembered of a malformed object; of a Secret nothing, since the sentence is enough."""
    return None if raw.get("kind") == "Secret" else raw
