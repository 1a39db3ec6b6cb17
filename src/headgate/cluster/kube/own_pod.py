"""Our own Pod: read once at the start, for whom events about Headgate are about; and labelled with versions, as F5's controller does."""

import asyncio
import logging

import msgspec
from msgspec import Struct

from headgate.api import Meta, Ref
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import path_of
from headgate.errors import HeadgateError
from headgate.observability.log import tell

TRIES, PAUSE = 10, 5.0


class _Pod(Struct):
    metadata: Meta


async def uid_of(client: Client, pod: Ref) -> str:
    """Raises what the client raises: without a Pod there is nobody whose labels and events these would be."""
    return msgspec.json.decode(await client.get(path_of(pod)), type=_Pod).metadata.uid


async def label(client: Client, pod: Ref, labels: dict[str, str]) -> None:
    for attempt in range(TRIES):
        try:
            await client.patch(path_of(pod), {"metadata": {"labels": labels}})
        except HeadgateError as why:
            if attempt == TRIES - 1:
                tell(f"{pod} could not be labelled with our versions: {why}", logging.WARNING)
            await asyncio.sleep(PAUSE)
        else:
            return
