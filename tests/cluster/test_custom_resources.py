"""Kinds that are installed after we started: a warning, a slow poll, and then they are there."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from headgate.api import Key
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import Kind, Scope
from headgate.cluster.kube.reflector import Reflector, Seen
from headgate.cluster.kube.source import Watching
from headgate.errors import Missing
from tests.cluster.environment import ControlPlane
from tests.cluster.following import QUICK, eventually, following
from tests.cluster.hand import Hand, hand_in
from tests.support.manifests import Manifest, service


def definition(group: str, kind: str, plural: str) -> Manifest:
    """The loosest one that the API server takes."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


class Names:
    """A sink that remembers names."""

    def __init__(self) -> None:
        self.there: set[str] = set()

    async def take(self, fresh: Sequence[Seen]) -> None:
        self.there |= {each.key[1] for each in fresh}

    def lose(self, gone: Iterable[Key]) -> None:
        self.there -= {name for _, name in gone}

    def holds(self, names: set[str]) -> bool:
        return self.there == names


async def test_custom_resources_that_come_later_are_noticed(own_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(own_plane)
    async with hand_in(plane) as hand, following(plane.admin, Watching()) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        await eventually(lambda: "not installed: globalconfigurations, policies" in seen.said())
        assert len(seen.source.findings()) == 1
        await hand.create(definition("k8s.nginx.org", "VirtualServer", "virtualservers"))
        await eventually(lambda: "not read by this version of Headgate: virtualservers" in seen.said())
        assert "virtualservers" not in next(e.message for e in seen.source.findings() if e.reason == "NotInstalled")
        await hand.create(service("meanwhile"))
        await eventually(lambda: "meanwhile" in seen.names("Service"))


async def test_whoever_wants_no_custom_resources_hears_nothing_of_them(hand: Hand) -> None:
    async with following(hand.plane.admin, Watching(custom_resources=False)) as seen:
        await asyncio.wait_for(seen.source.synced(), 30)
        assert seen.source.findings() == ()


async def test_a_reflector_waits_for_its_kind_and_outlives_its_removal(own_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(own_plane)
    cup = Kind("Cup", "cafe.example.com/v1", "cups")
    made = definition("cafe.example.com", "Cup", "cups")
    async with hand_in(plane) as hand, Client(plane.admin) as client:
        sink = Names()
        reflector = Reflector(client, Scope(cup), sink, pauses=QUICK, is_optional=True)
        task = asyncio.create_task(reflector.run())
        await eventually(lambda: isinstance(reflector.trouble, Missing))
        assert reflector.synced.is_set()  # nobody waits for what is not installed
        for name in ("large", "small"):
            await hand.create(made)
            await eventually(lambda: reflector.trouble is None)
            await hand.create({"apiVersion": cup.version, "kind": "Cup", "metadata": {"name": name}})
            await eventually(partial(sink.holds, {name}))
            await hand.delete(made)
            await eventually(partial(sink.holds, set()))
            await eventually(lambda: isinstance(reflector.trouble, Missing))
        task.cancel()
