"""A source that follows the cluster while a test goes on: what it saw, what it said, and what the store holds."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from headgate.api import Object, Ref
from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.pauses import Pauses
from headgate.cluster.kube.source import KubeSource, Watching
from headgate.cluster.store import Store
from headgate.model.finding import Finding

T = TypeVar("T")
DEADLINE = 30.0
# As in the product, but quicker: nobody wants to wait half a minute for a test.
QUICK = Pauses(first=0.1, longest=1.0, long_life=5.0, poll=0.3)


class Following:
    def __init__(self, source: KubeSource, store: Store) -> None:
        self.source = source
        self.store = store
        self.changes: list[frozenset[Ref]] = []
        self.findings: list[tuple[Finding, ...]] = []  # as they were at each change

    def changed(self, names: frozenset[Ref]) -> None:
        self.changes.append(names)
        self.findings.append(self.source.findings())

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        return self.store.snapshot().get(Ref(kind, namespace, name))

    def names(self, kind: str) -> set[str]:
        return {each.ref.name for each in self.store.snapshot().of_kind(kind)}

    def said(self) -> str:
        return "\n".join(finding.sentence() for finding in self.source.findings())


@asynccontextmanager
async def following(access: Access, watching: Watching, pauses: Pauses = QUICK) -> AsyncIterator[Following]:
    """Runs until the block ends; not yet synced when it begins."""
    store = Store()
    async with Client(access, timeout=5) as client:
        made = Following(KubeSource(client, store, watching, pauses=pauses), store)
        task = asyncio.create_task(made.source.watch(made.changed))
        try:
            yield made
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()


async def eventually(ask: Callable[[], T], what: str = "", *, deadline: float = DEADLINE) -> T:
    """The first true answer, asked again and again while the loop goes on."""
    end = asyncio.get_running_loop().time() + deadline
    while not (answer := ask()):
        if asyncio.get_running_loop().time() > end:
            raise AssertionError(f"{what or 'what we waited for'} did not happen in {deadline:.0f} s: {answer!r}")
        await asyncio.sleep(0.01)
    return answer
