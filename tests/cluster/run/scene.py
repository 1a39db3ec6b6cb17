"""A scene: a namespace with a class of its own, pods that answer, and replicas of Headgate. Tests on one API server do not meet.

Each replica is a Pod object and a user of its own, so that the audit log can tell who wrote what.
"""

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.cluster.environment import ControlPlane
from tests.cluster.hand import Hand, hand_in
from tests.cluster.run.audit import Audit, Request
from tests.cluster.run.replica import Replica
from tests.support.backends import Backend, Backends, Handler, echo
from tests.support.manifests import (
    Manifest,
    configmap,
    endpoints,
    ingress,
    ingress_class,
    path,
    rule,
    service,
    service_port,
)

OURS = "nginx.org/ingress-controller"
CONFIG = "nginx-config"
_addresses = itertools.count(1)


class Scene:
    def __init__(self, hand: Hand, backends: Backends, audit: Audit) -> None:
        self.hand = hand
        self.backends = backends
        self.audit = audit
        self.namespace = hand.namespace
        self.class_name = f"class-{hand.namespace}"
        self.replicas: list[Replica] = []

    @property
    def plane(self) -> ControlPlane:
        return self.hand.plane

    @property
    def config(self) -> Manifest:
        """The ConfigMap with settings for everybody, as it is at first."""
        return configmap(CONFIG, {})

    async def furnish(self) -> None:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "headgate"}}
        await self.hand.create(ingress_class(self.class_name, OURS), self.config, account)

    # Headgate

    async def replica(self, *flags: str, name: str = "", kubeconfig: Mapping[str, Any] | None = None) -> Replica:
        """One that runs and is ready."""
        made = await self.cast(*flags, name=name, kubeconfig=kubeconfig)
        return await made.start().ready()

    async def cast(self, *flags: str, name: str = "", kubeconfig: Mapping[str, Any] | None = None) -> Replica:
        """One that does not run yet."""
        name = name or f"replica-{len(self.replicas) + 1}"
        await self.hand.create(pod(name))
        config = kubeconfig or self.plane.kubeconfig(*self.plane.authority.client(self.user(name), "system:masters"))
        usual = (f"-ingress-class={self.class_name}", f"-nginx-configmaps={self.namespace}/{CONFIG}")
        made = Replica(name, config, *usual, *flags, variables={"POD_NAMESPACE": self.namespace})
        self.replicas.append(made)
        return made

    def user(self, replica: str) -> str:
        return f"{self.namespace}:{replica}"

    def writes(self, replica: Replica, resource: str) -> list[Request]:
        return self.audit.writes(self.user(replica.name), resource)

    # what it serves

    def pod(self, name: str, handler: Handler = echo) -> Backend:
        """Somebody who answers at an address of the pods."""
        number = next(_addresses)
        return self.backends.http(name, handler, address=f"198.18.{number // 250}.{number % 250 + 1}")

    def behind(self, name: str, *pods: Backend, **meta: str) -> list[Manifest]:
        """A Service and its endpoints: one EndpointSlice for each pod, since every pod has a port of its own."""
        front = service(name, service_port(80), **meta)
        slices = [
            endpoints(name, each.address, port=each.port, suffix=str(number), **meta)
            for number, each in enumerate(pods, 1)
        ]
        return [front, *slices]

    async def app(self, name: str, **meta: str) -> Backend:
        """A pod with a Service before it, both of this name."""
        made = self.pod(name)
        await self.hand.create(*self.behind(name, made, **meta))
        return made

    def route(self, name: str, host: str, service_name: str, **more: Any) -> Manifest:
        """The smallest Ingress of our class."""
        text = more.pop("text", "/")
        return ingress(name, rule(host, path(text, service_name)), **{"class_name": self.class_name, **more})

    # what the cluster shows

    async def addresses(self, name: str) -> list[Manifest]:
        """The status of an Ingress."""
        found = await self.hand.get(self.route(name, "", ""))
        listed: list[Manifest] = found["status"]["loadBalancer"].get("ingress", [])
        return listed

    async def events(self, name: str, *, kind: str = "Ingress", reason: str = "") -> list[Manifest]:
        """Events about an object, the oldest first."""
        found = await self.hand.list({"apiVersion": "v1", "kind": "Event", "metadata": {}})
        about = [each for each in found if each["involvedObject"]["kind"] == kind]
        about = [each for each in about if each["involvedObject"]["name"] == name]
        return sorted(
            (each for each in about if reason in ("", each["reason"])), key=lambda each: each["lastTimestamp"]
        )


def pod(name: str, labels: Mapping[str, str] | None = None) -> Manifest:
    """The Pod that a replica thinks it is in; no kubelet looks after it."""
    spec = {
        "serviceAccountName": "headgate",
        "automountServiceAccountToken": False,
        "containers": [{"name": "headgate", "image": "headgate"}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": dict(labels or {})}, "spec": spec}


@asynccontextmanager
async def scene_in(plane: ControlPlane, backends: Backends, audit: Audit) -> AsyncIterator[Scene]:
    async with hand_in(plane) as hand:
        made = Scene(hand, backends, audit)
        await made.furnish()
        try:
            yield made
        finally:
            close_all(made.replicas)


def close_all(replicas: Sequence[Replica]) -> None:
    """All are told to stop before any is waited for."""
    for each in replicas:
        if each.is_running():
            each.terminate()
    wrong: list[AssertionError] = []
    for each in replicas:
        try:
            each.close()
        except AssertionError as why:
            wrong.append(why)
    if wrong:
        raise wrong[0]
