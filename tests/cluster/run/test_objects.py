"""Every kind, created, changed and deleted, through to what a request is answered."""

from tests.cluster.run.scene import CONFIG, Scene
from tests.support.certificates import pair
from tests.support.client import handshake, is_refused
from tests.support.manifests import (
    configmap,
    endpoints,
    ingress,
    path,
    rule,
    service,
    service_port,
    tls_for,
    tls_secret,
)


async def test_an_ingress_comes_changes_and_goes(scene: Scene) -> None:
    replica = await scene.replica()
    await scene.app("tea")
    await scene.app("coffee")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await replica.serves(lambda: replica.backend("cafe.test") == "tea", "tea")
    await scene.hand.apply(scene.route("cafe", "cafe.test", "coffee"))
    await replica.serves(lambda: replica.backend("cafe.test") == "coffee", "coffee")
    await scene.hand.apply(scene.route("cafe", "bar.test", "coffee"))
    await replica.serves(lambda: replica.backend("bar.test") == "coffee", "another host")
    assert replica.ask(host="cafe.test").reason == "no-host"
    await scene.hand.delete(scene.route("cafe", "", ""))
    await replica.serves(lambda: replica.ask(host="bar.test").reason == "no-host", "the end of it")


async def test_endpoints_come_move_and_go(scene: Scene) -> None:
    replica = await scene.replica()
    one, two = scene.pod("one"), scene.pod("two")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await replica.serves(lambda: replica.ask(host="cafe.test").reason == "no-endpoints", "no Service yet")
    await scene.hand.create(service("tea", service_port(80)))
    await scene.hand.create(endpoints("tea", one.address, port=one.port))
    await replica.serves(lambda: replica.backend("cafe.test") == "one", "the first pod")
    await scene.hand.apply(endpoints("tea", two.address, port=two.port))
    await replica.serves(lambda: replica.backend("cafe.test") == "two", "the second pod")
    await scene.hand.create(endpoints("tea", one.address, port=one.port, suffix="2"))
    await replica.serves(lambda: replica.backend("cafe.test") == "one", "a second slice")
    await scene.hand.delete(endpoints("tea", port=1), endpoints("tea", port=1, suffix="2"))
    await replica.serves(lambda: replica.ask(host="cafe.test").reason == "no-endpoints", "none left")


async def test_a_service_changes_its_ports_and_goes(scene: Scene) -> None:
    replica = await scene.replica()
    plain, admin = scene.pod("plain"), scene.pod("admin")
    web = service("web", service_port(80, name="plain", target="plain"))
    both = service("web", service_port(80, name="admin", target="admin"))
    await scene.hand.create(
        web,
        endpoints("web", plain.address, port=plain.port, port_name="plain"),
        endpoints("web", admin.address, port=admin.port, port_name="admin", suffix="2"),
        scene.route("web", "web.test", "web"),
    )
    await replica.serves(lambda: replica.backend("web.test") == "plain", "the first port")
    await scene.hand.patch(web, {"spec": both["spec"]})
    await replica.serves(lambda: replica.backend("web.test") == "admin", "the other port")
    await scene.hand.delete(web)
    await replica.serves(lambda: replica.ask(host="web.test").reason == "no-endpoints", "no Service")


async def test_a_secret_comes_is_renewed_and_goes(scene: Scene) -> None:
    replica = await scene.replica()
    await scene.app("tea")
    first, second = pair("cafe.test"), pair("cafe.test")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea", tls=[tls_for("pair", "cafe.test")]))
    await replica.serves(lambda: is_refused(replica.https, "cafe.test"), "a refusal without a pair")
    await scene.hand.create(tls_secret("pair", first))
    await replica.serves(lambda: handshake(replica.https, "cafe.test").serial_number == first.serial, "the first pair")
    assert replica.backend("cafe.test", tls=True) == "tea"
    await scene.hand.patch(tls_secret("pair", second), {"data": tls_secret("pair", second)["data"]})
    await replica.serves(
        lambda: handshake(replica.https, "cafe.test").serial_number == second.serial, "the renewed pair"
    )
    # A Secret that is gone cannot be told from one that somebody is about to create again: names stay refused.
    await scene.hand.delete(tls_secret("pair", second))
    await replica.serves(lambda: is_refused(replica.https, "cafe.test"), "a refusal again")


async def test_the_configmap_holds_for_everybody_and_can_go(scene: Scene) -> None:
    replica = await scene.replica()
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await replica.serves(lambda: replica.backend("cafe.test") == "tea")
    long = b"x" * 2048
    assert replica.ask(host="cafe.test", method="POST", body=long).status == 200
    await scene.hand.apply(configmap(CONFIG, {"client-max-body-size": "1k"}))
    await replica.serves(
        lambda: replica.ask(host="cafe.test", method="POST", body=long).reason == "body-too-large", "the new limit"
    )
    await scene.hand.delete(scene.config)
    await replica.serves(
        lambda: replica.ask(host="cafe.test", method="POST", body=long).status == 200, "the usual limit"
    )


async def test_one_host_from_two_namespaces(scene: Scene) -> None:
    replica = await scene.replica()
    await scene.hand.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{scene.namespace}-b"}})
    await scene.app("tea")
    await scene.app("coffee", namespace=f"{scene.namespace}-b")
    await scene.hand.create(
        ingress("a", rule("cafe.test", path("/tea", "tea")), class_name=scene.class_name),
        ingress(
            "b",
            rule("bar.test", path("/coffee", "coffee")),
            class_name=scene.class_name,
            namespace=f"{scene.namespace}-b",
        ),
    )
    await replica.serves(lambda: replica.backend("cafe.test", "/tea") == "tea")
    await replica.serves(lambda: replica.backend("bar.test", "/coffee") == "coffee")
    await scene.hand.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{scene.namespace}-b"}})
    assert replica.ask("/tea", host="cafe.test").status == 200
