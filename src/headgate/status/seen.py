"""`Seen`: everything that a report is made from, and what follows from it at once."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Malformed, Object, Ref, Snapshot
from headgate.model.finding import Finding
from headgate.model.outcome import Live, Outcome
from headgate.model.server import Site
from headgate.model.shape import Model

# What the status of an Ingress lists now.
Shown: TypeAlias = Callable[[Ref], tuple[LoadBalancerIngress, ...]]


class Seen(Struct, frozen=True):
    snapshot: Snapshot  # as the cluster has it, without stand-ins
    findings: tuple[Finding, ...]
    wanted: Model  # what should be served
    live: Model | None  # what nginx runs
    outcome: Outcome
    addresses: tuple[LoadBalancerIngress, ...] | None = None  # ours; None while no source of them was seen
    configmap: Ref | None = None
    pod: Ref | None = None  # our own, whom events about Headgate itself are about
    pod_uid: str = ""
    special: tuple[Ref, ...] = ()  # Secrets that flags name

    @property
    def is_live(self) -> bool:
        return isinstance(self.outcome, Live)


def sites_of(model: Model | None) -> dict[Ref, Site]:
    return {site.source: site for site in model.shape.sites} if model is not None else {}


def by_object(findings: Iterable[Finding]) -> Mapping[Ref, tuple[Finding, ...]]:
    grouped: dict[Ref, dict[Finding, None]] = {}
    for finding in findings:
        grouped.setdefault(finding.ref, {})[finding] = None
    return {ref: tuple(said) for ref, said in grouped.items()}


def uid_of(found: Object) -> str:
    if not isinstance(found, Malformed):
        return found.meta.uid
    meta = found.raw.get("metadata") if isinstance(found.raw, dict) else None
    return str(meta.get("uid") or "") if isinstance(meta, dict) else ""
