"""What a person does with kubectl: manifests in, objects in the cluster. Goes through our own client.

The path of an object follows from its `apiVersion` and `kind`; plurals are regular in Kubernetes, save a few.
"""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client, Patch
from headgate.errors import Missing
from tests.cluster.environment import ControlPlane
from tests.support.manifests import Manifest

_CLUSTER_WIDE = frozenset(
    {"Namespace", "IngressClass", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Node"}
)


class Hand:
    def __init__(self, plane: ControlPlane, client: Client, namespace: str) -> None:
        self.plane = plane
        self.client = client
        self.namespace = namespace  # where things go that name none

    async def create(self, *manifests: Manifest) -> Any:
        """All of them; the last one as the server made it."""
        made: Any = None
        for manifest in manifests:
            made = msgspec.json.decode(await self.client.create(self.collection(manifest), manifest))
        return made

    async def apply(self, *manifests: Manifest) -> None:
        """Make them so, whatever was there."""
        for manifest in manifests:
            await self.client.patch(self.path(manifest), manifest, "apply")

    async def patch(self, manifest: Manifest, change: Manifest, kind: Patch = "merge") -> Any:
        return msgspec.json.decode(await self.client.patch(self.path(manifest), change, kind))

    async def get(self, manifest: Manifest) -> Any:
        return msgspec.json.decode(await self.client.get(self.path(manifest)))

    async def list(self, manifest: Manifest) -> Any:
        return msgspec.json.decode(await self.client.get(self.collection(manifest)))["items"]

    async def delete(self, *manifests: Manifest) -> None:
        for manifest in manifests:
            try:
                await self.client.delete(self.path(manifest))
            except Missing:
                continue

    def path(self, manifest: Manifest) -> str:
        return f"{self.collection(manifest)}/{manifest['metadata']['name']}"

    def collection(self, manifest: Manifest) -> str:
        version, kind = manifest["apiVersion"], manifest["kind"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        plural = f"{kind.lower()}{'es' if kind.endswith(('s', 'ss')) else 's'}"
        plural = plural.replace("ys", "ies") if kind.endswith("cy") else plural
        if kind in _CLUSTER_WIDE:
            return f"{root}/{plural}"
        return f"{root}/namespaces/{manifest['metadata'].get('namespace', self.namespace)}/{plural}"

    async def service_account(self, name: str = "headgate") -> None:
        await self.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})

    async def token(self, name: str = "headgate", *, seconds: int = 3600) -> str:
        """A token as the kubelet asks for one; the API server gives none for less than 600 s."""
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{name}/token"
        question = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
        answer = await self.client.create(path, {**question, "spec": {"expirationSeconds": seconds}})
        token: str = msgspec.json.decode(answer)["status"]["token"]
        return token

    async def may(self, *rules: Manifest, name: str = "headgate", account: str = "headgate") -> None:
        """Give a service account these rights in the whole cluster, and no others by this name."""
        about = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": f"{self.namespace}-{name}"}}
        subject = {"kind": "ServiceAccount", "name": account, "namespace": self.namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"{self.namespace}-{name}"}
        await self.apply(
            {**about, "kind": "ClusterRole", "rules": list(rules)},
            {**about, "kind": "ClusterRoleBinding", "roleRef": role, "subjects": [subject]},
        )

    def access(self, token: str = "", token_file: str = "") -> Access:
        """The API server as somebody with this token sees it."""
        authority = str(self.plane.authority.file)
        return Access(server=self.plane.server, authority_file=authority, token=token, token_file=token_file)


def right(group: str, resources: str, verbs: str = "list,watch") -> Manifest:
    return {"apiGroups": [group], "resources": resources.split(","), "verbs": verbs.split(",")}


_numbers = itertools.count(1)


@asynccontextmanager
async def hand_in(plane: ControlPlane) -> AsyncIterator[Hand]:
    """An administrator's hand, in a namespace of its own; nobody cleans it up, since nobody else looks there."""
    async with Client(plane.admin) as client:
        made = Hand(plane, client, f"test-{next(_numbers)}")
        await made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": made.namespace}})
        yield made
