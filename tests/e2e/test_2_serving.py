"""A person with only kubectl makes an Ingress, and sees its answer, its address and its event."""

import json
import re

from tests.e2e.asking import ask, until_served
from tests.e2e.ground import NODE_ADDRESS
from tests.e2e.kubectl import OURS, Kubectl
from tests.support.waiting import until

GIVEN = "203.0.113.7"  # what a cloud would give the Service


def test_an_ingress_is_answered_through_the_service(door: str) -> None:
    answer = until_served(door)
    assert re.fullmatch(r"shop-\S+ /\n", answer.body)


def test_an_ingress_is_answered_on_a_port_of_the_node(kubectl: Kubectl, door: str) -> None:
    ports = {each["name"]: each["nodePort"] for each in kubectl.get("service", "nginx-ingress", OURS)["spec"]["ports"]}
    assert until_served(NODE_ADDRESS, ports["http"]).status == 200


def test_a_name_that_nobody_has_is_told_so(door: str) -> None:
    answer = ask(door, host="nobody.example.com")
    assert (answer.status, answer.reason) == (404, "no-host")


def test_kubectl_exec_shows_what_nginx_runs(kubectl: Kubectl, door: str) -> None:
    until_served(door)
    said = kubectl("exec", "deployment/nginx-ingress", OURS, "--", "nginx", "-T")
    assert "shop.example.com" in said


def test_the_address_of_the_service_is_seen_on_the_ingress(kubectl: Kubectl, door: str) -> None:
    status = {"status": {"loadBalancer": {"ingress": [{"ip": GIVEN}]}}}
    kubectl("patch", "service", "nginx-ingress", OURS, "--subresource=status", "--patch", json.dumps(status))
    until(
        lambda: GIVEN in kubectl("get", "ingress", "shop", "--namespace=shop", "--no-headers"),
        what="the address",
        deadline=30,
        pause=0.2,
    )


def test_the_event_is_seen_on_the_ingress(kubectl: Kubectl, door: str) -> None:
    until(
        lambda: "AddedOrUpdated" in kubectl("describe", "ingress", "shop", "--namespace=shop"),
        what="the event",
        deadline=30,
        pause=0.2,
    )


def test_an_ingress_made_by_kubectl_is_served_and_gone_when_it_is_deleted(kubectl: Kubectl, door: str) -> None:
    rule = "--rule=made.example.com/*=shop:80"
    kubectl("create", "ingress", "made", "--namespace=shop", "--class=nginx", rule)
    until_served(door, host="made.example.com")
    kubectl("delete", "ingress", "made", "--namespace=shop")
    until(lambda: ask(door, host="made.example.com").reason == "no-host", what="its end", deadline=30, pause=0.1)


def test_backends_that_come_and_go_are_followed(kubectl: Kubectl, door: str) -> None:
    kubectl("scale", "deployment/shop", "--namespace=shop", "--replicas=3")
    until(lambda: len(_answering(door)) == 3, what="three backends", deadline=60, pause=0.1)
    kubectl("scale", "deployment/shop", "--namespace=shop", "--replicas=2")
    until(lambda: len(_answering(door)) == 2, what="two backends", deadline=60, pause=0.1)


def _answering(door: str) -> set[str]:
    return {ask(door).body.split()[0] for _ in range(30)}
