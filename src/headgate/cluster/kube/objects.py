"""Sinks for what needs no care beyond reading it, and for Ingresses, which have a status and refer to Secrets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from headgate.api import Ingress, Key, LoadBalanced, LoadBalancerIngress, Malformed, Object, Ref
from headgate.cluster.kube.feed import Feed, decoded
from headgate.cluster.kube.kinds import INGRESS, Kind
from headgate.cluster.kube.reflector import Seen
from headgate.cluster.kube.secrets import Secrets

References: TypeAlias = Callable[[Object], frozenset[Ref]]


class Objects:
    """`others`: what comes by another way, and must not come by two."""

    def __init__(self, kind: Kind, feed: Feed, others: frozenset[Ref] = frozenset()) -> None:
        self._kind = kind
        self._feed = feed
        self._others = others

    async def take(self, fresh: Sequence[Seen]) -> None:
        found = [decoded(self._kind, each) for each in fresh]
        self._feed.put(each for each in found if each.ref not in self._others)

    def lose(self, gone: Iterable[Key]) -> None:
        refs = [Ref(self._kind.name, *key) for key in gone]
        self._feed.drop(ref for ref in refs if ref not in self._others)


class _WithStatus(Struct, frozen=True, gc=False):
    status: LoadBalanced = LoadBalanced()


class Ingresses:
    """A status goes beside, into `statuses`: to write one must not look like a change."""

    def __init__(
        self, feed: Feed, secrets: Secrets, statuses: dict[Ref, tuple[LoadBalancerIngress, ...]], refers: References
    ) -> None:
        self._feed = feed
        self._secrets = secrets
        self._statuses = statuses
        self._refers = refers
        self._decoder = msgspec.json.Decoder(_WithStatus)

    async def take(self, fresh: Sequence[Seen]) -> None:
        found = [decoded(INGRESS, each) for each in fresh]
        for seen, each in zip(fresh, found, strict=True):
            self._statuses[each.ref] = self._status(seen)
        # What a malformed one refers to cannot be told; the version that stands in for it needs what it needed.
        by: Mapping[Ref, frozenset[Ref]] = {
            each.ref: self._refers(each) for each in found if not isinstance(each, Malformed)
        }
        await self._secrets.refer(by)
        self._feed.put(found)
        self._secrets.release()

    def lose(self, gone: Iterable[Key]) -> None:
        refs = [Ref(INGRESS.name, *key) for key in gone]
        for ref in refs:
            self._statuses.pop(ref, None)
        self._feed.drop(refs)
        self._secrets.forget(refs)

    def _status(self, seen: Seen) -> tuple[LoadBalancerIngress, ...]:
        try:
            return self._decoder.decode(seen.text).status.load_balancer.ingress
        except msgspec.ValidationError:
            return ()


def secrets_of(found: Object) -> frozenset[Ref]:
    """The Secrets that an object names."""
    if not isinstance(found, Ingress):
        return frozenset()
    return frozenset(Ref("Secret", found.meta.namespace, tls.secret_name) for tls in found.spec.tls if tls.secret_name)
