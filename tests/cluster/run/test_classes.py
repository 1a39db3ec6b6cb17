"""Whose Ingress is it? In a cluster the class says so, and an Ingress without one is nobody's, unless a class is the default."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from tests.cluster.run.scene import OURS, Scene
from tests.support.manifests import ingress_class, route


async def test_only_ingresses_of_our_class_are_served(scene: Scene) -> None:
    theirs = ingress_class(f"theirs-{scene.namespace}", "example.com/another")
    await scene.hand.create(theirs)
    await scene.app("tea")
    await scene.hand.create(
        scene.route("ours", "ours.test", "tea"),
        route("theirs", "theirs.test", "tea", class_name=theirs["metadata"]["name"]),
        route("nobodys", "nobodys.test", "tea"),
        route("legacy", "legacy.test", "tea", annotations={"kubernetes.io/ingress.class": scene.class_name}),
    )
    replica = await scene.replica("-report-ingress-status")
    assert replica.backend("ours.test") == replica.backend("legacy.test") == "tea"
    assert {replica.ask(host=host).reason for host in ("theirs.test", "nobodys.test")} == {"no-host"}
    await scene.hand.patch(route("theirs", "", ""), {"spec": {"ingressClassName": scene.class_name}})
    await replica.serves(lambda: replica.backend("theirs.test") == "tea", "one that became ours")
    await scene.hand.patch(scene.route("ours", "", ""), {"spec": {"ingressClassName": theirs["metadata"]["name"]}})
    await replica.serves(lambda: replica.ask(host="ours.test").reason == "no-host", "one that was ours")


async def test_a_default_class_takes_those_without_one(
    own_scene: Callable[..., AbstractAsyncContextManager[Scene]],
) -> None:
    """The API server writes a default class into new Ingresses by itself; those from before are ours by the class's word."""
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        await scene.hand.create(route("before", "before.test", "tea"))
        replica = await scene.replica()
        assert replica.ask(host="before.test").reason == "no-host"
        await scene.hand.patch(
            ingress_class(scene.class_name, OURS),
            {"metadata": ingress_class("", OURS, is_default=True)["metadata"] | {"name": scene.class_name}},
        )
        await replica.serves(lambda: replica.backend("before.test") == "tea", "one from before")
        await scene.hand.create(route("after", "after.test", "tea"))
        await replica.serves(lambda: replica.backend("after.test") == "tea", "one that got the default class")
