"""Translate, holding what our own rules reject: a snapshot in, a translation of what can be served out.

If an object is rejected and a version of it was accepted before, that one stands in and the world is translated again, which
the memos make cheap. What was said about the rejected version is kept with it.
"""

from collections.abc import Iterable

from msgspec import Struct

from headgate.api import Ref, Snapshot
from headgate.controller.held import Held
from headgate.model.finding import Finding, order
from headgate.model.settings import Settings
from headgate.model.translation import Translation
from headgate.translate import Memo, translate


class Wanted(Struct, frozen=True):
    """What should be served, and the snapshot that it was made from, stand-ins included."""

    translation: Translation
    served: Snapshot
    findings: tuple[Finding, ...]


def translate_holding(
    snapshot: Snapshot, held: Held, settings: Settings, *, memo: Memo, stale: Iterable[Ref] | None
) -> Wanted:
    before = frozenset(held.stand_ins(snapshot))
    doubtful = None if stale is None else frozenset(stale) | before
    while True:
        served = snapshot.replacing(held.stand_ins(snapshot))
        translation = translate(served, settings, memo=memo, stale=doubtful)
        standing = held.reject(translation.rejected, translation.findings, snapshot)
        if not standing:
            break
        doubtful = None if doubtful is None else doubtful | standing
    told = (*held.findings(), *(finding for finding in translation.findings if not _told(finding, held)))
    return Wanted(translation, served, tuple(sorted(set(told), key=order)))


def _told(finding: Finding, held: Held) -> bool:
    """Errors of a held object are told by `Held`, with what serves instead."""
    return finding.ref in held and finding.reason in ("Rejected", "SecretInvalid")
