"""Whose is an Ingress? The class decides, and an object of another class is none of our business.

The IngressClass's `spec.controller` says which dialect its objects speak. In go the IngressClasses and the flag, out comes one
question: `is_ours`.
"""

from typing import Any

from msgspec import Struct

from headgate.api import Ingress, IngressClass, Malformed, Snapshot
from headgate.model.finding import Finding, Severity
from headgate.model.settings import Settings

OUR_CONTROLLER = "nginx.org/ingress-controller"
COMMUNITY_CONTROLLER = "k8s.io/ingress-nginx"
CLASS_ANNOTATION = "kubernetes.io/ingress.class"
DEFAULT_CLASS_ANNOTATION = "ingressclass.kubernetes.io/is-default-class"
CONVENTIONAL = "nginx"  # the class name that goes without an IngressClass


class Classes(Struct, frozen=True):
    ours: frozenset[str]
    classless: bool

    def is_ours(self, ingress: Ingress | Malformed) -> bool:
        name = _class_name(ingress)
        return self.classless if name is None else name in self.ours


def classes_of(snapshot: Snapshot, settings: Settings) -> Classes:
    known = [each for each in snapshot.of_kind("IngressClass") if isinstance(each, IngressClass)]
    names = {each.meta.name for each in known if each.spec.controller == OUR_CONTROLLER}
    wanted = settings.ingress_class
    if wanted is not None:
        names &= {wanted}
    conventional = wanted or CONVENTIONAL
    if conventional not in {each.meta.name for each in known}:
        names.add(conventional)
    if not known:
        return Classes(frozenset(names), classless=settings.classless_is_ours)
    default = _default(known)
    return Classes(frozenset(names), classless=default is not None and default in names)


def _default(known: list[IngressClass]) -> str | None:
    """Among several marked as default the youngest counts, then the name: as the API server does."""
    marked = [each for each in known if each.meta.annotations.get(DEFAULT_CLASS_ANNOTATION) == "true"]
    if not marked:
        return None
    youngest = max(each.meta.creation_timestamp for each in marked)
    return min(each.meta.name for each in marked if each.meta.creation_timestamp == youngest)


def _class_name(ingress: Ingress | Malformed) -> str | None:
    if isinstance(ingress, Ingress):
        return ingress.meta.annotations.get(CLASS_ANNOTATION) or ingress.spec.ingress_class_name or None
    return _raw_class_name(ingress.raw if isinstance(ingress.raw, dict) else {})


def _raw_class_name(raw: dict[str, Any]) -> str | None:
    """The class of an object that is too broken to be decoded."""
    meta, spec = raw.get("metadata"), raw.get("spec")
    annotations = meta.get("annotations") if isinstance(meta, dict) else None
    name = annotations.get(CLASS_ANNOTATION) if isinstance(annotations, dict) else None
    name = name or (spec.get("ingressClassName") if isinstance(spec, dict) else None)
    return str(name) if name else None


def class_findings(snapshot: Snapshot) -> list[Finding]:
    """A class of the community's controller is somebody's wish that we cannot meet yet: say so, once, on the class."""
    said = "its controller is k8s.io/ingress-nginx, a dialect that Headgate does not speak yet; its Ingresses are left alone"
    return [
        Finding(each.ref, Severity.WARNING, "DialectUnknown", said, "spec.controller")
        for each in snapshot.of_kind("IngressClass")
        if isinstance(each, IngressClass) and each.spec.controller == COMMUNITY_CONTROLLER
    ]
