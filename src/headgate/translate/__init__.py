"""Snapshot in, `Translation` out: claim, settle, assemble. Pure.

Each source object claims hosts and paths (`ingress`), one judge decides who gets what (`settle`), and the winners become
the model (`assemble`). Same arguments, same answer; the memo only saves time.
"""

from collections.abc import Iterable
from datetime import datetime

from headgate.api import Ref, Snapshot
from headgate.model.finding import Finding, Severity, order
from headgate.model.settings import Settings
from headgate.model.shape import Main, Model
from headgate.model.translation import Translation
from headgate.translate.assemble import assemble, nothing_left
from headgate.translate.classes import class_findings, classes_of
from headgate.translate.collect import Memo, collect
from headgate.translate.config import default_pair, read_config
from headgate.translate.ingress import Common
from headgate.translate.settle import lost_findings, settle

__all__ = ["Memo", "expiry_findings", "translate"]


def translate(
    snapshot: Snapshot, settings: Settings, *, memo: Memo | None = None, stale: Iterable[Ref] | None = None
) -> Translation:
    memo = memo or Memo()
    config = read_config(snapshot, settings)
    default = default_pair(snapshot, settings, memo.pairs)
    default_source = default.certificate.source if default.certificate else None
    common = Common(settings, config.options, config.source, default_source)
    claims = collect(snapshot, common, classes_of(snapshot, settings), memo=memo, stale=stale)
    lost = settle(claims)
    main = Main(
        config.options,
        settings.listeners,
        settings.resolver,
        default_source,
        config.source,
        settings.default_listeners,
        settings.exposure,
    )
    model = assemble(claims, lost, main, [default.certificate] if default.certificate else [], memo)
    findings = [
        *config.findings,
        *default.findings,
        *class_findings(snapshot),
        *lost_findings(lost),
        *nothing_left(claims, lost),
    ]
    rejected = set(config.rejected | default.rejected)
    for claim in claims:
        findings.extend(claim.findings)
        rejected.update(claim.rejected)
    not_ours = len(snapshot.objects.get("Ingress", ())) - len(claims)
    return Translation(model, tuple(sorted(set(findings), key=order)), frozenset(rejected), not_ours)


def expiry_findings(model: Model, now: datetime) -> list[Finding]:
    """Certificates that are past their time. Apart from `translate`, which knows no clock."""
    moment = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return [
        Finding(
            each.source,
            Severity.WARNING,
            "CertificateExpired",
            f"its certificate expired at {each.not_after}: clients will refuse it; store a new one",
        )
        for each in model.shape.certificates.values()
        if each.not_after and each.not_after < moment
    ]
