"""What `kubectl describe` says about an object: reasons that people know, our sentences, and one line for a flapping one."""

from functools import partial

from tests.cluster.run.scene import CONFIG, Scene
from tests.cluster.run.waiting import shown
from tests.support.certificates import mismatched, pair
from tests.support.manifests import Manifest, configmap, tls_for, tls_secret

BAD: Manifest = {"metadata": {"annotations": {"nginx.org/proxy-connect-timeout": "soon"}}}
GOOD: Manifest = {"metadata": {"annotations": {"nginx.org/proxy-connect-timeout": None}}}


async def said(scene: Scene, name: str, reason: str, kind: str = "Ingress") -> Manifest:
    """The last event about an object with this reason, once it is there."""
    found = await shown(partial(scene.events, name, kind=kind, reason=reason), f"{reason} about {name}")
    return found[-1]


async def test_an_ingress_is_served_rejected_and_mended(scene: Scene) -> None:
    await scene.app("tea")
    replica = await scene.replica()
    cafe = scene.route("cafe", "cafe.test", "tea")
    await scene.hand.create(cafe)
    event = await said(scene, "cafe", "AddedOrUpdated")
    assert (event["type"], event["message"]) == ("Normal", "nginx serves it for cafe.test")
    assert event["source"]["component"] == "nginx-ingress-controller"
    assert event["reportingInstance"] == replica.name
    assert event["involvedObject"]["uid"] == (await scene.hand.get(cafe))["metadata"]["uid"]
    await scene.hand.patch(cafe, BAD)
    event = await said(scene, "cafe", "Rejected")
    assert event["type"] == "Warning"
    assert "proxy-connect-timeout" in event["message"]
    assert "soon" in event["message"]
    await replica.settled()
    assert replica.backend("cafe.test") == "tea"


async def test_a_flapping_object_is_one_event_with_a_count(scene: Scene) -> None:
    await scene.app("tea")
    replica = await scene.replica()
    cafe = scene.route("cafe", "cafe.test", "tea")
    await scene.hand.create(cafe)
    await said(scene, "cafe", "AddedOrUpdated")
    for times in range(1, 6):
        await scene.hand.patch(cafe, BAD)
        await replica.eventually(lambda: len(replica.lines("cafe", "soon")) >= times, "the finding")  # noqa: B023
        await scene.hand.patch(cafe, GOOD)
        await replica.eventually(lambda: len(replica.lines("mended", "cafe")) >= times, "its end")  # noqa: B023

    async def counted() -> bool:
        event = await said(scene, "cafe", "Rejected")
        return bool(event["count"] == 5)

    await shown(counted, "five of them")
    assert len(await scene.events("cafe", reason="Rejected")) == 1
    assert len(await scene.events("cafe")) == 2
    writes = [each for each in scene.writes(replica, "events") if each.name.startswith("cafe.")]
    assert len(writes) <= 8, "a flapping object is counted, not written each time"


async def test_a_service_that_is_missing_is_a_warning_and_goes(scene: Scene) -> None:
    await scene.replica()
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    event = await said(scene, "cafe", "AddedOrUpdatedWithWarning")
    assert "tea" in event["message"]
    await scene.app("tea")
    await said(scene, "cafe", "AddedOrUpdated")


async def test_of_two_that_want_a_host_the_one_without_hears_who_has_it(scene: Scene) -> None:
    """Ages are whole seconds in Kubernetes: of two that were made in the same one, either may win."""
    await scene.app("tea")
    await scene.replica()
    names = ("first", "second")
    await scene.hand.create(*(scene.route(name, "cafe.test", "tea") for name in names))

    async def warned() -> dict[str, str]:
        told = {name: await scene.events(name) for name in names}
        return {name: each["message"] for name in names for each in told[name] if each["type"] == "Warning"}

    ((loser, message),) = (await shown(warned, "a warning")).items()
    assert next(name for name in names if name != loser) in message


async def test_nginx_refused_it_and_that_is_what_is_said(scene: Scene) -> None:
    await scene.app("tea")
    replica = await scene.replica("-enable-snippets")
    cafe = scene.route("cafe", "cafe.test", "tea")
    await scene.hand.create(cafe)
    await said(scene, "cafe", "AddedOrUpdated")
    snippet = {"metadata": {"annotations": {"nginx.org/server-snippets": "no_such_directive on;"}}}
    await scene.hand.patch(cafe, snippet)
    event = await said(scene, "cafe", "AddedOrUpdatedWithError")
    assert event["message"].startswith("It was understood, but is not live: ")
    assert "no_such_directive" in event["message"]
    await replica.settled()
    assert replica.backend("cafe.test") == "tea"


async def test_settings_for_everybody_are_told_about(scene: Scene) -> None:
    await scene.replica()
    await said(scene, CONFIG, "Updated", "ConfigMap")
    await scene.hand.apply(configmap(CONFIG, {"proxy-connect-timeout": "soon"}))
    event = await said(scene, CONFIG, "InvalidValue", "ConfigMap")
    assert "proxy-connect-timeout" in event["message"]
    await said(scene, CONFIG, "UpdatedWithError", "ConfigMap")


async def test_the_secret_of_the_default_server_is_told_about_in_our_pod(scene: Scene) -> None:
    await scene.hand.create(tls_secret("default", pair("default.test")))
    replica = await scene.replica(f"-default-server-tls-secret={scene.namespace}/default")
    renewed = pair("default.test")
    await scene.hand.patch(tls_secret("default", renewed), {"data": tls_secret("", renewed)["data"]})
    await said(scene, replica.name, "SecretUpdated", "Pod")
    broken = mismatched("default.test")
    await scene.hand.patch(tls_secret("default", broken), {"data": tls_secret("", broken)["data"]})
    event = await said(scene, replica.name, "Rejected", "Pod")
    assert event["type"] == "Warning"
    await scene.hand.delete(tls_secret("default", broken))
    await said(scene, replica.name, "SecretDeleted", "Pod")


async def test_a_secret_that_is_no_pair_is_told_about_where_people_look(scene: Scene) -> None:
    await scene.app("tea")
    await scene.replica()
    await scene.hand.create(
        tls_secret("pair", mismatched("cafe.test")),
        scene.route("cafe", "cafe.test", "tea", tls=[tls_for("pair", "cafe.test")]),
    )
    event = await said(scene, "cafe", "AddedOrUpdatedWithWarning")
    assert "pair" in event["message"]
