"""The loop is a story: take the names that changed, translate what is true now, move nginx there, tell how it went.

Two things are remembered from pass to pass: the model that nginx runs, and `Held`. A refusal by nginx holds the object to blame and goes
round again within the same pass, so everybody else goes live in it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from msgspec import Struct

from headgate.api import Ref, Snapshot
from headgate.controller.held import Accepted, Held
from headgate.controller.holding import Wanted, translate_holding
from headgate.controller.journal import Journal
from headgate.controller.queue import Batch, WorkQueue
from headgate.controller.reporter import Reporter
from headgate.model.change import Change, EndpointsMoved, Reload, Unchanged, diff
from headgate.model.finding import Finding
from headgate.model.layout import Layout
from headgate.model.outcome import Blame, Live, Outcome, Refused, Unreachable
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.nginx import Nginx
from headgate.observability.log import tell
from headgate.observability.metrics import Metrics
from headgate.observability.passes import PassRecord, Stopwatch
from headgate.render import Rendering, RenderMemo, render
from headgate.translate import Memo, expiry_findings

RETRY_SECONDS = 5.0
_NAMES: dict[type, str] = {Unchanged: "none", EndpointsMoved: "endpoints", Reload: "reload"}
_OUTCOMES: dict[type, str] = {Live: "live", Refused: "refused", Unreachable: "unreachable"}


class Passed(Struct, frozen=True):
    """What a pass saw and did, for whoever tells the cluster."""

    snapshot: Snapshot  # without stand-ins
    findings: tuple[Finding, ...]
    wanted: Model
    live: Model | None
    outcome: Outcome


class World(Struct):
    """Everything that a pass needs, built by `cli`."""

    snapshot: Callable[[], Snapshot]
    source_findings: Callable[[], tuple[Finding, ...]]
    queue: WorkQueue
    nginx: Nginx
    settings: Settings
    layout: Layout
    journal: Journal
    reporter: Reporter
    metrics: Metrics
    observer: Callable[[Passed], None] = lambda _: None


class Loop:
    """The long-lived memory of the program: what nginx runs, what is held, and what the memos remember."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.live: Model | None = None
        self.held = Held()
        self._memo = Memo()
        self._render_memo = RenderMemo()
        self._first = True
        self._stopping = False
        self.first_live = asyncio.Event()
        self.findings: tuple[Finding, ...] = ()

    async def run(self) -> None:
        """Keep nginx equal to the objects, until told to stop."""
        while True:
            batch = await self.world.queue.get()
            if self._stopping:
                return
            outcome = await self.one_pass(batch)
            if isinstance(outcome, Live):
                self.first_live.set()
            else:
                asyncio.get_running_loop().call_later(RETRY_SECONDS, self.world.queue.put)

    def stop(self) -> None:
        """No new pass begins; the one under way ends."""
        self._stopping = True
        self.world.queue.put()

    async def recall(self, shared: Mapping[Ref, Accepted] | None = None) -> None:
        """What was accepted when we last ran. `shared`: what other replicas serve in the place of bad objects."""
        own = await asyncio.to_thread(self.world.journal.read)
        self.held = Held({**(shared or {}), **own})

    def nginx_died(self) -> None:
        """What nginx runs is nothing now: the next pass starts it again."""
        self.live = None

    async def one_pass(self, batch: Batch, *, check_only: bool = False) -> Outcome:
        """Make nginx serve what is true now. `check_only`: write it and let nginx check it, but start nothing."""
        watch = Stopwatch()
        snapshot = self.world.snapshot()
        stale: frozenset[Ref] | None = None if self._first else batch.names
        gone = self.held.forget_gone(snapshot, None if self._first else batch.names)
        while True:
            with watch.stage("translate"):
                wanted = await asyncio.to_thread(self._translate, snapshot, stale)
            running = self.live if self.world.nginx.pid is not None else None
            change: Change = Reload() if running is None else diff(running, wanted.translation.model)
            outcome = await self._apply(change, wanted, watch, check_only=check_only)
            if not isinstance(outcome, Refused):
                break
            self.world.metrics.refused()
            if not (fresh := self.held.hold(outcome.blamed, snapshot)):
                tell(
                    "nginx refused the configuration, and no object could be blamed",
                    logging.ERROR,
                    message=outcome.message,
                )
                break
            stale = None if stale is None else stale | fresh
        self._first = False
        await self._settle(outcome, wanted, gone, check_only=check_only)
        self._report(change, outcome, wanted, watch, batch)
        self.world.observer(Passed(snapshot, self.findings, wanted.translation.model, self.live, outcome))
        return outcome

    def _translate(self, snapshot: Snapshot, stale: frozenset[Ref] | None) -> Wanted:
        return translate_holding(snapshot, self.held, self.world.settings, memo=self._memo, stale=stale)

    def _render(self, model: Model) -> Rendering:
        return render(model, self.world.settings.capabilities, self.world.layout, memo=self._render_memo)

    async def _apply(self, change: Change, wanted: Wanted, watch: Stopwatch, *, check_only: bool) -> Outcome:
        model = wanted.translation.model
        if isinstance(change, Unchanged):
            return Live(self.world.nginx.generation, reloaded=False)
        with watch.stage("render"):
            rendering = await asyncio.to_thread(self._render, model)
        if rendering.unprintable:
            return _our_fault(rendering.unprintable)
        suspects = self.held.suspects(model, wanted.served)
        ask = self.world.nginx.check if check_only else self.world.nginx.apply
        with watch.stage("apply"):
            return await ask(rendering.files, suspects)

    async def _settle(self, outcome: Outcome, wanted: Wanted, gone: list[Ref], *, check_only: bool) -> None:
        """What nginx runs now is accepted, and remembered beyond our own life."""
        fresh: list[Ref] = []
        if isinstance(outcome, Live):
            # A master that died meanwhile may have left workers that answered for it: then nothing is live.
            self.live = wanted.translation.model if self.world.nginx.pid is not None or check_only else None
            fresh = self.held.accept(wanted.translation.model, wanted.served, outcome.generation)
        await asyncio.to_thread(self.world.journal.append, self.held, fresh, gone)

    def _report(self, change: Change, outcome: Outcome, wanted: Wanted, watch: Stopwatch, batch: Batch) -> None:
        findings = (
            *self.world.source_findings(),
            *wanted.findings,
            *expiry_findings(wanted.translation.model, datetime.now(UTC)),
        )
        self.findings = findings
        record = PassRecord(
            generation=outcome.generation if isinstance(outcome, Live) else self.world.nginx.generation,
            change=_NAMES[type(change)],
            outcome=_OUTCOMES[type(outcome)],
            stages=watch.stages,
            event_to_live=time.monotonic() - batch.since,
            findings=len(findings),
            held=len(self.held),
        )
        reloaded = isinstance(outcome, Live) and outcome.reloaded
        self.world.metrics.passed(record, ingresses=len(wanted.translation.model.shape.sites), reloaded=reloaded)
        if isinstance(outcome, Live):
            self.world.metrics.serving(wanted.translation.model, wanted.served)
        self.world.reporter.tell(findings, record, outcome)


def _our_fault(unprintable: tuple[Blame, ...]) -> Refused:
    return Refused(unprintable, "Headgate could not print the configuration of some objects")
