"""`Secrets`: what is in them is kept only for those that something refers to. A sink; of the others, the names are known.

When an Ingress begins to refer to one, it is fetched before the Ingress is let through, so that nobody sees the one
without the other. When nobody refers to it any more, what was in it is forgotten.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from msgspec import Raw

from headgate.api import Key, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.feed import Feed, decoded
from headgate.cluster.kube.kinds import SECRET
from headgate.cluster.kube.pauses import Backoff, Pauses
from headgate.cluster.kube.reflector import Reflector, Seen, seen_in
from headgate.errors import HeadgateError, Missing

AT_ONCE = 10
PATIENCE = 2.0  # seconds for which an Ingress waits for its Secrets; it must not wait for ever
PAGE = 100  # they may have a megabyte each


class Secrets:
    def __init__(self, client: Client, feed: Feed, others: frozenset[Ref], *, pauses: Pauses) -> None:
        self._client = client
        self._feed = feed
        self._others = others  # these come by another way
        self._pauses = pauses
        self._reflectors: list[Reflector] = []
        self._refers: dict[Ref, frozenset[Ref]] = {}
        self._count: Counter[Ref] = Counter()
        self._needed: frozenset[Ref] = frozenset()
        self._released: list[frozenset[Ref]] = []
        self._kept: set[Ref] = set()
        self._owed: set[Ref] = set()
        self._owing = asyncio.Event()
        self._at_once = asyncio.Semaphore(AT_ONCE)

    def follow(self, reflector: Reflector) -> None:
        """One that pours into us: it knows which Secrets there are."""
        self._reflectors.append(reflector)

    async def take(self, fresh: Sequence[Seen]) -> None:
        self._keep(each for each in fresh if self._is_wanted(Ref(SECRET.name, *each.key)))

    def lose(self, gone: Iterable[Key]) -> None:
        self._drop({Ref(SECRET.name, *key) for key in gone})

    async def refer(self, by: Mapping[Ref, frozenset[Ref]]) -> None:
        """These objects refer to these Secrets, and to no others; comes back when they are here, if they can be had."""
        for who, whom in by.items():
            self._released.append(self._refers.get(who, frozenset()))
            self._refers[who] = whom
            self._count.update(whom)
        self._owe({ref for whom in by.values() for ref in whom})
        if not self._owed:
            return
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*map(self._pay, tuple(self._owed)))
        except TimeoutError:
            pass
        if self._owed:
            self._owing.set()

    def release(self) -> None:
        """What was referred to before, and is no longer, may go."""
        released, self._released = self._released, []
        for whom in released:
            self._count.subtract(whom)
        doubtful = {ref for whom in released for ref in whom if self._count[ref] <= 0}
        for ref in doubtful:
            del self._count[ref]
        self._drop(doubtful - self._needed)

    def forget(self, by: Iterable[Ref]) -> None:
        """These objects are gone."""
        self._released.extend(self._refers.pop(who, frozenset()) for who in by)
        self.release()

    def need(self, refs: frozenset[Ref]) -> None:
        """Keep these too, whatever the objects of the moment refer to."""
        before, self._needed = self._needed, refs
        self._drop({ref for ref in before - refs if not self._is_wanted(ref)})
        self._owe(refs - before)
        if self._owed:
            self._owing.set()

    async def run(self) -> NoReturn:
        """Fetch what could not be fetched at once."""
        backoff = Backoff(self._pauses)
        while True:
            await self._owing.wait()
            await asyncio.gather(*map(self._pay, tuple(self._owed)))
            if self._owed:
                await asyncio.sleep(backoff.pause())
            else:
                self._owing.clear()
                backoff.reset()

    def _is_wanted(self, ref: Ref) -> bool:
        return (self._count[ref] > 0 or ref in self._needed) and ref not in self._others

    def _owe(self, refs: Iterable[Ref]) -> None:
        """Those that exist, and of which we know no more than that."""
        there = [reflector.versions for reflector in self._reflectors]
        self._owed.update(
            ref
            for ref in refs
            if ref not in self._kept
            and self._is_wanted(ref)
            and any((ref.namespace, ref.name) in versions for versions in there)
        )

    async def _pay(self, ref: Ref) -> None:
        async with self._at_once:
            if ref not in self._owed:
                return
            try:
                text = await self._client.get(SECRET.path(ref.namespace, ref.name))
            except Missing:
                self._owed.discard(ref)
            except HeadgateError:
                return
            else:
                if ref in self._owed:  # the watch may have been quicker
                    self._keep([seen_in(Raw(text))])

    def _keep(self, fresh: Iterable[Seen]) -> None:
        """A fetched one may be newer than what the watch has told so far: the watch must know, or it would put it back."""
        found = list(fresh)
        for each in found:
            for reflector in self._reflectors:
                if each.key in reflector.versions:
                    reflector.versions[each.key] = each.version
        refs = {Ref(SECRET.name, *each.key) for each in found}
        self._kept |= refs
        self._owed -= refs
        self._feed.put(decoded(SECRET, each) for each in found)

    def _drop(self, refs: set[Ref]) -> None:
        self._owed -= refs
        self._feed.drop(refs & self._kept)
        self._kept -= refs
