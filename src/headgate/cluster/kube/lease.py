"""`Leader`: of several replicas, one may write. A Lease in the cluster in, `leading` out.

Nobody's clock is believed, not even our own: that a holder is alive is known from its Lease changing, and how long ago
that was is measured here, in monotonic time. We stop leading well before anybody may take over: so many seconds after
the last renewal was *sent*, whether or not the loop had time to notice. A leader that lost stands for election again.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec
from msgspec import Struct

from headgate.api.lease import Lease, LeaseSpec
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import LEASE
from headgate.errors import Conflict, HeadgateError, Missing
from headgate.observability.log import tell


class Times(Struct, frozen=True):
    """In seconds; the same as in F5's controller."""

    duration: float = 30.0  # others wait so long after the last renewal that they saw
    deadline: float = 15.0  # we stop so long after the last renewal that we sent
    retry: float = 7.5


class Leader:
    def __init__(
        self,
        client: Client,
        namespace: str,
        name: str,
        *,
        identity: str,
        times: Times | None = None,
        changed: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """`changed` is told when leading begins (True) and when it ends."""
        self._client = client
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._times = times or Times()
        self._changed = changed
        self._until = 0.0  # monotonic; we lead until then
        self._raw: dict[str, Any] = {}  # the Lease as it is, with what we do not read of it
        self._seen: tuple[LeaseSpec, float] | None = None  # how it looked when it last looked new, and when that was
        self._is_leading = False  # as last told
        self._wrong = ""
        self.transitions = 0
        self.latest = 0.0  # how late the latest renewal of all came, in seconds

    @property
    def leading(self) -> bool:
        """True only while nobody else can be."""
        return time.monotonic() < self._until

    @property
    def holder(self) -> str:
        """Who holds the Lease, as far as we know."""
        return (self._seen[0].holder_identity or "") if self._seen else ""

    async def run(self) -> NoReturn:
        due = time.monotonic()
        while True:
            if self._is_leading:
                self.latest = max(self.latest, time.monotonic() - due)
            await self._try()
            self._tell()
            due = time.monotonic() + self._pause()
            await self._rest(due)

    async def release(self) -> None:
        """Let somebody else lead at once, instead of when they have waited long enough. End `run` first."""
        if not self.leading:
            return
        self._until = 0.0
        self._tell()
        try:
            await self._write(LeaseSpec(holder_identity="", lease_duration_seconds=1))
        except HeadgateError as why:
            tell(f"the lease could not be released, and runs out by itself: {why}")

    async def _rest(self, due: float) -> None:
        """Until then; but the end of leading is told when it comes, though no renewal went through."""
        while (now := time.monotonic()) < due:
            ends = self._until if self._is_leading and now < self._until else due
            await asyncio.sleep(max(min(due, ends) - now, 0.001))
            self._tell()

    async def _try(self) -> None:
        """Take the Lease or renew it, if it is ours to take."""
        limit = self._times.deadline if not self._is_leading else max(self._until - time.monotonic(), 0.1)
        try:
            async with asyncio.timeout(limit):
                await self._look()
                sent = time.monotonic()
                if self._is_ours_to_take(sent):
                    await self._write(self._wanted())
                    self._until = sent + self._times.deadline
                elif self.holder != self._identity:
                    self._until = 0.0  # somebody took it by force
            self._wrong = ""
        except Conflict:
            pass  # somebody was quicker
        except (HeadgateError, TimeoutError) as why:
            self._say(str(why) or "no answer in time")

    def _say(self, wrong: str) -> None:
        if wrong != self._wrong:
            self._wrong = wrong
            tell(f"the lease {self._namespace}/{self._name} cannot be had: {wrong}", logging.WARNING)

    async def _look(self) -> None:
        try:
            self._remember(await self._client.get(LEASE.path(self._namespace, self._name)))
        except Missing:
            metadata = {"name": self._name, "namespace": self._namespace}
            body = {"apiVersion": LEASE.version, "kind": LEASE.name, "metadata": metadata}
            self._remember(await self._client.create(LEASE.path(self._namespace), body))

    def _remember(self, text: bytes) -> None:
        self._raw = msgspec.json.decode(text)
        spec = msgspec.json.decode(text, type=Lease).spec
        if self._seen is None or self._seen[0] != spec:
            self._seen = (spec, time.monotonic())

    def _is_ours_to_take(self, now: float) -> bool:
        if self._seen is None:
            return False
        spec, since = self._seen
        held_by_other = spec.holder_identity and spec.holder_identity != self._identity
        return not held_by_other or now >= since + (spec.lease_duration_seconds or self._times.duration)

    def _wanted(self) -> LeaseSpec:
        spec = self._seen[0] if self._seen else LeaseSpec()
        is_renewal = spec.holder_identity == self._identity
        self.transitions = (spec.lease_transitions or 0) + (0 if is_renewal else 1)
        return LeaseSpec(
            holder_identity=self._identity,
            lease_duration_seconds=max(round(self._times.duration), 1),
            acquire_time=spec.acquire_time if is_renewal else _now(),
            lease_transitions=self.transitions,
        )

    async def _write(self, spec: LeaseSpec) -> None:
        """With the version that was read, so that of two who write at once, one is told that it was late."""
        said = {key: value for key, value in msgspec.to_builtins(spec).items() if value is not None}
        body = {**self._raw, "spec": {**self._raw.get("spec", {}), **said, "renewTime": _now()}}
        self._remember(await self._client.update(LEASE.path(self._namespace, self._name), body))

    def _pause(self) -> float:
        """Leaders renew on time; others look now and then, and at the moment when the Lease runs out."""
        if self._is_leading:
            return self._times.retry
        pause = self._times.retry * (1 + random.random() / 5)  # noqa: S311 - dice, not secrets
        if self._seen is None:
            return pause
        spec, since = self._seen
        ends = since + (spec.lease_duration_seconds or self._times.duration) - time.monotonic()
        return min(pause, ends + pause / 50) if ends > 0 else pause

    def _tell(self) -> None:
        if self.leading is self._is_leading:
            return
        self._is_leading = self.leading
        tell("leading begins" if self._is_leading else "leading ends", lease=self._name, holder=self.holder)
        self._changed(self._is_leading)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
