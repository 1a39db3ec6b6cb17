"""Secrets that flags name belong to no Ingress: what becomes of them is said about our own Pod, as F5's controller does."""

from collections.abc import Iterator, Mapping

from headgate.api import Ref
from headgate.model.finding import Finding, Severity
from headgate.model.report import EventNote, EventType
from headgate.status.seen import Seen
from headgate.status.sentences import cut, joined
from headgate.status.told import Saying, Told


def sayings(seen: Seen, findings: Mapping[Ref, tuple[Finding, ...]], told: Told) -> dict[Ref, Saying]:
    if (pod := seen.pod) is None:
        return {}
    made = {}
    for ref in seen.special:
        said = findings.get(ref, ())
        notes = tuple(
            EventNote(pod, seen.pod_uid, kind, reason, cut(text))
            for kind, reason, text in _told(ref, said, seen, told.sayings.get(ref))
        )
        made[ref] = Saying(notes, seen.snapshot.get(ref), findings=said)
    return made


def _told(
    ref: Ref, said: tuple[Finding, ...], seen: Seen, before: Saying | None
) -> Iterator[tuple[EventType, str, str]]:
    """At our start a Secret that is as it should be is nothing to talk about."""
    found = seen.snapshot.get(ref)
    if wrong := [each for each in said if each.severity is not Severity.INFO and found is not None]:
        yield EventType.WARNING, "Rejected", f"{ref}: {joined(wrong)}"
    elif before is None or before.is_about(found):
        yield from ((note.type, note.reason, note.message) for note in (before.notes if before else ()))
    elif found is None:
        yield EventType.WARNING, "SecretDeleted", f"{ref}, which a flag names, was deleted"
    else:
        yield EventType.NORMAL, "SecretUpdated", f"{ref}, which a flag names, was updated and is in use"
