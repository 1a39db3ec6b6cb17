"""What is to be said about one Ingress: one note, whose reason is F5's word for it."""

from headgate.api import Ref
from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Live
from headgate.model.report import EventNote, EventType
from headgate.model.server import Site
from headgate.status.seen import Seen
from headgate.status.sentences import cut, hosts, joined

_BY_NGINX = ("Refused", "Bug")  # reasons of findings that say: understood, and yet not to be had
NOTHING = "Nothing of it is served"


def note(
    ref: Ref, uid: str, wanted: Site | None, live: Site | None, said: tuple[Finding, ...], seen: Seen
) -> EventNote:
    """`wanted`: what should be served of it; `live`: what nginx serves of it."""
    reason, message = _told(wanted, live, said, seen)
    kind = EventType.NORMAL if reason == "AddedOrUpdated" else EventType.WARNING
    return EventNote(ref, uid, kind, reason, cut(message))


def _told(wanted: Site | None, live: Site | None, said: tuple[Finding, ...], seen: Seen) -> tuple[str, str]:
    if refused := [each for each in said if each.reason in _BY_NGINX]:
        return "AddedOrUpdatedWithError", f"It was understood, but is not live: {joined(refused)}"
    if errors := [each for each in said if each.severity is Severity.ERROR]:
        return _rejected(errors, wanted, live, seen)
    warnings = [each for each in said if each.severity is Severity.WARNING]
    if wanted is None:
        return "Rejected", joined(warnings) or NOTHING
    if not isinstance(seen.outcome, Live) and wanted is not live and wanted != live:
        instead = "What was served of it before goes on" if live is not None else NOTHING
        return "AddedOrUpdatedWithError", f"It was understood, but is not live: {seen.outcome.message}. {instead}"
    if warnings:
        return "AddedOrUpdatedWithWarning", f"nginx serves it for {hosts(wanted)}, but: {joined(warnings)}"
    return "AddedOrUpdated", f"nginx serves it for {hosts(wanted)}"


def _rejected(errors: list[Finding], wanted: Site | None, live: Site | None, seen: Seen) -> tuple[str, str]:
    """A held version is wanted; where none is, and a pass failed, what was there before is still served."""
    text = joined(errors)
    if wanted is not None:
        return "Rejected", text
    if live is not None and not isinstance(seen.outcome, Live):
        return "RejectedWithError", f"{text}. What was served of it before is not gone yet: {seen.outcome.message}"
    return "Rejected", f"{text}. {NOTHING}"
