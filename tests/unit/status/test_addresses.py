"""Where our own addresses come from, in which order."""

from typing import Any

from headgate.api import LoadBalancerIngress, Service
from headgate.status import Sources, addresses_of
from tests.support.manifests import service
from tests.unit.worlds import known


def _service(status: list[dict[str, str]] | None = None, **spec: Any) -> Service:
    manifest = {**service("gate", spec=spec), "status": {"loadBalancer": {"ingress": status or []}}}
    found = known(manifest)
    assert isinstance(found, Service)
    return found


def _of(**sources: Any) -> list[str] | None:
    found = addresses_of(Sources(**sources))
    return None if found is None else [each.ip or f"name {each.hostname}" for each in found]


def test_the_configmap_comes_first_then_the_service_then_the_link() -> None:
    balanced = _service([{"ip": "203.0.113.8"}])
    assert _of(said="203.0.113.7", service=balanced, link="203.0.113.9") == ["203.0.113.7"]
    assert _of(said="", service=balanced, link="203.0.113.9") == ["203.0.113.8"]
    assert _of(said=None, service=balanced) == ["203.0.113.8"]
    assert _of(link="203.0.113.9") == ["203.0.113.9"]


def test_no_source_is_something_else_than_no_address() -> None:
    assert _of() is None
    assert _of(service=_service()) == []


def test_an_address_is_an_ip_or_a_name() -> None:
    assert addresses_of(Sources(said="2001:db8::1")) == (LoadBalancerIngress(ip="2001:db8::1"),)
    assert addresses_of(Sources(said="lb.example.com")) == (LoadBalancerIngress(hostname="lb.example.com"),)


def test_the_addresses_of_a_service_are_its_balancers_then_its_external_ones_each_once() -> None:
    balancer = [{"ip": "203.0.113.7", "hostname": "ignored.example.com"}, {"hostname": "lb.example.com"}]
    found = _of(service=_service(balancer, externalIPs=["198.51.100.1", "203.0.113.7"]))
    assert found == ["203.0.113.7", "name lb.example.com", "198.51.100.1"]


def test_an_external_name_is_its_own_address() -> None:
    assert _of(service=_service(type="ExternalName", externalName="lb.example.com")) == ["name lb.example.com"]
