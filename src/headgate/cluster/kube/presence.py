"""Are the custom resources installed? The API's own list of kinds in, findings out.

Without them everything else goes on: one warning, and a look now and then, since somebody may install them.
"""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

import msgspec
from msgspec import Struct

from headgate.api import Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.pauses import Pauses
from headgate.errors import HeadgateError, Missing
from headgate.model.finding import Finding, Severity

GROUP = "k8s.nginx.org/v1"
WANTED = ("globalconfigurations", "policies", "transportservers", "virtualserverroutes", "virtualservers")


class _Resource(Struct, frozen=True):
    name: str = ""


class _Resources(Struct, frozen=True):
    resources: tuple[_Resource, ...] = ()


class Presence:
    def __init__(self, client: Client, *, pauses: Pauses, noticed: Callable[[], None]) -> None:
        self.installed: frozenset[str] | None = None  # None: not known yet
        self._client = client
        self._pauses = pauses
        self._noticed = noticed

    async def run(self) -> NoReturn:
        while True:
            with suppress(HeadgateError, msgspec.MsgspecError):  # that the API server is away is said by others
                await self._look()
            await asyncio.sleep(self._pauses.poll * (1 + random.random() / 10))  # noqa: S311 - dice, not secrets

    async def _look(self) -> None:
        try:
            told = await self._client.get(f"/apis/{GROUP}")
        except Missing:
            told = b"{}"
        listed = {each.name for each in msgspec.json.decode(told, type=_Resources).resources}
        found = frozenset(WANTED) & listed
        if found != self.installed:
            self.installed = found
            self._noticed()

    def findings(self) -> tuple[Finding, ...]:
        if self.installed is None:
            return ()
        missing = [name for name in WANTED if name not in self.installed]
        unread = [name for name in WANTED if name in self.installed]
        told = []
        if missing:
            said = f"not installed: {', '.join(missing)}. Everything else is served; they are looked for now and then"
            told.append(_about(Severity.WARNING, "NotInstalled", said))
        if unread:
            said = f"installed, but not read by this version of Headgate: {', '.join(unread)}"
            told.append(_about(Severity.INFO, "NotRead", said))
        return tuple(told)


def _about(severity: Severity, reason: str, message: str) -> Finding:
    return Finding(Ref("CustomResourceDefinition", "", GROUP), severity, reason, message)
