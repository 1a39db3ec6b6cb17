"""What is to be said about the main ConfigMap: a note for each key that is wrong, and one about the whole."""

from collections.abc import Iterator, Mapping

from headgate.api import Ref
from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Live
from headgate.model.report import EventNote, EventType
from headgate.status.seen import Seen, uid_of
from headgate.status.sentences import cut, joined
from headgate.status.told import Saying


def sayings(seen: Seen, findings: Mapping[Ref, tuple[Finding, ...]]) -> dict[Ref, Saying]:
    ref = seen.configmap
    if ref is None or (found := seen.snapshot.get(ref)) is None:
        return {}
    said = findings.get(ref, ())
    notes = tuple(
        EventNote(ref, uid_of(found), EventType.NORMAL if reason == "Updated" else EventType.WARNING, reason, cut(text))
        for reason, text in _told(said, seen)
    )
    return {ref: Saying(notes, found, findings=said)}


def _told(said: tuple[Finding, ...], seen: Seen) -> Iterator[tuple[str, str]]:
    invalid = [each for each in said if each.reason == "InvalidValue"]
    for each in invalid:
        yield "InvalidValue", joined([each])
    others = [each for each in said if each.reason != "InvalidValue" and each.severity is not Severity.INFO]
    if not isinstance(seen.outcome, Live) and seen.live is not None and seen.live.shape.main != seen.wanted.shape.main:
        yield "UpdatedWithError", f"It is not live: {seen.outcome.message}. The settings before it hold"
    elif others:
        yield "UpdatedWithError", joined(others)
    elif invalid:
        yield "UpdatedWithError", f"{len(invalid)} of its keys are left out, the others are in force"
    else:
        yield "Updated", "Its settings are in force"
