"""`Reflector`: follow one kind in one place. List and watch in; to its sink, what is new and what is gone.

A list is the truth: what it does not name is gone, also when nobody told us. A watch goes on from there, and each event
and bookmark moves the place from which the next one goes on. 410, in whatever form, means list again; any other failure
means the same watch again, after a pause. No state needs a restart: whatever went wrong, the next list is the truth.

The surprising thing: an event that is older than what is known of its object is passed over, and one that is older than
the stream about an object that is not known makes us list again, since it cannot be told from one that came too late.
Versions are compared as numbers where they are numbers.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, Protocol, TypeAlias

import msgspec
from msgspec import Raw, Struct

from headgate.api import Key
from headgate.cluster.kube.client import PAGE, Client, Status, failure_of
from headgate.cluster.kube.kinds import Scope
from headgate.cluster.kube.pauses import Backoff, Pauses
from headgate.errors import ApiUnavailable, Gone, HeadgateError, Missing, TooMany

WATCH_SECONDS = (300, 600)  # chance between these, so that watches do not all end together
GRACE = 30.0  # seconds beyond the time after which the server was to end the watch

Version: TypeAlias = int | str


class Seen(Struct, frozen=True, gc=False):
    """An object as it came, unread but for its name and version."""

    key: Key
    version: Version
    text: Raw


class Sink(Protocol):
    """Where a reflector pours what it sees."""

    async def take(self, fresh: Sequence[Seen]) -> None:
        """New and changed objects."""

    def lose(self, gone: Iterable[Key]) -> None: ...


class Counts(Struct):
    """For metrics."""

    lists: int = 0
    watches: int = 0
    events: int = 0
    failures: int = 0


class _Meta(Struct, frozen=True, gc=False, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""


class _Head(Struct, frozen=True, gc=False):
    metadata: _Meta = _Meta()


class _List(Struct, frozen=True, gc=False):
    metadata: _Meta = _Meta()
    items: list[Raw] | None = None


class _Event(Struct, frozen=True, gc=False):
    type: str
    object: Raw


_heads = msgspec.json.Decoder(_Head)
_lists = msgspec.json.Decoder(_List)
_events = msgspec.json.Decoder(_Event)


class Reflector:
    def __init__(
        self,
        client: Client,
        scope: Scope,
        sink: Sink,
        *,
        pauses: Pauses | None = None,
        page: int = PAGE,
        is_optional: bool = False,
        noticed: Callable[[], None] = lambda: None,
    ) -> None:
        """`is_optional`: without its kind there is nothing to wait for. `noticed` is called whenever `trouble` changes."""
        self.scope = scope
        self.synced = asyncio.Event()
        self.trouble: HeadgateError | None = None  # what is wrong at the moment
        self.counts = Counts()
        self.versions: dict[Key, Version] = {}  # every object that is there
        self._client = client
        self._sink = sink
        self._pauses = pauses or Pauses()
        self._page = page
        self._is_optional = is_optional
        self._noticed = noticed
        self._position: Version | None = None  # where the next watch goes on; None: list first

    async def run(self) -> NoReturn:
        backoff = Backoff(self._pauses)
        while True:
            backoff.begin()
            try:
                if self._position is None:
                    self._position = await self._list()
                    self.synced.set()
                await self._watch(self._position)
                pause = backoff.pause()
            except HeadgateError as why:
                pause = self._failed(why, backoff)
            except msgspec.MsgspecError as why:
                pause = self._failed(ApiUnavailable(f"what came is not what was asked for: {why}"), backoff)
            await asyncio.sleep(pause)

    def _failed(self, why: HeadgateError, backoff: Backoff) -> float:
        """How long to wait. What is known stays in force all the while."""
        self.counts.failures += 1
        pause = backoff.pause()
        if isinstance(why, Gone):
            self._position = None
            return pause
        if pause:  # a good stream that ended is no trouble, if the next one begins
            self._feel(why)
        if isinstance(why, Missing):
            if self._is_optional:
                self.synced.set()
            return self._pauses.poll * (1 + random.random() / 10)  # noqa: S311 - dice, not secrets
        return max(pause, why.retry_after) if isinstance(why, TooMany) else pause

    def leave(self) -> None:
        """Nobody follows this any more: all of it is gone."""
        self._lose(list(self.versions))

    def _feel(self, trouble: HeadgateError | None) -> None:
        before, self.trouble = self.trouble, trouble
        if type(before) is not type(trouble) or str(before) != str(trouble):
            self._noticed()

    async def _list(self) -> Version:
        self.counts.lists += 1
        there: set[Key] = set()
        version = ""
        async for page in self._client.list_pages(self.scope.path, self.scope.params, page=self._page):
            found = _lists.decode(page)
            listed = [seen_in(raw) for raw in found.items or ()]
            await self._take([each for each in listed if self.versions.get(each.key) != each.version])
            there.update(each.key for each in listed)
            version = found.metadata.resource_version
        if not version:
            raise ApiUnavailable("a list came without its resource version")
        self._lose([key for key in self.versions if key not in there])
        self._feel(None)
        return _number(version)

    async def _watch(self, position: Version) -> None:
        self.counts.watches += 1
        seconds = random.randint(*WATCH_SECONDS)  # noqa: S311 - dice, not secrets
        params = {
            **self.scope.params,
            "resourceVersion": str(position),
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
        }
        async with self._client.watch(self.scope.path, params, idle=seconds + GRACE) as lines:
            self._feel(None)
            async for line in lines:
                await self._event(_events.decode(line))

    async def _event(self, event: _Event) -> None:
        self.counts.events += 1
        if event.type == "ERROR":
            said = msgspec.json.decode(event.object, type=Status)
            raise failure_of(said.code, said.message, retry_after=said.details.retry_after_seconds)
        seen = seen_in(event.object)
        if event.type == "DELETED":
            if not _is_older(seen.version, self.versions.get(seen.key, seen.version)):
                self._lose([seen.key])
        elif event.type in ("ADDED", "MODIFIED") and self._is_news(seen):
            await self._take([seen])
        if self._position is None or not _is_older(seen.version, self._position):
            self._position = seen.version

    def _is_news(self, seen: Seen) -> bool:
        known = self.versions.get(seen.key)
        if known is not None:
            return seen.version != known and not _is_older(seen.version, known)
        if seen.version == self._position or _is_older(seen.version, self._position):
            raise Gone("an event came out of its order")
        return True

    async def _take(self, fresh: list[Seen]) -> None:
        if fresh:
            await self._sink.take(fresh)
            self.versions.update((each.key, each.version) for each in fresh)

    def _lose(self, gone: list[Key]) -> None:
        known = [key for key in gone if self.versions.pop(key, None) is not None]
        if known:
            self._sink.lose(known)


def seen_in(raw: Raw) -> Seen:
    """An object as JSON, not read any further than it must be."""
    meta = _heads.decode(raw).metadata
    return Seen((meta.namespace, meta.name), _number(meta.resource_version), raw)


def _number(version: str) -> Version:
    return int(version) if version.isdecimal() else version


def _is_older(version: Version, than: Version | None) -> bool:
    """Where they are no numbers, nobody can tell."""
    return isinstance(version, int) and isinstance(than, int) and version < than
