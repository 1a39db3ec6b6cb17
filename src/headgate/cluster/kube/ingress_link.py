"""The address of an IngressLink (cis.f5.com/v1), one of the three sources of our own address. Looked at now and then: it hardly ever changes."""

import asyncio
from collections.abc import Callable
from typing import NoReturn

import msgspec
from msgspec import Struct, field

from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import Kind
from headgate.errors import HeadgateError
from headgate.observability.log import tell

INGRESS_LINK = Kind("IngressLink", "cis.f5.com/v1", "ingresslinks")
PAUSE = 15.0


class _Spec(Struct, rename="camel"):
    virtual_server_address: str = ""


class _Link(Struct):
    spec: _Spec = field(default_factory=_Spec)


async def follow(client: Client, namespace: str, name: str, moved: Callable[[str], None]) -> NoReturn:
    """Tell of the address whenever it is another than before."""
    address, trouble = "", ""
    while True:
        try:
            found = msgspec.json.decode(await client.get(INGRESS_LINK.path(namespace, name)), type=_Link)
            now, wrong = found.spec.virtual_server_address, ""
        except (HeadgateError, msgspec.MsgspecError) as why:
            now, wrong = address, str(why)
        if wrong and wrong != trouble:
            tell(f"IngressLink {namespace}/{name} cannot be read: {wrong}")
        trouble = wrong
        if now != address:
            address = now
            moved(address)
        await asyncio.sleep(PAUSE)
