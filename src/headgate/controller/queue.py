"""A queue of names, drained whole: a burst of changes is one pass and one reload.

A name says where to look, never what happened. Equal names coalesce. One worker takes everything that is there after a short
quiet, and never waits longer than a ceiling.
"""

import asyncio
import time
from collections.abc import Iterable

from msgspec import Struct

from headgate.api import Ref


class Batch(Struct, frozen=True):
    names: frozenset[Ref]
    since: float  # monotonic, of the oldest name


class WorkQueue:
    def __init__(self, *, quiet: float = 0.05, ceiling: float = 0.5) -> None:
        self._quiet = quiet
        self._ceiling = ceiling
        self._names: set[Ref] = set()
        self._since: float | None = None
        self._last = 0.0
        self._something = asyncio.Event()

    def put(self, names: Iterable[Ref] = (), *, since: float | None = None) -> None:
        """Something changed. Without names: a pass is wanted all the same."""
        now = time.monotonic()
        self._names.update(names)
        earliest = since if since is not None else now
        self._since = earliest if self._since is None else min(self._since, earliest)
        self._last = now
        self._something.set()

    async def get(self) -> Batch:
        """Everything that is there, once it has been quiet for a moment."""
        await self._something.wait()
        while True:
            now = time.monotonic()
            since = self._since if self._since is not None else now
            due = min(self._last + self._quiet, since + self._ceiling)
            if now >= due:
                break
            await asyncio.sleep(due - now)
        batch = Batch(frozenset(self._names), since)
        self._names.clear()
        self._since = None
        self._something.clear()
        return batch

    @property
    def depth(self) -> int:
        return len(self._names)

    @property
    def age(self) -> float:
        """How long the oldest name has waited, in seconds."""
        return time.monotonic() - self._since if self._since is not None else 0.0
