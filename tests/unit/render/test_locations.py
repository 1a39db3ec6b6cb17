"""What is printed of locations: the route is said once where it is one, and nobody inherits another's."""

from headgate.model.layout import Layout
from headgate.model.settings import Settings
from headgate.render import render
from headgate.translate import translate
from tests.support.manifests import Manifest, behind, ingress, path, rule
from tests.unit.worlds import world

WEB, API = behind("web", 8080, "10.0.0.1"), behind("api", 8080, "10.0.0.2")


def routes(made: Manifest) -> list[str]:
    """The lines that say a route; those of locations are indented further."""
    model = translate(world(made, WEB, API), Settings()).model
    file = render(model, Settings().capabilities, Layout()).files.files["conf.d/default-shop.conf"]
    return [line.rstrip(";") for line in file.text.splitlines() if "set $headgate_route" in line]


def test_a_route_that_all_locations_share_is_said_by_the_server() -> None:
    shop = ingress("shop", rule("shop.test", path("/", "web"), path("/cart", "web")))
    assert routes(shop) == ["    set $headgate_route ingress/default/shop/web"]


def test_the_answer_of_our_own_has_a_route_of_its_own() -> None:
    shop = ingress("shop", rule("shop.test", path("/cart", "web")))
    assert routes(shop) == [
        "    set $headgate_route ingress/default/shop/web",
        "        set $headgate_route ingress/default/shop/-",
    ]


def test_routes_that_differ_are_said_by_the_locations() -> None:
    shop = ingress("shop", rule("shop.test", path("/", "web"), path("/api", "api")))
    assert routes(shop) == [
        "        set $headgate_route ingress/default/shop/web",
        "        set $headgate_route ingress/default/shop/api",
        "        set $headgate_route ingress/default/shop/api",
    ]
