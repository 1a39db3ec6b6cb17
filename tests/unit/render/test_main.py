"""What is computed for nginx.conf: sizes that nobody tunes."""

import pytest

from headgate.api import Ref
from headgate.model.server import Endpoint, Host, HostKind, Server, Site
from headgate.model.shape import Model, Shape, Table
from headgate.model.values import Size, UpstreamName
from headgate.render.main import power_of_two, server_names_hash, zone_size

SHOP = Ref("Ingress", "default", "shop")


def with_hosts(*hosts: Host) -> Model:
    return Model(Shape(sites=(Site(SHOP, tuple(Server(host, SHOP) for host in hosts)),)))


def with_endpoints(upstreams: int, each: int) -> Model:
    peers = tuple(Endpoint("10.0.0.1", port + 1) for port in range(each))
    return Model(table=Table({UpstreamName(f"u{number}"): peers for number in range(upstreams)}))


@pytest.mark.parametrize(("least", "power"), [(0, 1), (1, 1), (2, 2), (3, 4), (1000, 1024), (1024, 1024), (1025, 2048)])
def test_power_of_two(least: int, power: int) -> None:
    assert power_of_two(least) == power


def test_one_host_more_rarely_changes_a_byte() -> None:
    sizes = {server_names_hash(with_hosts(*(Host(f"h{n}.test") for n in range(count)))) for count in range(0, 500, 50)}
    assert sizes == {(128, 1024)}


def test_the_hash_of_names_grows_with_their_number_and_length() -> None:
    assert server_names_hash(with_hosts(*(Host(f"h{n}.test") for n in range(1000))))[1] == 2048
    assert server_names_hash(with_hosts(Host("a" * 250)))[0] == 1024


def test_names_that_are_patterns_are_not_in_the_hash() -> None:
    assert server_names_hash(with_hosts(Host("a" * 250, HostKind.ONE_LABEL)))[0] == 128
    assert server_names_hash(with_hosts(Host("a" * 250, HostKind.ANY_DEPTH)))[0] == 1024


def test_the_zone_has_room_for_every_endpoint() -> None:
    assert zone_size(Model()) == Size(256 << 10)
    assert zone_size(with_endpoints(1000, 0)) >= Size(1000 * 2048)
    assert zone_size(with_endpoints(1000, 10)) >= Size(1000 * 11 * 1024)
