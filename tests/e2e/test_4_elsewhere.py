"""F5's own arguments start our image, and the other overlays serve too."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.asking import ask, until_served
from tests.e2e.conftest import HERE, INSTALLED, rolled_out
from tests.e2e.ground import NODE_ADDRESS
from tests.e2e.kubectl import OURS, Kubectl
from tests.e2e.readiness import REPOSITORY
from tests.support.waiting import until

# What F5's controller is given by its Deployment, its DaemonSet and its chart for open-source nginx.
ARGUMENTS = {
    "deployment": [
        "-nginx-configmaps=$(POD_NAMESPACE)/nginx-config",
        "-report-ingress-status",
        "-external-service=nginx-ingress",
    ],
    "daemon-set": ["-nginx-configmaps=$(POD_NAMESPACE)/nginx-config"],
    "chart": (HERE / "chart-arguments.txt").read_text().split(),
}


@pytest.fixture
def _unrestricted(kubectl: Kubectl, door: str) -> Iterator[None]:
    """F5's manifests raise privileges to have ports 80 and 443, which `restricted` does not allow."""
    label = "pod-security.kubernetes.io/enforce"
    kubectl("label", "namespace", "nginx-ingress", "--overwrite", f"{label}=baseline")
    yield
    kubectl("label", "namespace", "nginx-ingress", "--overwrite", f"{label}=restricted")


@pytest.mark.usefixtures("_unrestricted")
@pytest.mark.parametrize("manifest", ARGUMENTS)
def test_the_arguments_of_f5s_manifests_start_headgate(kubectl: Kubectl, manifest: str) -> None:
    name = f"f5-{manifest}"
    kubectl("apply", "--filename=-", OURS, text=json.dumps(_pod(name, ARGUMENTS[manifest])))
    try:
        ready = kubectl.attempt("wait", f"pod/{name}", OURS, "--for=condition=Ready", "--timeout=60s")
        assert ready.returncode == 0, kubectl("logs", name, OURS)
        address = kubectl.get("pod", name, OURS)["status"]["podIP"]
        assert ask(address).status == 200
    finally:
        kubectl("delete", "pod", name, OURS, "--wait=false", "--ignore-not-found")


def test_one_namespace_is_served_and_no_other(kubectl: Kubectl, door: str, tmp_path: Path) -> None:
    _kustomization(tmp_path, "one-namespace", "namespace: solo\n")
    kubectl("apply", "--kustomize", str(tmp_path))
    solo = (HERE / "shop" / "shop.yaml").read_text().replace("shop.example.com", "solo.example.com")
    kubectl(
        "apply",
        "--filename=-",
        text=solo.replace("namespace: shop", "namespace: solo").replace("name: shop\n---", "name: solo\n---", 1),
    )
    rolled_out(kubectl, "deployment/nginx-ingress", "--namespace=solo")
    address = kubectl.get("service", "nginx-ingress", "--namespace=solo")["spec"]["clusterIP"]
    until_served(address, host="solo.example.com")
    assert ask(address, host="shop.example.com").reason == "no-host"
    for command in _uninstalling():
        kubectl(*command)
    ours = ("get", "all,roles,rolebindings,configmaps,leases", "--namespace=solo", "--output=name")
    until(lambda: "nginx-ingress" not in kubectl(*ours), what="the end of what was ours", deadline=60, pause=0.2)
    kubectl("delete", "namespace", "solo", "--wait=false")


def test_what_was_installed_can_be_removed_and_installed_as_a_daemon_set(kubectl: Kubectl, door: str) -> None:
    kubectl("delete", "--kustomize", str(INSTALLED), "--timeout=120s")
    left = kubectl("get", "clusterroles,clusterrolebindings,ingressclasses,namespaces", "--output=name").split()
    assert not [each for each in left if each.endswith(("/nginx-ingress", "/nginx"))]
    kubectl("apply", "--kustomize", str(REPOSITORY / "deploy" / "overlays" / "daemon-set"))
    rolled_out(kubectl, "daemonset/nginx-ingress", OURS)
    until_served(NODE_ADDRESS)


def _uninstalling() -> list[list[str]]:
    """The commands of docs/install.md by which one namespace is rid of us; the IngressClass is still in use."""
    lines = (REPOSITORY / "docs" / "install.md").read_text().replace("-n shop ", "-n solo ").splitlines()
    found = [line.split("#")[0].split()[1:] for line in lines if line.startswith("    kubectl ") and " delete " in line]
    return [words for words in found if "-k" not in words and "ingressclass" not in words]


def _kustomization(folder: Path, overlay: str, more: str) -> None:
    """An overlay of one's own over ours, as docs/install.md says."""
    there = Path(
        *([".."] * (len(folder.resolve().parts) - 1)), *(REPOSITORY / "deploy" / "overlays" / overlay).parts[1:]
    )
    (folder / "kustomization.yaml").write_text(f"resources: [{json.dumps(str(there))}]\n{more}")


def _pod(name: str, arguments: list[str]) -> dict[str, object]:
    """A pod with the security settings, ports and environment of F5's Deployment."""
    container = {
        "name": "nginx-ingress",
        "image": "headgate:0.1.0",
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "env": [
            {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "readinessProbe": {"httpGet": {"path": "/nginx-ready", "port": 8081}, "periodSeconds": 1},
        "securityContext": {
            "allowPrivilegeEscalation": True,
            "runAsUser": 101,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        },
    }
    spec = {
        "serviceAccountName": "nginx-ingress",
        "automountServiceAccountToken": True,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
