"""Which namespaces are watched, and what is unknown of the others."""

from functools import partial

from tests.cluster.run.scene import Scene
from tests.cluster.run.waiting import shown
from tests.support.certificates import pair
from tests.support.client import handshake, is_refused
from tests.support.manifests import Manifest, tls_for, tls_secret


def namespace(name: str, **labels: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


async def furnish(scene: Scene, *names: str) -> list[str]:
    """Namespaces with one application each, which answers at a host of the same name."""
    whole = [f"{scene.namespace}-{name}" for name in names]
    for short, name in zip(names, whole, strict=True):
        await scene.hand.create(namespace(name))
        await scene.app(short, namespace=name)
        await scene.hand.create(scene.route(short, f"{short}.test", short, namespace=name))
    return whole


async def test_listed_namespaces_and_no_others(scene: Scene) -> None:
    one, two, _ = await furnish(scene, "one", "two", "three")
    replica = await scene.replica(f"-watch-namespace={one},{two}")
    assert (replica.backend("one.test"), replica.backend("two.test")) == ("one", "two")
    assert replica.ask(host="three.test").reason == "no-host"
    asked = {each.namespace for each in scene.audit.by(scene.user(replica.name)) if each.resource == "ingresses"}
    assert asked == {one, two}


async def test_labelled_namespaces_come_and_go(scene: Scene) -> None:
    mark = f"served-{scene.namespace}"
    one, two = await furnish(scene, "one", "two")
    await scene.hand.patch(namespace(one), {"metadata": {"labels": {mark: "yes"}}})
    replica = await scene.replica(f"-watch-namespace-label={mark}=yes")
    assert replica.backend("one.test") == "one"
    assert replica.ask(host="two.test").reason == "no-host"
    await scene.hand.patch(namespace(two), {"metadata": {"labels": {mark: "yes"}}})
    await replica.serves(lambda: replica.backend("two.test") == "two", "one that joined")
    await scene.hand.patch(namespace(one), {"metadata": {"labels": {mark: None}}})
    await replica.serves(lambda: replica.ask(host="one.test").reason == "no-host", "one that left")
    assert replica.backend("two.test") == "two"
    await scene.hand.create(scene.route("late", "late.test", "two", namespace=two))
    await replica.serves(lambda: replica.backend("late.test") == "two", "what comes into it later")


async def test_secrets_of_unlisted_namespaces_are_not_read(scene: Scene) -> None:
    one, two = await furnish(scene, "one", "two")
    made = pair("secure.test")
    for name in (one, two):
        host = f"secure-{name}.test"
        short = "one" if name == one else "two"
        await scene.hand.create(
            tls_secret("pair", made, namespace=name),
            scene.route("secure", host, short, tls=[tls_for("pair", host)], namespace=name),
        )
    replica = await scene.replica(f"-watch-namespace={one},{two}", f"-watch-secret-namespace={two}")
    assert handshake(replica.https, f"secure-{two}.test").serial_number == made.serial
    assert is_refused(replica.https, f"secure-{one}.test")
    asked = {each.namespace for each in scene.audit.by(scene.user(replica.name)) if each.resource == "secrets"}
    assert asked == {two}


async def test_an_ingress_without_a_host_needs_a_flag_and_hears_which(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(scene.route("any", "", "tea"))
    replica = await scene.replica()
    assert replica.ask(host="whatever.test").reason == "no-host"
    events = await shown(partial(scene.events, "any", reason="Rejected"), "the event")
    assert "-allow-empty-ingress-host" in events[-1]["message"]
    assert replica.stop() == 0
    allowing = await scene.replica("-allow-empty-ingress-host")
    assert allowing.backend("whatever.test") == "tea"
