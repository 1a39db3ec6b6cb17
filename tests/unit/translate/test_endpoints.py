"""Where requests may go: ports by name, conditions as the API defines them, addresses that are none left out."""

import pytest

from headgate.api import (
    EndpointConditions,
    EndpointSlice,
    Meta,
    PortRef,
    Service,
    ServicePort,
    ServiceSpec,
    SliceEndpoint,
    SlicePort,
)
from headgate.translate.endpoints import endpoints_of, find_port, is_local, is_ready

HTTP = ServicePort(80, "http", target_port=8080)


def slice_of(
    *endpoints: SliceEndpoint | str,
    port: int | None = 8080,
    name: str | None = "http",
    family: str = "IPv4",
    protocol: str = "TCP",
) -> EndpointSlice:
    spelled = tuple(SliceEndpoint((each,)) if isinstance(each, str) else each for each in endpoints)
    return EndpointSlice(Meta("s"), family, spelled, (SlicePort(name, port, protocol),))


def endpoint(
    address: str, *, ready: bool | None = None, serving: bool | None = None, terminating: bool | None = None
) -> SliceEndpoint:
    return SliceEndpoint((address,), EndpointConditions(ready, serving, terminating))


def found(*slices: EndpointSlice, port: ServicePort = HTTP) -> list[str]:
    return [str(each) for each in endpoints_of(port, slices)]


def test_by_name_and_by_number() -> None:
    service = Service(Meta("web"), ServiceSpec(ports=(ServicePort(80, "http"), ServicePort(443, "tls"))))
    assert find_port(service, PortRef(name="tls")) == ServicePort(443, "tls")
    assert find_port(service, PortRef(number=80)) == ServicePort(80, "http")
    assert find_port(service, PortRef(number=81)) is None
    assert find_port(service, PortRef(name="https")) is None


def test_a_name_counts_before_a_number() -> None:
    service = Service(Meta("web"), ServiceSpec(ports=(ServicePort(80, "http"), ServicePort(443, "tls"))))
    assert find_port(service, PortRef(name="tls", number=80)) == ServicePort(443, "tls")


def test_the_port_of_the_slice_is_the_port() -> None:
    assert found(slice_of("10.0.0.1", port=9090)) == ["10.0.0.1:9090"]


def test_ports_are_matched_by_name_and_protocol() -> None:
    assert found(slice_of("10.0.0.1", name="metrics")) == []
    assert found(slice_of("10.0.0.1", protocol="UDP")) == []
    assert found(slice_of("10.0.0.1", name=None), port=ServicePort(80)) == ["10.0.0.1:8080"]
    assert found(slice_of("10.0.0.1", name=""), port=ServicePort(80)) == ["10.0.0.1:8080"]


def test_a_slice_that_names_no_port_means_the_target_port() -> None:
    assert found(slice_of("10.0.0.1", port=None)) == ["10.0.0.1:8080"]
    assert found(slice_of("10.0.0.1", port=None), port=ServicePort(80, "http", target_port="web")) == ["10.0.0.1:80"]


@pytest.mark.parametrize("port", [0, -1, 65536, 99999])
def test_an_impossible_port_is_none(port: int) -> None:
    assert found(slice_of("10.0.0.1", port=port)) == []


def test_all_slices_count_and_each_address_once() -> None:
    slices = slice_of("10.0.0.2", "10.0.0.1"), slice_of("10.0.0.3", "10.0.0.1")
    assert found(*slices) == ["10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080"]


def test_both_families() -> None:
    assert found(slice_of("10.0.0.1"), slice_of("2001:db8::1", family="IPv6")) == [
        "10.0.0.1:8080",
        "[2001:db8::1]:8080",
    ]


def test_names_are_no_addresses() -> None:
    assert found(slice_of("pod.example.com", family="FQDN")) == []
    assert found(slice_of("pod.example.com", "fe80::1%eth0", "10.0.0.1;", "10.0.0.1")) == ["10.0.0.1:8080"]


def test_what_is_not_said_counts_as_ready() -> None:
    assert is_ready(SliceEndpoint(("10.0.0.1",)))
    assert not is_ready(endpoint("10.0.0.1", ready=False))


def test_a_terminating_endpoint_leaves_at_once() -> None:
    leaving = endpoint("10.0.0.2", ready=False, serving=True, terminating=True)
    assert found(slice_of("10.0.0.1", leaving)) == ["10.0.0.1:8080"]


def test_a_terminating_endpoint_stays_while_nothing_else_serves() -> None:
    leaving = endpoint("10.0.0.2", ready=False, serving=True, terminating=True)
    assert found(slice_of(endpoint("10.0.0.1", ready=False), leaving)) == ["10.0.0.2:8080"]


def test_a_terminating_endpoint_that_no_longer_serves_is_gone() -> None:
    assert found(slice_of(endpoint("10.0.0.2", ready=False, serving=False, terminating=True))) == []
    assert found(slice_of(endpoint("10.0.0.2", ready=False, terminating=True))) == []


def test_one_that_is_not_ready_does_not_serve_because_it_is_alone() -> None:
    assert found(slice_of(endpoint("10.0.0.1", ready=False, serving=True))) == []


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "ip6-localhost",
        "127.0.0.1",
        "127.8.8.8",
        "127.000.000.001",  # nginx reads leading zeros, and as decimal
        "0127.0.0.1",
        "::1",
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "169.254.00.1",
        "fe80::1",
        "224.0.0.1",
    ],
)
def test_names_for_our_own_machine(name: str) -> None:
    assert is_local(name)


@pytest.mark.parametrize(
    "name", ["example.com", "localhost.example.com", "10.0.0.1", "192.168.0.1", "2001:db8::1", "127.example.com"]
)
def test_names_of_others(name: str) -> None:
    assert not is_local(name)
