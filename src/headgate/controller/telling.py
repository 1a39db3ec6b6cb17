"""Tell the cluster how passes went: what the loop saw in, reports to the writer out, while we lead.

A report is made from what is true now and from what was told before; a new leader has told nothing, so it simply reports
again. Accepted versions that stand in for bad objects are shared, so that a fresh replica serves what the others serve.
"""

from collections.abc import Callable

from msgspec import Struct

from headgate.api import Ref, Service
from headgate.controller.held import Held
from headgate.controller.journal import line_of
from headgate.controller.loop import Passed
from headgate.model.report import Report
from headgate.status import Seen, Shown, Sources, Told, addresses_of, report

ROOM = 900_000  # bytes: a ConfigMap holds a million


class Ourselves(Struct, frozen=True):
    """Who we are in the cluster, and what we were asked to tell."""

    pod: Ref | None
    pod_uid: str
    external_service: Ref | None
    configmap: Ref | None
    special: tuple[Ref, ...]
    statuses: bool


class Telling:
    def __init__(
        self,
        ourselves: Ourselves,
        *,
        may_write: Callable[[], bool],
        shown: Shown,
        put: Callable[[Report], None],
        share: Callable[[str], None],
    ) -> None:
        self._ourselves = ourselves
        self._may_write = may_write
        self._shown = shown
        self._put = put
        self._share = share
        self._told = Told()
        self._last: tuple[Passed, str] | None = None
        self.link = ""  # the address of -ingresslink

    def passed(self, passed: Passed, held: Held) -> None:
        self._last = (passed, shared_text(held))
        self._tell()

    def elected(self) -> None:
        """We lead now: whatever the one before us told, we tell what is true."""
        self._told = Told()
        self._tell()

    def moved(self, link: str) -> None:
        """The address of -ingresslink changed."""
        self.link = link
        self._tell()

    def _tell(self) -> None:
        if self._last is None or not self._may_write():
            return
        passed, text = self._last
        made, self._told = report(self._seen(passed), self._shown, self._told, statuses=self._ourselves.statuses)
        self._put(made)
        self._share(text)

    def _seen(self, passed: Passed) -> Seen:
        ourselves = self._ourselves
        return Seen(
            snapshot=passed.snapshot,
            findings=passed.findings,
            wanted=passed.wanted,
            live=passed.live,
            outcome=passed.outcome,
            addresses=addresses_of(self._sources(passed)),
            configmap=ourselves.configmap,
            pod=ourselves.pod,
            pod_uid=ourselves.pod_uid,
            special=ourselves.special,
        )

    def _sources(self, passed: Passed) -> Sources:
        ref = self._ourselves.external_service
        service = passed.snapshot.get(ref) if ref is not None else None
        return Sources(
            said=passed.wanted.shape.main.options.globals.external_status_address,
            service=service if isinstance(service, Service) else None,
            link=self.link or None,
        )


def shared_text(held: Held) -> str:
    """The versions that stand in for bad ones, a line each. Never a Secret: a ConfigMap is read by many."""
    lines, room = [], ROOM
    for ref, accepted in held.standing_in().items():
        line = line_of(accepted).decode()
        room -= len(line) + 1
        if ref.kind != "Secret" and room > 0:
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)
