"""`KubeSource`: a cluster as the source of objects. What to watch in; the store followed, and findings about the API out.

`files` and `kube` have one face: a store, a callback with the names of what changed, and findings as a value. Whoever
uses it waits for `synced` before the first pass: then every kind has been listed.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import NoReturn

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.group import Ground, Group
from headgate.cluster.kube.kinds import NAMESPACE, Scope
from headgate.cluster.kube.namespaces import Namespaces
from headgate.cluster.kube.objects import References, secrets_of
from headgate.cluster.kube.pauses import Pauses
from headgate.cluster.kube.presence import Presence
from headgate.cluster.kube.reflector import Counts, Reflector
from headgate.cluster.kube.troubles import Troubles
from headgate.cluster.store import Store
from headgate.model.finding import Finding, Severity
from headgate.observability.log import tell

EVERYWHERE = ("",)
_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.INFO: logging.INFO}


class Watching(Struct, frozen=True):
    """What to watch, as flags say it."""

    namespaces: tuple[str, ...] = ()  # none: all of them
    namespace_label: str = ""  # a selector: those that have it, as they come and go
    secret_namespaces: tuple[str, ...] = ()  # none: wherever the rest is watched
    singles: frozenset[Ref] = frozenset()  # ConfigMaps, Secrets and Services that flags name, wherever they are
    custom_resources: bool = True


class KubeSource:
    def __init__(
        self,
        client: Client,
        store: Store,
        watching: Watching,
        *,
        pauses: Pauses | None = None,
        refers: References = secrets_of,
    ) -> None:
        """`refers`: which Secrets an object names."""
        self._watching = watching
        self._statuses: dict[Ref, tuple[LoadBalancerIngress, ...]] = {}
        self._changed: Callable[[frozenset[Ref]], None] = lambda _: None
        self._troubles = Troubles()
        self._told: tuple[Finding, ...] = ()
        self._needed: frozenset[Ref] = frozenset()
        self._groups: dict[str, Group] = {}
        self._runs: dict[str, asyncio.Task[NoReturn]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._listed = asyncio.Event()
        self._ground = Ground(
            client=client,
            store=store,
            pauses=pauses or Pauses(),
            others=watching.singles,
            refers=refers,
            statuses=self._statuses,
            changed=self._announce,
            noticed=self._notice,
        )
        self._presence = Presence(client, pauses=self._ground.pauses, noticed=self._notice)
        self._namespaces = self._selected() if watching.namespace_label else None
        self._first = Group(self._ground)
        self._first.add_classes()
        for single in sorted(watching.singles):
            self._first.add_single(single)

    def findings(self) -> tuple[Finding, ...]:
        return self._told

    def status_of(self, ref: Ref) -> tuple[LoadBalancerIngress, ...]:
        """What an Ingress shows as its addresses."""
        return self._statuses.get(ref, ())

    def wrote(self, ref: Ref, status: tuple[LoadBalancerIngress, ...]) -> None:
        """We wrote one ourselves: it is known before the watch tells us."""
        if ref in self._statuses:
            self._statuses[ref] = status

    def counts(self) -> dict[str, Counts]:
        """By kind, for metrics."""
        totals: dict[str, Counts] = {}
        for reflector in self._reflectors():
            total = totals.setdefault(reflector.scope.kind.name, Counts())
            for name in Counts.__struct_fields__:
                setattr(total, name, getattr(total, name) + getattr(reflector.counts, name))
        return totals

    def need(self, secrets: frozenset[Ref]) -> None:
        """Keep these Secrets too: accepted versions that stand in for bad ones may refer to them."""
        self._needed = secrets
        for group in self._groups.values():
            group.need(secrets)

    async def synced(self) -> None:
        """Every kind has been listed, in every namespace that was there."""
        await self._listed.wait()

    async def watch(self, changed: Callable[[frozenset[Ref]], None]) -> NoReturn:
        """For ever: call `changed` with the names of what changed, or with none when only findings did."""
        self._changed = changed
        async with asyncio.TaskGroup() as self._tasks:
            self._tasks.create_task(self._first.run())
            if self._watching.custom_resources:
                self._tasks.create_task(self._presence.run())
            if self._namespaces is not None:
                self._tasks.create_task(self._namespaces.run())
            else:
                for name in self._watching.namespaces or EVERYWHERE:
                    self._join(name)
            self._tasks.create_task(self._gathered())
        raise AssertionError("groups never end")

    async def _gathered(self) -> None:
        if self._namespaces is not None:
            await self._namespaces.synced.wait()
        for group in (self._first, *self._groups.values()):
            await group.synced.wait()
        self._listed.set()

    def _selected(self) -> Reflector:
        scope = Scope(NAMESPACE, labels=self._watching.namespace_label)
        sink = Namespaces(self._join, self._leave)
        return Reflector(self._ground.client, scope, sink, pauses=self._ground.pauses, noticed=self._notice)

    def _join(self, namespace: str) -> None:
        if self._tasks is None:
            raise RuntimeError("namespaces are joined by `watch`")
        group = Group(self._ground)
        group.add_namespace(namespace, self._secrets_in(namespace))
        group.need(self._needed)
        self._groups[namespace] = group
        self._runs[namespace] = self._tasks.create_task(group.run())

    def _leave(self, namespace: str) -> None:
        self._runs.pop(namespace).cancel()
        self._groups.pop(namespace).leave()
        self._notice()

    def _secrets_in(self, namespace: str) -> tuple[str, ...]:
        """Where to watch Secrets for a group. Those of other namespaces than its own are of no use to it."""
        listed = self._watching.secret_namespaces
        if not listed:
            return (namespace,)
        return listed if not namespace else tuple(each for each in listed if each == namespace)

    def _reflectors(self) -> Iterator[Reflector]:
        if self._namespaces is not None:
            yield self._namespaces
        for group in (self._first, *self._groups.values()):
            yield from group.reflectors

    def _announce(self, names: frozenset[Ref]) -> None:
        self._changed(names)

    def _notice(self) -> None:
        """Something went wrong, or is mended. Before the first pass nobody else would say so."""
        before, self._told = self._told, (*self._troubles.findings(self._reflectors()), *self._presence.findings())
        if self._told == before:
            return
        if self._listed.is_set():
            self._changed(frozenset())
            return
        for finding in self._told:
            if finding not in before:
                tell(finding.sentence(), _LEVELS[finding.severity], about=finding.ref)
