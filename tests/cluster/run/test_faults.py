"""What goes wrong around Headgate while it runs, and requests that nobody loses meanwhile."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from tests.cluster.hand import right
from tests.cluster.relay import relay
from tests.cluster.run.scene import Scene
from tests.cluster.run.traffic import traffic
from tests.cluster.test_custom_resources import definition
from tests.support.waiting import until

Scenes = Callable[..., AbstractAsyncContextManager[Scene]]
READING = (
    right("networking.k8s.io", "ingresses,ingressclasses", "get,list,watch"),
    right("", "services,secrets,configmaps,pods", "get,list,watch,patch,create"),
    right("discovery.k8s.io", "endpointslices"),
    right("coordination.k8s.io", "leases", "create,get,update"),
    right("", "events", "create,patch,get"),
)


def with_token(scene: Scene, file: Path) -> dict[str, Any]:
    """A kubeconfig like that of a Pod: a token in a file, which somebody rewrites now and then."""
    config = scene.plane.kubeconfig(Path(), Path())
    config["users"][0]["user"] = {"tokenFile": str(file)}
    return config


async def test_a_deletion_that_was_compacted_away_comes_to_light(own_scene: Scenes) -> None:
    # The API server's own cache would go on for us, and hide what etcd has forgotten.
    async with await asyncio.to_thread(own_scene, "--watch-cache=false") as scene, relay(scene.plane.server) as wire:
        await scene.app("tea")
        await scene.hand.create(scene.route("goes", "goes.test", "tea"), scene.route("stays", "stays.test", "tea"))
        config = scene.plane.kubeconfig(*scene.plane.authority.client("relayed", "system:masters"))
        access = wire.through(scene.plane.admin)
        config["clusters"][0]["cluster"] |= {"server": access.server, "tls-server-name": access.tls_server_name}
        replica = await scene.replica(kubeconfig=config)
        with traffic(replica.http, "stays.test"):
            wire.cut()
            await scene.hand.delete(scene.route("goes", "", ""))
            await scene.hand.create(scene.route("comes", "comes.test", "tea"))
            await asyncio.to_thread(scene.plane.compact)
            wire.mend()
            await replica.serves(lambda: replica.backend("comes.test") == "tea", "what came meanwhile")
            assert replica.ask(host="goes.test").reason == "no-host"
        assert replica.metrics()['headgate_watch_lists_total{kind="Ingress"}'] > 1


async def test_the_api_server_and_etcd_are_killed_under_traffic(own_scene: Scenes) -> None:
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
        replica = await scene.replica()
        master, reloads = replica.nginx, replica.reloads()
        with traffic(replica.http, "cafe.test"):
            scene.plane.kill("kube-apiserver")
            await replica.says("does not answer as it should")
            await asyncio.to_thread(scene.plane.start_apiserver)
            await scene.hand.create(scene.route("bar", "bar.test", "tea"))
            await replica.serves(lambda: replica.backend("bar.test") == "tea", "a change after the outage")
            scene.plane.kill("etcd")
            await asyncio.to_thread(scene.plane.start_etcd)
            await asyncio.to_thread(_wait_for, scene)
            await scene.hand.delete(scene.route("bar", "", ""))
            await scene.hand.create(scene.route("pub", "pub.test", "tea"))
            await replica.serves(lambda: replica.backend("pub.test") == "tea", "a change after etcd's death")
            await replica.serves(lambda: replica.ask(host="bar.test").reason == "no-host", "a deletion")
            await replica.says("mended", "the API server")
        assert replica.nginx == master
        assert replica.reloads() - reloads <= 3, "an outage is no reason to reload"


def _wait_for(scene: Scene) -> None:
    until(scene.plane.is_ready, what="the API server after etcd", deadline=60, pause=0.1)


async def test_an_api_server_that_is_away_at_start_is_waited_for(own_scene: Scenes) -> None:
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
        replica = await scene.cast()
        scene.plane.kill("kube-apiserver")
        replica.start()
        await replica.says("the API server is not there yet, and is tried again")
        await asyncio.to_thread(scene.plane.start_apiserver)
        await replica.ready()
        assert replica.backend("cafe.test") == "tea"


async def test_a_token_that_rotates_is_taken_up(scene: Scene, tmp_path: Path) -> None:
    await scene.hand.may(*READING)
    await scene.app("tea")
    token = tmp_path / "token"
    token.write_text(await scene.hand.token())
    replica = await scene.replica(kubeconfig=with_token(scene, token))
    # What the kubelet does at four fifths of a token's life, and then the old one is worth nothing any more.
    await scene.hand.delete({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "headgate"}})
    await scene.hand.service_account()
    fresh = tmp_path / "fresh"
    fresh.write_text(await scene.hand.token())
    fresh.replace(token)
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await replica.serves(lambda: replica.backend("cafe.test") == "tea", "a change after the rotation")
    assert replica.is_ready()


async def test_a_right_that_is_taken_away_and_returned(scene: Scene, tmp_path: Path) -> None:
    await scene.hand.may(*READING)
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    token = tmp_path / "token"
    token.write_text(await scene.hand.token())
    async with relay(scene.plane.server) as wire:
        config = with_token(scene, token)
        access = wire.through(scene.plane.admin)
        config["clusters"][0]["cluster"] |= {"server": access.server, "tls-server-name": access.tls_server_name}
        replica = await scene.replica(kubeconfig=config)
        with traffic(replica.http, "cafe.test"):
            await scene.hand.may(*(rule for rule in READING if "ingresses" not in rule["resources"]))
            wire.cut()  # a watch that is open stays open, whatever becomes of the right to it
            wire.mend()
            await replica.says("ingresses", "Give the service account this right")
            await scene.hand.create(scene.route("bar", "bar.test", "tea"))
            await scene.hand.may(*READING)
            await replica.serves(lambda: replica.backend("bar.test") == "tea", "what came meanwhile")
        assert len(replica.lines("cannot list resource", '"ingresses"')) <= 2, "said once, not at every try"


async def test_custom_resources_that_are_installed_later_are_noticed(own_scene: Scenes) -> None:
    """Looked for once a minute, so this takes one."""
    async with await asyncio.to_thread(own_scene) as scene:
        await scene.app("tea")
        replica = await scene.replica()
        await replica.says("not installed", "virtualservers")
        await scene.hand.create(definition("k8s.nginx.org", "VirtualServer", "virtualservers"))
        await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
        await replica.serves(lambda: replica.backend("cafe.test") == "tea", "everything else goes on")
        await replica.says("not read by this version", "virtualservers", deadline=90)


async def test_broken_access_is_a_sentence(scene: Scene) -> None:
    replica = await scene.cast()
    replica.kubeconfig.write_text(json.dumps({"apiVersion": "v1", "kind": "Config"}))
    replica.start()
    assert await asyncio.to_thread(replica.wait) == 1
    assert "Traceback" not in replica.said()
    assert str(replica.kubeconfig) in replica.said()
