"""What we ship, on a real API server: every overlay is taken as a whole, and the rights in it are the rights that are used."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.hand import Hand
from tests.cluster.run.kubectl import kubectl
from tests.cluster.run.replica import Replica
from tests.cluster.run.rights import rights
from tests.cluster.run.scene import Scene
from tests.cluster.run.test_events import BAD
from tests.cluster.run.test_faults import with_token
from tests.cluster.run.waiting import shown
from tests.support.certificates import pair
from tests.support.client import handshake
from tests.support.manifests import Manifest, service, tls_for, tls_secret

DEPLOY = Path(__file__).parents[3] / "deploy"
OVERLAYS = sorted(each.name for each in (DEPLOY / "overlays").iterdir())
PLACE = "nginx-ingress"
WHO = f"system:serviceaccount:{PLACE}:{PLACE}"
Scenes = Callable[..., AbstractAsyncContextManager[Scene]]


@pytest.mark.parametrize("overlay", OVERLAYS)
async def test_every_overlay_is_accepted_as_a_whole(hand: Hand, overlay: str) -> None:
    said = await asyncio.to_thread(kubectl, hand.plane, "apply", "-k", str(DEPLOY / "overlays" / overlay))
    assert "Warning" not in said
    # A Deployment is taken whatever its Pods are like; so a Pod is made of it, as its controller would.
    kind = "DaemonSet" if overlay == "daemon-set" else "Deployment"
    template = (await hand.get(workload(kind)))["spec"]["template"]
    made = await hand.create(pod_of(template, f"{overlay}-pod"))
    assert made["spec"]["serviceAccountName"] == PLACE
    await hand.delete(made)  # the next overlay may be stricter


def workload(kind: str) -> Manifest:
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": PLACE, "namespace": PLACE}}


def pod_of(template: Manifest, name: str) -> Manifest:
    metadata = {**template["metadata"], "name": name, "namespace": PLACE}
    metadata.pop("creationTimestamp", None)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def arguments_of(template: Manifest) -> list[str]:
    (container,) = template["spec"]["containers"]
    return [each.replace("$(POD_NAMESPACE)", PLACE) for each in container["args"]]


@pytest.mark.parametrize("overlay", ["deployment", "one-namespace"])
async def test_the_rights_are_those_that_are_used(own_scene: Scenes, overlay: str, tmp_path: Path) -> None:
    async with await asyncio.to_thread(own_scene) as scene:
        said = await asyncio.to_thread(kubectl, scene.plane, "apply", "-k", str(DEPLOY / "overlays" / overlay))
        granted = set(rights(await roles(scene)))
        assert granted, said
        apps = PLACE if overlay == "one-namespace" else scene.namespace
        await live_through_everything(scene, apps, tmp_path)
        asked = scene.audit.by(WHO)
        assert not [each for each in asked if each.code in (401, 403)], "a right is missing"
        assert not [right for right in granted if not any(map(right.allows, asked))], "nobody uses these"


async def roles(scene: Scene) -> list[Manifest]:
    """Everything that is bound to our account, by looking at the bindings and not at names."""
    found = json.loads(
        await asyncio.to_thread(
            kubectl, scene.plane, "get", "clusterroles,roles,clusterrolebindings,rolebindings", "-A", "-o", "json"
        )
    )["items"]
    known = {(each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]): each for each in found}
    bound = []
    for each in found:
        if any(subject.get("name") == PLACE for subject in each.get("subjects", ())):
            role = each["roleRef"]
            place = each["metadata"].get("namespace", "") if role["kind"] == "Role" else ""
            bound.append(known[role["kind"], place, role["name"]])
    return bound


async def live_through_everything(scene: Scene, apps: str, tmp_path: Path) -> None:
    """A life in which Headgate does all that it can do in a cluster."""
    hand = scene.hand
    template = (await hand.get(workload("Deployment")))["spec"]["template"]
    await hand.create(pod_of(template, "headgate-0"))
    account = Hand(scene.plane, hand.client, PLACE)
    token = tmp_path / "token"
    token.write_text(await account.token(PLACE))
    replica = Replica(
        "headgate-0", with_token(scene, token), *arguments_of(template), variables={"POD_NAMESPACE": PLACE}
    )
    scene.replicas.append(replica)
    made = pair("cafe.test")
    await hand.create(tls_secret("pair", made, namespace=apps))
    await scene.app("tea", namespace=apps)
    await replica.start().ready()
    cafe = scene.route("cafe", "cafe.test", "tea", namespace=apps, class_name="nginx")
    await hand.create(cafe)
    await replica.serves(lambda: replica.backend("cafe.test") == "tea", "an Ingress")
    await hand.patch(service(PLACE, namespace=PLACE), {"spec": {"externalIPs": ["198.51.100.1"]}})
    await shown(partial(_shows, hand, cafe, "198.51.100.1"), "a status")
    # A Secret that was there before anybody referred to it is fetched by its name.
    await hand.patch(cafe, {"spec": {"tls": [tls_for("pair", "cafe.test")]}})
    await replica.serves(lambda: handshake(replica.https, "cafe.test").serial_number == made.serial, "a certificate")
    await _goes_wrong_and_is_mended(hand, replica, cafe)
    # A second life finds the events and the accepted versions of the first.
    await hand.patch(cafe, BAD)
    await shown(partial(_keeps, hand, "cafe.test"), "an accepted version")
    assert await asyncio.to_thread(replica.stop) == 0
    said = len(scene.audit.by(WHO))
    await replica.start().ready()
    await replica.eventually(
        lambda: [each for each in scene.audit.by(WHO)[said:] if (each.resource, each.verb) == ("events", "patch")],
        "an event that is said again",
    )
    assert replica.backend("cafe.test", tls=True) == "tea"
    assert await asyncio.to_thread(replica.stop) == 0


async def _goes_wrong_and_is_mended(hand: Hand, replica: Replica, cafe: Manifest) -> None:
    """Twice, so that the ConfigMap of accepted versions is made once and changed once."""
    for _ in range(2):
        await hand.patch(cafe, BAD)
        await shown(partial(_keeps, hand, "cafe.test"), "an accepted version")
        await hand.patch(cafe, {"metadata": {"annotations": {"nginx.org/proxy-connect-timeout": "3s"}}})
        await shown(partial(_keeps, hand, ""), "the end of it")
    assert replica.backend("cafe.test", tls=True) == "tea"


async def _keeps(hand: Hand, text: str) -> bool:
    where: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "", "namespace": PLACE}}
    found = [each for each in await hand.list(where) if each["metadata"]["name"] == "headgate-accepted"]
    kept: str = found[0]["data"]["accepted"] if found else ""
    return text in kept if text else not kept


async def _shows(hand: Hand, ingress: Manifest, address: str) -> bool:
    listed: list[Manifest] = (await hand.get(ingress))["status"]["loadBalancer"].get("ingress", [])
    return listed == [{"ip": address}]
