"""A text in a ConfigMap of ours, which replicas leave for each other: the leader writes it, a new one reads it once."""

import asyncio
import logging
from typing import NoReturn

import msgspec

from headgate.api import ConfigMap, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import CONFIG_MAP, path_of
from headgate.errors import HeadgateError, Missing
from headgate.observability.log import tell

KEY = "accepted"
RETRY = 10.0


class Keepsake:
    def __init__(self, client: Client, ref: Ref) -> None:
        self._client = client
        self._ref = ref
        self._wanted: str | None = None
        self._written: str | None = None
        self._changed = asyncio.Event()

    async def read(self) -> str:
        """What was left; nothing when nobody left anything, or it cannot be had: we can do without."""
        try:
            found = msgspec.json.decode(await self._client.get(path_of(self._ref)), type=ConfigMap)
        except HeadgateError as why:
            if not isinstance(why, Missing):
                tell(f"{self._ref}, where replicas share accepted versions, cannot be read: {why}", logging.WARNING)
            return ""
        self._written = found.data.get(KEY, "")
        return self._written

    def put(self, text: str) -> None:
        """Never waits. What is there already, or nothing where nothing is, needs no write."""
        if text != (self._written or ""):
            self._wanted = text
            self._changed.set()

    async def run(self) -> NoReturn:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._write()
            except HeadgateError as why:
                tell(f"{self._ref}, where replicas share accepted versions, cannot be written: {why}", logging.WARNING)
                await asyncio.sleep(RETRY)
                self._changed.set()

    async def _write(self) -> None:
        text = self._wanted or ""
        try:
            await self._client.patch(path_of(self._ref), {"data": {KEY: text}})
        except Missing:
            metadata = {"name": self._ref.name, "namespace": self._ref.namespace}
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {KEY: text}}
            await self._client.create(CONFIG_MAP.path(self._ref.namespace), body)
        self._written = text
