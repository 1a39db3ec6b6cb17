"""`Writer`: tell the cluster in the background. Reports in, statuses and events out, paced; no pass ever waits for it.

What waits is kept by object: a newer wish takes the place of an older one, and an event that is said again is counted,
not written twice. A write that fails is tried again, later each time. When we may not write, because somebody else leads
now, what waits is dropped: whoever leads reports everything by itself.
"""

import asyncio
import logging
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NoReturn, TypeAlias

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.events import Events, Said, name_of
from headgate.cluster.kube.pauses import Backoff, Pauses
from headgate.cluster.kube.statuses import Statuses
from headgate.errors import ApiRefusal, Conflict, HeadgateError, Invalid, Missing, TooMany
from headgate.model.report import Report, StatusPatch
from headgate.observability.log import tell

Wish: TypeAlias = StatusPatch | Said
PATIENCE = 10.0  # seconds; less than what is left of a lease after its holder has stopped, so that no write comes late


class Pace(Struct, frozen=True):
    at_once: int = 8
    per_second: float = 100.0
    event_quiet: float = 5.0  # seconds between two writes of one event: a flapping object is counted meanwhile


class Progress(Struct):
    """For metrics."""

    written: int = 0
    unneeded: int = 0  # it was so already
    failed: int = 0  # tries, not wishes
    dropped: int = 0  # the object is gone, or we may not write


class Writer:
    def __init__(
        self,
        client: Client,
        *,
        may_write: Callable[[], bool],
        shown: Callable[[Ref], tuple[LoadBalancerIngress, ...]],
        wrote: Callable[[Ref, tuple[LoadBalancerIngress, ...]], None] = lambda *_: None,
        instance: str = "",
        pace: Pace | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        self.progress = Progress()
        self._may_write = may_write
        self._statuses = Statuses(client, shown, wrote)
        self._events = Events(client, instance=instance)
        self._pace = pace or Pace()
        self._pauses = pauses or Pauses()
        self._waiting: dict[Hashable, Wish] = {}
        self._ready: dict[Hashable, None] = {}  # those of them that may be written now, the oldest first
        self._busy: set[Hashable] = set()
        self._resting: dict[Hashable, asyncio.TimerHandle] = {}  # not before the timer has rung
        self._something, self._idle = asyncio.Event(), asyncio.Event()
        self._backoff = Backoff(self._pauses)  # of the API server as a whole
        self._backoffs: dict[Hashable, Backoff] = {}
        self._next = 0.0  # the loop's time: whose turn is when
        self._not_before = 0.0  # nobody's is before that
        self._wrong = ""

    @property
    def pending(self) -> int:
        return len(self._waiting) + len(self._busy)

    def put(self, report: Report) -> None:
        """Never waits."""
        for patch in report.patches:
            self._put(patch.ref, patch)
        for note in report.events:
            self._put(name_of(note), Said(note))

    async def run(self) -> NoReturn:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._pace.at_once):
                tasks.create_task(self._work())
        raise AssertionError("workers never end")

    async def settle(self, patience: float) -> bool:
        """Write what waits, without further rest; whether it was all written in time."""
        for key in list(self._resting):
            self._wake(key)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self.pending:
                    self._idle.clear()
                    await self._idle.wait()
        return not self.pending

    def _put(self, key: Hashable, wish: Wish) -> None:
        """A newer wish counts, and with it how often an older one was to be said."""
        before = self._waiting.get(key)
        if isinstance(before, Said) and isinstance(wish, Said):
            wish = Said(wish.note, before.times + wish.times)
        self._waiting[key] = wish
        self._allow(key)

    def _allow(self, key: Hashable) -> None:
        """Never two writes of one object at a time."""
        if key in self._waiting and key not in self._busy and key not in self._resting:
            self._ready[key] = None
            self._something.set()

    async def _work(self) -> NoReturn:
        while True:
            while not self._ready:
                self._something.clear()
                await self._something.wait()
            await self._turn()
            if self._ready:
                key = next(iter(self._ready))
                del self._ready[key]
                await self._fulfil(key, self._waiting.pop(key))

    async def _turn(self) -> None:
        """Wait for our turn: so many a second, and none for a while when the API server is unwell."""
        loop = asyncio.get_running_loop()
        mine = self._next = max(self._next + 1 / self._pace.per_second, loop.time())
        await asyncio.sleep(mine - loop.time())
        while (now := loop.time()) < self._not_before:
            pause = self._not_before - now
            await asyncio.sleep(pause)

    async def _fulfil(self, key: Hashable, wish: Wish) -> None:
        self._busy.add(key)
        try:
            if self._may_write():
                await self._try(key, wish)
            else:
                self.progress.dropped += 1
        finally:
            self._busy.discard(key)
            self._allow(key)
            if not self.pending:
                self._idle.set()

    async def _try(self, key: Hashable, wish: Wish) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._write(key, wish)
            self._well(key)
        except (Missing, Invalid) as why:
            self.progress.dropped += 1
            self._well(key)
            if isinstance(why, Invalid):
                tell(f"the cluster does not take what we tell it: {why}", logging.WARNING)
        except (HeadgateError, TimeoutError) as why:
            self._failed(key, wish, why)

    async def _write(self, key: Hashable, wish: Wish) -> None:
        if isinstance(wish, Said):
            await self._events.write(wish)
            self._rest(key, self._pace.event_quiet)
        elif self._statuses.is_needed(wish):
            await self._statuses.write(wish)
        else:
            self.progress.unneeded += 1
            return
        self.progress.written += 1

    def _well(self, key: Hashable) -> None:
        self._backoffs.pop(key, None)
        self._backoff.reset()
        self._wrong = ""

    def _failed(self, key: Hashable, wish: Wish, why: Exception) -> None:
        """Again, but not soon; a newer wish goes before this one."""
        self.progress.failed += 1
        newer = self._waiting.pop(key, None)
        self._put(key, wish)
        if newer is not None:
            self._put(key, newer)
        if (sentence := str(why) or "no answer in time") != self._wrong:
            self._wrong = sentence
            tell(f"the cluster cannot be told: {sentence}. It is tried again", logging.WARNING)
        if isinstance(why, ApiRefusal | Conflict):  # something about this one; the others may be well
            self._rest(key, _pause(self._backoffs.setdefault(key, Backoff(self._pauses))))
        else:
            pause = max(_pause(self._backoff), why.retry_after if isinstance(why, TooMany) else 0.0)
            self._not_before = asyncio.get_running_loop().time() + pause

    def _rest(self, key: Hashable, seconds: float) -> None:
        self._ready.pop(key, None)
        self._resting[key] = asyncio.get_running_loop().call_later(seconds, self._wake, key)

    def _wake(self, key: Hashable) -> None:
        if (timer := self._resting.pop(key, None)) is not None:
            timer.cancel()
        self._allow(key)


def _pause(backoff: Backoff) -> float:
    backoff.begin()
    return backoff.pause()
