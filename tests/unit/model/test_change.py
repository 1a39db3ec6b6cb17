"""`diff`: nothing, endpoints, or a reload."""

from msgspec.structs import replace

from headgate.api import Ref
from headgate.model.change import EndpointsMoved, Reload, Unchanged, diff
from headgate.model.server import Endpoint, Host, Server, Site
from headgate.model.shape import Model, Shape, Table
from headgate.model.values import UpstreamName

INGRESS = Ref("Ingress", "default", "shop")
WEB, TEA = UpstreamName("web"), UpstreamName("tea")
ONE, TWO = Endpoint("10.0.0.1", 80), Endpoint("10.0.0.2", 80)


def model(*hosts: str, **endpoints: tuple[Endpoint, ...]) -> Model:
    servers = tuple(Server(Host(host), INGRESS) for host in hosts)
    table = Table({UpstreamName(name): peers for name, peers in endpoints.items()})
    return Model(Shape(sites=(Site(INGRESS, servers),)), table)


def test_a_model_does_not_differ_from_itself() -> None:
    same = model("a.test", web=(ONE,))
    assert diff(same, same) == Unchanged()


def test_an_equal_model_is_no_change() -> None:
    assert diff(model("a.test", web=(ONE,)), model("a.test", web=(ONE,))) == Unchanged()


def test_a_new_host_is_a_reload() -> None:
    assert diff(model("a.test"), model("a.test", "b.test")) == Reload()


def test_only_the_upstreams_that_moved_are_named() -> None:
    before, after = model("a.test", web=(ONE,), tea=(TWO,)), model("a.test", web=(ONE, TWO), tea=(TWO,))
    assert diff(before, after) == EndpointsMoved((WEB,))


def test_the_last_endpoint_going_is_a_move_too() -> None:
    assert diff(model("a.test", tea=(ONE,)), model("a.test", tea=())) == EndpointsMoved((TEA,))


def test_a_reload_takes_the_endpoints_along() -> None:
    assert diff(model("a.test", web=(ONE,)), model("b.test", web=(TWO,))) == Reload()


def test_the_first_model_is_a_reload() -> None:
    assert diff(Model(), model("a.test")) == Reload()


def test_a_shared_shape_is_not_compared_part_by_part() -> None:
    before = model("a.test", web=(ONE,))
    assert diff(before, replace(before, table=Table({WEB: (TWO,)}))) == EndpointsMoved((WEB,))
