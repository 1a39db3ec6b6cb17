"""Where an Ingress says that it can be reached: three sources in their order, only differences, and nothing when nothing serves."""

from functools import partial

from tests.cluster.run.scene import CONFIG, Scene
from tests.cluster.run.waiting import shown
from tests.cluster.test_custom_resources import definition
from tests.support.manifests import Manifest, configmap, ingress_class, service

FRONT = "front"
LINK: Manifest = {"apiVersion": "cis.f5.com/v1", "kind": "IngressLink", "metadata": {"name": "link"}}


def front(*addresses: str) -> Manifest:
    """The Service before us."""
    return service(FRONT, spec={"externalIPs": list(addresses)})


async def shows(scene: Scene, name: str, *addresses: Manifest) -> bool:
    return await scene.addresses(name) == list(addresses)


async def test_the_service_in_front_says_where_we_are(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"), scene.route("cafe", "cafe.test", "tea"))
    await scene.replica("-report-ingress-status", f"-external-service={FRONT}")
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.1"}))
    await scene.hand.patch(front(), {"spec": {"externalIPs": ["198.51.100.2", "198.51.100.3"]}})
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.2"}, {"ip": "198.51.100.3"}), "both new addresses")
    balanced = {"status": {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}}}
    await scene.hand.patch(front(), {"spec": {"type": "LoadBalancer"}})
    await scene.hand.patch(front(), balanced, "status")
    both = ({"hostname": "lb.example.com"}, {"ip": "198.51.100.2"}, {"ip": "198.51.100.3"})
    await shown(partial(shows, scene, "cafe", *both), "the load balancer's")


async def test_the_configmap_goes_before_the_service(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"), scene.route("cafe", "cafe.test", "tea"))
    await scene.replica("-report-ingress-status", f"-external-service={FRONT}")
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.1"}))
    await scene.hand.apply(configmap(CONFIG, {"external-status-address": "edge.example.com"}))
    await shown(partial(shows, scene, "cafe", {"hostname": "edge.example.com"}), "the ConfigMap's word")
    await scene.hand.apply(configmap(CONFIG, {}))
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.1"}), "the Service again")


async def test_the_ingress_link_says_it_when_nobody_else_does(scene: Scene) -> None:
    made = definition("cis.f5.com", "IngressLink", "ingresslinks")
    await scene.hand.apply(made)
    created = partial(scene.hand.apply, {**LINK, "spec": {"virtualServerAddress": "198.51.100.7"}})
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    await established(scene, made)
    await created()
    await scene.replica("-report-ingress-status", "-ingresslink=link")
    await shown(partial(shows, scene, "cafe", {"ip": "198.51.100.7"}))


async def established(scene: Scene, made: Manifest) -> None:
    async def is_so() -> bool:
        conditions = (await scene.hand.get(made)).get("status", {}).get("conditions", [])
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    await shown(is_so, "the definition")


async def test_a_status_is_cleared_when_nothing_serves_any_more(scene: Scene) -> None:
    theirs = ingress_class(f"theirs-{scene.namespace}", "example.com/another")
    await scene.app("tea")
    await scene.hand.create(
        theirs,
        front("198.51.100.1"),
        scene.route("stays", "stays.test", "tea"),
        scene.route("leaves", "leaves.test", "tea"),
    )
    replica = await scene.replica("-report-ingress-status", f"-external-service={FRONT}")
    await shown(partial(shows, scene, "leaves", {"ip": "198.51.100.1"}))
    await shown(partial(shows, scene, "stays", {"ip": "198.51.100.1"}))
    # A bad version is not served, but the one before it is: the address stays true.
    bad = {"metadata": {"annotations": {"nginx.org/proxy-connect-timeout": "soon"}}}
    await scene.hand.patch(scene.route("stays", "", ""), bad)
    await replica.says("Ingress", "stays", "proxy-connect-timeout")
    await scene.hand.patch(scene.route("leaves", "", ""), {"spec": {"ingressClassName": theirs["metadata"]["name"]}})
    await shown(partial(shows, scene, "leaves"), "no address")
    assert await shows(scene, "stays", {"ip": "198.51.100.1"})
    assert replica.backend("stays.test") == "tea"


async def test_addresses_of_others_stay_and_what_is_so_is_not_written_again(scene: Scene) -> None:
    await scene.app("tea")
    cafe = scene.route("cafe", "cafe.test", "tea")
    await scene.hand.create(front("198.51.100.1"), cafe)
    await scene.hand.patch(cafe, {"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.9"}]}}}, "status")
    replica = await scene.replica("-report-ingress-status", f"-external-service={FRONT}")
    both = ({"ip": "203.0.113.9"}, {"ip": "198.51.100.1"})
    await shown(partial(shows, scene, "cafe", *both))
    await scene.app("coffee")
    await scene.hand.apply(scene.route("bar", "bar.test", "coffee"))
    await shown(partial(shows, scene, "bar", {"ip": "198.51.100.1"}))
    assert [each.name for each in scene.writes(replica, "ingresses/status")] == ["cafe", "bar"]
    passes = sum(value for name, value in replica.metrics().items() if name.startswith("headgate_passes_total"))
    assert passes <= 4  # the start, the Service, its endpoints and the Ingress; a status of ours is no reason for one


async def test_whoever_wants_no_statuses_gets_none(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(front("198.51.100.1"), scene.route("cafe", "cafe.test", "tea"))
    replica = await scene.replica("-report-ingress-status=false", f"-external-service={FRONT}")
    await shown(partial(scene.events, "cafe"), "an event: so much was written")
    await scene.hand.patch(scene.route("cafe", "", ""), {"spec": {"ingressClassName": "another"}})
    await replica.serves(lambda: replica.ask(host="cafe.test").reason == "no-host")
    assert replica.stop() == 0
    assert scene.writes(replica, "ingresses/status") == []
    assert await scene.addresses("cafe") == []
