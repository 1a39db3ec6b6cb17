"""`Held`: a bad object keeps its last accepted self.

Whether our own rules or nginx refused a version, the version accepted last stands in its place in the snapshot; where there is none, the object is
left out. Editing the object lifts the hold. Accepted versions are kept in a journal (one JSON line each, appended), so that they
outlive the process.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from headgate.api import Ingress, Known, Malformed, Object, Ref, Snapshot
from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Blame
from headgate.model.shape import Model

HOLDABLE = frozenset({"Ingress", "Secret", "ConfigMap"})


class Accepted(Struct, frozen=True):
    """A version that nginx took, and the generation in which it did."""

    object: Known
    generation: int


class Refusal(Struct, frozen=True):
    """A version that is not served, and what was said about it."""

    object: Object
    findings: tuple[Finding, ...]
    by_nginx: bool


class Held:
    def __init__(self, accepted: Mapping[Ref, Accepted] | None = None) -> None:
        self._accepted: dict[Ref, Accepted] = dict(accepted or {})
        self._refused: dict[Ref, Refusal] = {}

    def __len__(self) -> int:
        return len(self._refused)

    def __contains__(self, ref: Ref) -> bool:
        return ref in self._refused

    def stand_ins(self, snapshot: Snapshot) -> dict[Ref, Known | None]:
        """What to put in the place of refused versions; None leaves the object out."""
        self._lift(snapshot)
        places: dict[Ref, Known | None] = {}
        for ref, refusal in self._refused.items():
            accepted = self._accepted.get(ref)
            if accepted is not None:
                places[ref] = accepted.object
            elif refusal.by_nginx:
                places[ref] = None
        return places

    def _lift(self, snapshot: Snapshot) -> None:
        """An object that was edited, or is gone, is held no longer."""
        for ref, refusal in list(self._refused.items()):
            now = snapshot.get(ref)
            if now is not refusal.object and now != refusal.object:
                del self._refused[ref]

    def forget_gone(self, snapshot: Snapshot, names: Iterable[Ref] | None = None) -> list[Ref]:
        """Deleted objects leave nothing behind. `names`: where to look; None is everywhere."""
        look_at = [ref for ref in names if ref in self._accepted] if names is not None else list(self._accepted)
        gone = [ref for ref in look_at if not _same_life(snapshot.get(ref), self._accepted[ref].object)]
        for ref in gone:
            del self._accepted[ref]
        return gone

    def reject(self, rejected: Iterable[Ref], findings: Sequence[Finding], snapshot: Snapshot) -> set[Ref]:
        """Our own rules refused these. Returns those for which an accepted version now stands in."""
        standing: set[Ref] = set()
        for ref in rejected:
            now = snapshot.get(ref)
            if ref in self._refused or now is None or ref.kind not in HOLDABLE or ref not in self._accepted:
                continue
            if self._accepted[ref].object == now:
                continue  # what is wrong with it is not in it: it stays in place, with its findings
            said = tuple(finding for finding in findings if finding.ref == ref)
            self._refused[ref] = Refusal(now, said, by_nginx=False)
            standing.add(ref)
        return standing

    def hold(self, blamed: Iterable[Blame], snapshot: Snapshot) -> set[Ref]:
        """nginx refused these, or we could not print them. Returns those that are newly held: each refusal holds one more, so this ends."""
        fresh: set[Ref] = set()
        for blame in blamed:
            ref, now = blame.ref, snapshot.get(blame.ref)
            if now is None:
                continue
            # Was it the stand-in that nginx refused? Then the world around it changed, and nothing of it is left to serve.
            if self._serves(ref, now) and self._accepted.pop(ref, None) is None:
                continue
            before = self._refused[ref].findings if ref in self._refused else ()
            said = Finding(ref, Severity.ERROR, "Refused", f"nginx refuses it: {blame.message}")
            self._refused[ref] = Refusal(now, (*before, said), by_nginx=True)
            fresh.add(ref)
        return fresh

    def _serves(self, ref: Ref, now: Object) -> bool:
        """Is it the accepted version that the model was made from?"""
        return ref in self._refused or (ref in self._accepted and self._accepted[ref].object == now)

    def accept(self, model: Model, served: Snapshot, generation: int) -> list[Ref]:
        """nginx runs this model: the versions in it are accepted. Returns what is new."""
        fresh = []
        for ref in contributors(model):
            now = served.get(ref)
            known = self._accepted.get(ref)
            if now is None or isinstance(now, Malformed) or (known is not None and known.object is now):
                continue
            if known is None or known.object != now:
                fresh.append(ref)
            self._accepted[ref] = Accepted(
                now, known.generation if known is not None and known.object == now else generation
            )
        return fresh

    def accepted(self, ref: Ref) -> Accepted | None:
        return self._accepted.get(ref)

    def suspects(self, model: Model, served: Snapshot) -> tuple[Ref, ...]:
        """Versions that nginx never took, the shared ones first: they are whom to suspect."""
        unknown = [ref for ref in contributors(model) if not self._is_accepted(ref, served)]
        return tuple(sorted(unknown, key=lambda ref: (_SUSPICION.get(ref.kind, 9), ref)))

    def _is_accepted(self, ref: Ref, served: Snapshot) -> bool:
        known, now = self._accepted.get(ref), served.get(ref)
        return known is not None and (known.object is now or known.object == now)

    def standing_in(self) -> dict[Ref, Accepted]:
        """The accepted versions that serve in the place of refused ones: what another replica must know to serve the same."""
        return {ref: self._accepted[ref] for ref in sorted(self._refused) if ref in self._accepted}

    def secrets(self, *, standing_in: bool) -> frozenset[Ref]:
        """Secrets that accepted versions refer to: needed though no present version may name them. Of all, or of those that serve now."""
        known = self.standing_in() if standing_in else self._accepted
        named = (each.object for each in known.values() if isinstance(each.object, Ingress))
        return frozenset(
            Ref("Secret", ingress.meta.namespace, entry.secret_name)
            for ingress in named
            for entry in ingress.spec.tls
            if entry.secret_name
        )

    def findings(self) -> list[Finding]:
        """What was said about the versions that are held, and what serves instead."""
        told = []
        for ref, refusal in self._refused.items():
            for finding in refusal.findings:
                message = f"{finding.message}. {self._instead(ref)}"
                told.append(Finding(ref, self._severity(ref, finding), finding.reason, message, finding.field))
        return told

    def _severity(self, ref: Ref, finding: Finding) -> Severity:
        """A renewal that failed harms nobody yet: the old pair serves."""
        return Severity.WARNING if ref.kind == "Secret" and ref in self._accepted else finding.severity

    def _instead(self, ref: Ref) -> str:
        accepted = self._accepted.get(ref)
        if accepted is None:
            return "No version of it was ever accepted, so nothing of it is served"
        return f"The version accepted at generation {accepted.generation} keeps serving"


_SUSPICION = {"ConfigMap": 0, "Secret": 1, "Ingress": 2}


def _same_life(now: Object | None, accepted: Known) -> bool:
    """Is the accepted version one of this object, or of another that once had its name?"""
    if now is None:
        return False
    if isinstance(now, Malformed) or not now.meta.uid or not accepted.meta.uid:
        return True
    return now.meta.uid == accepted.meta.uid


def contributors(model: Model) -> list[Ref]:
    """Every object whose version nginx sees in this model."""
    shape = model.shape
    refs = [site.source for site in shape.sites]
    refs.extend(shape.certificates)
    if shape.main.source is not None:
        refs.append(shape.main.source)
    return refs
