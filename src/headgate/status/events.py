"""Events: what is to be said about each object now, less what was said about this version of it already.

Reasons are those of F5's controller, the sentences are ours. An object whose status shows our address when we start was told
about by an earlier life of ours, so a restart beside thousands of healthy objects is not thousands of events.
"""

from collections.abc import Iterable, Mapping

from headgate.api import Ref
from headgate.model.finding import Finding, Severity
from headgate.model.report import EventNote, EventType
from headgate.model.server import Site
from headgate.status import configmap, ingress, special
from headgate.status.seen import Seen, Shown, by_object, sites_of, uid_of
from headgate.status.sentences import cut, joined
from headgate.status.told import Saying, Told, key


def events(seen: Seen, shown: Shown, told: Told) -> tuple[tuple[EventNote, ...], dict[Ref, Saying]]:
    """The new notes, and everything that is said now."""
    findings = by_object(seen.findings)
    sayings = {
        **_ingresses(seen, findings, told),
        **_others(seen, findings),
        **configmap.sayings(seen, findings),
        **special.sayings(seen, findings, told),
    }
    fresh = [note for ref, saying in sayings.items() for note in _fresh(ref, saying, seen, shown, told)]
    return tuple(fresh), sayings


def _fresh(ref: Ref, saying: Saying, seen: Seen, shown: Shown, told: Told) -> Iterable[EventNote]:
    before = told.sayings.get(ref)
    if before is saying:
        return ()
    if before is None:
        is_known = ref.kind == "Ingress" and _shows_us(ref, seen, shown)
        return (note for note in saying.notes if note.type is EventType.WARNING or not is_known)
    again = not before.is_about(saying.of)
    return (note for note in saying.notes if again or note not in before.notes)


def _shows_us(ref: Ref, seen: Seen, shown: Shown) -> bool:
    there = {key(each) for each in shown(ref)}
    return bool(seen.addresses) and all(key(each) in there for each in seen.addresses or ())


def _ingresses(seen: Seen, findings: Mapping[Ref, tuple[Finding, ...]], told: Told) -> dict[Ref, Saying]:
    wanted = sites_of(seen.wanted)
    live = wanted if seen.live is seen.wanted else sites_of(seen.live)
    spoken = [ref for ref in findings if ref.kind == "Ingress"]
    return {
        ref: saying
        for ref in dict.fromkeys((*wanted, *spoken))
        if (saying := _ingress(ref, wanted.get(ref), live.get(ref), findings.get(ref, ()), seen, told)) is not None
    }


def _ingress(
    ref: Ref, wanted: Site | None, live: Site | None, said: tuple[Finding, ...], seen: Seen, told: Told
) -> Saying | None:
    found = seen.snapshot.get(ref)
    if found is None:
        return None
    before = told.sayings.get(ref)
    if before is not None and before.stands(found, wanted, live, said):
        return before
    note = ingress.note(ref, uid_of(found), wanted, live, said, seen)
    return Saying((note,), found, wanted, said, settled=seen.is_live)


def _others(seen: Seen, findings: Mapping[Ref, tuple[Finding, ...]]) -> dict[Ref, Saying]:
    """A Secret that is no pair, a class of another dialect: no word of F5's for these, so the finding's own reason."""
    told = {}
    for ref, said in findings.items():
        worth = [each for each in said if each.severity is not Severity.INFO]
        found = seen.snapshot.get(ref)
        if not worth or found is None or ref.kind == "Ingress" or ref == seen.configmap or ref in seen.special:
            continue
        notes = tuple(
            EventNote(ref, uid_of(found), EventType.WARNING, each.reason, cut(joined([each]))) for each in worth
        )
        told[ref] = Saying(notes, found, findings=said)
    return told
