"""`Group`: everything that is watched in one namespace, or in all of them; it appears as a whole and leaves as a whole."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NoReturn

from msgspec import Struct

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.kube.client import PAGE, Client
from headgate.cluster.kube.feed import Feed
from headgate.cluster.kube.kinds import ENDPOINT_SLICE, INGRESS, INGRESS_CLASS, KINDS, SECRET, SERVICE, Scope
from headgate.cluster.kube.objects import Ingresses, Objects, References
from headgate.cluster.kube.pauses import Pauses
from headgate.cluster.kube.reflector import Reflector, Sink
from headgate.cluster.kube.secrets import PAGE as SECRETS_PAGE
from headgate.cluster.kube.secrets import Secrets
from headgate.cluster.store import Store

# Helm keeps each release of a chart in a Secret: large, many, and never a certificate.
NOT_HELM = "type!=helm.sh/release.v1"


class Ground(Struct):
    """What every group stands on."""

    client: Client
    store: Store
    pauses: Pauses
    others: frozenset[Ref]  # single objects, which come by a way of their own wherever they are
    refers: References
    statuses: dict[Ref, tuple[LoadBalancerIngress, ...]]
    changed: Callable[[frozenset[Ref]], None]
    noticed: Callable[[], None]


class Group:
    def __init__(self, ground: Ground) -> None:
        self.synced = asyncio.Event()
        self.reflectors: list[Reflector] = []
        self._ground = ground
        self._feed = Feed(ground.store, ground.changed)
        self._secrets = Secrets(ground.client, self._feed, ground.others, pauses=ground.pauses)
        self._later: list[Reflector] = []  # those that list when the others have

    def add_namespace(self, namespace: str, secrets_in: Sequence[str]) -> None:
        """Every kind that lives in namespaces; an empty name is all of them."""
        ground = self._ground
        ingresses = Ingresses(self._feed, self._secrets, ground.statuses, ground.refers)
        self._add(Scope(INGRESS, namespace), ingresses)
        for kind in (SERVICE, ENDPOINT_SLICE):
            self._add(Scope(kind, namespace), Objects(kind, self._feed, ground.others))
        for place in secrets_in:
            scope = Scope(SECRET, place, fields=NOT_HELM)
            # Only once the Ingresses are known it is known what to keep.
            reflector = self._add(scope, self._secrets, page=SECRETS_PAGE)
            self._secrets.follow(reflector)
            self._later.append(reflector)

    def add_classes(self) -> None:
        self._add(Scope(INGRESS_CLASS), Objects(INGRESS_CLASS, self._feed))

    def add_single(self, ref: Ref) -> None:
        """One object by its name."""
        kind = KINDS[ref.kind]
        self._add(Scope(kind, ref.namespace, fields=f"metadata.name={ref.name}"), Objects(kind, self._feed))

    def need(self, refs: frozenset[Ref]) -> None:
        self._secrets.need(refs)

    async def run(self) -> NoReturn:
        async with asyncio.TaskGroup() as tasks:
            first = [each for each in self.reflectors if each not in self._later]
            for reflector in first:
                tasks.create_task(reflector.run())
            tasks.create_task(self._secrets.run())
            await _listed(first)
            for reflector in self._later:
                tasks.create_task(reflector.run())
            await _listed(self._later)
            self._feed.open()
            self.synced.set()
        raise AssertionError("reflectors never end")

    def leave(self) -> None:
        """All of it is gone, and nobody needs to wait for it."""
        for reflector in self.reflectors:
            reflector.leave()
        self._feed.close()
        self.synced.set()

    def _add(self, scope: Scope, sink: Sink, *, page: int = PAGE) -> Reflector:
        ground = self._ground
        reflector = Reflector(ground.client, scope, sink, pauses=ground.pauses, page=page, noticed=ground.noticed)
        self.reflectors.append(reflector)
        return reflector


async def _listed(reflectors: Sequence[Reflector]) -> None:
    for reflector in reflectors:
        await reflector.synced.wait()
