"""A start that cannot work ends with a sentence and exit code 1; one that F5's manifests describe works."""

import asyncio
from pathlib import Path

import pytest
import yaml

from tests.cluster.run.scene import CONFIG, Scene
from tests.support.certificates import mismatched, pair
from tests.support.manifests import configmap, ingress_class, service, tls_secret

FACTS = Path(__file__).parents[2] / "unit" / "cli" / "nic_flags.yaml"
MANIFESTS = yaml.safe_load(FACTS.read_text())["manifests"]
# Another namespace, class and ports than the manifests have: several tests share one machine without privileges.
OWN = ("-ingress-class", "-nginx-status-port", "-prometheus-metrics-listen-port", "-ready-status-port")


async def fails(scene: Scene, *flags: str) -> str:
    """The last line of a start that does not work."""
    replica = await scene.cast(*flags)
    replica.start()
    assert await asyncio.to_thread(replica.wait) == 1, replica.said()
    assert "Traceback" not in replica.said()
    assert not replica.left_behind()
    return replica.said().splitlines()[-1]


async def test_a_class_that_does_not_exist(scene: Scene) -> None:
    assert "IngressClass nowhere does not exist" in await fails(scene, "-ingress-class=nowhere")


async def test_a_class_of_another_controller(scene: Scene) -> None:
    await scene.hand.create(ingress_class(f"theirs-{scene.namespace}", "example.com/another"))
    said = await fails(scene, f"-ingress-class=theirs-{scene.namespace}")
    assert "example.com/another" in said
    assert "nginx.org/ingress-controller" in said


async def test_a_configmap_that_does_not_exist(scene: Scene) -> None:
    await scene.hand.delete(scene.config)
    assert f"ConfigMap {scene.namespace}/{CONFIG} does not exist" in await fails(scene)


async def test_a_pod_that_does_not_exist(scene: Scene) -> None:
    replica = await scene.cast()
    await scene.hand.delete({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": replica.name}})
    replica.start()
    assert await asyncio.to_thread(replica.wait) == 1
    assert f"Pod {scene.namespace}/{replica.name} does not exist" in replica.said()


@pytest.mark.parametrize("flag", ["default-server-tls-secret", "wildcard-tls-secret", "prometheus-tls-secret"])
async def test_a_secret_that_is_missing_or_no_pair(scene: Scene, flag: str) -> None:
    argument = f"-{flag}={scene.namespace}/pair"
    assert f"Secret {scene.namespace}/pair does not exist" in await fails(scene, argument)
    await scene.hand.create(tls_secret("pair", mismatched("a.test")))
    assert f"Secret {scene.namespace}/pair" in await fails(scene, argument)


async def test_unknown_flags_are_usage(scene: Scene) -> None:
    replica = await scene.cast("-no-such-flag")
    replica.start()
    assert await asyncio.to_thread(replica.wait) == 2


async def test_a_port_that_is_taken_is_a_sentence(scene: Scene) -> None:
    replica = await scene.replica()
    assert str(replica.ready_port) in await fails(scene, f"-ready-status-port={replica.ready_port}")
    assert str(replica.metrics_port) in await fails(scene, f"-prometheus-metrics-listen-port={replica.metrics_port}")


@pytest.mark.parametrize("manifest", sorted(MANIFESTS))
async def test_the_arguments_of_f5s_manifests_start_headgate(scene: Scene, manifest: str) -> None:
    arguments = [str(each).replace("nginx-ingress/", f"{scene.namespace}/") for each in MANIFESTS[manifest]]
    arguments = [each for each in arguments if each.partition("=")[0] not in OWN]
    await scene.hand.create(
        configmap("nginx-ingress", {}),
        tls_secret("default-server-secret", pair("default.test")),
        service("nginx-ingress"),
        service("nginx-ingress-controller"),
    )
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    replica = await scene.replica(*arguments)
    assert replica.backend("cafe.test") == "tea"
    assert await asyncio.to_thread(replica.stop) == 0
