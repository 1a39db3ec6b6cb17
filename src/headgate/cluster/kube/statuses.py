"""Statuses of Ingresses: a patch in, `status.loadBalancer.ingress` in the cluster, if it is not so already.

A patch, so that what we do not know of the object stays. Where our rights are those that F5's controller has, which may
update but not patch, the object is read and put back whole, as JSON that nobody of ours has decoded.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import path_of
from headgate.errors import Forbidden
from headgate.model.report import StatusPatch


class Statuses:
    def __init__(
        self,
        client: Client,
        shown: Callable[[Ref], tuple[LoadBalancerIngress, ...]],
        wrote: Callable[[Ref, tuple[LoadBalancerIngress, ...]], None],
    ) -> None:
        """`shown`: what the cluster shows, as far as we know; `wrote` is told what it shows now."""
        self._client = client
        self._shown = shown
        self._wrote = wrote
        self._may_patch = True

    def is_needed(self, patch: StatusPatch) -> bool:
        return self._shown(patch.ref) != patch.ingress

    async def write(self, patch: StatusPatch) -> None:
        # null takes the list away; an empty one would stay as a list.
        addresses: Any = msgspec.to_builtins(patch.ingress, str_keys=True) or None
        path = path_of(patch.ref)
        if self._may_patch:
            try:
                await self._client.patch(path, {"status": {"loadBalancer": {"ingress": addresses}}}, "status")
            except Forbidden:
                await self._update(path, addresses)
                self._may_patch = False
        else:
            await self._update(path, addresses)
        self._wrote(patch.ref, patch.ingress)

    async def _update(self, path: str, addresses: Any) -> None:
        found: dict[str, Any] = msgspec.json.decode(await self._client.get(path))
        found["status"] = {**found.get("status", {}), "loadBalancer": {"ingress": addresses}}
        await self._client.update(f"{path}/status", found)
