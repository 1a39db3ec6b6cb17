"""What we ship is accepted by a real cluster, and runs there as it is."""

from typing import Any

import pytest

from tests.e2e.conftest import INSTALLED
from tests.e2e.kubectl import OURS, Kubectl

OVERLAYS = sorted(each.name for each in INSTALLED.parent.iterdir())


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_overlay_is_accepted_as_a_whole(kubectl: Kubectl, door: str, overlay: str) -> None:
    # The namespace is there already: the API server asks for it even when it only pretends.
    said = kubectl("apply", "--kustomize", str(INSTALLED.parent / overlay), "--dry-run=server")
    assert "deployment.apps/nginx-ingress" in said or "daemonset.apps/nginx-ingress" in said


def test_pods_fit_the_strictest_rules_and_are_ready(kubectl: Kubectl, door: str) -> None:
    namespace = kubectl.get("namespace", "nginx-ingress")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    pods = kubectl.get("pods", OURS)["items"]
    assert len(pods) == 2
    for pod in pods:
        (container,) = pod["status"]["containerStatuses"]
        assert container["ready"]
        assert container["restartCount"] == 0


def test_pods_are_labelled_with_their_versions(kubectl: Kubectl, door: str) -> None:
    for pod in kubectl.get("pods", OURS)["items"]:
        assert pod["metadata"]["labels"]["app.kubernetes.io/version"]
        assert pod["metadata"]["labels"]["app.nginx.org/version"]


def test_one_replica_leads(kubectl: Kubectl, door: str) -> None:
    holder = kubectl.get("lease", "nginx-ingress-leader-election", OURS)["spec"]["holderIdentity"]
    assert holder in {pod["metadata"]["name"] for pod in kubectl.get("pods", OURS)["items"]}


def test_the_image_carries_nothing_to_build_with(kubectl: Kubectl, door: str) -> None:
    look = "for each in pip pip3 uv gcc cc make; do command -v $each; done; ls /opt"
    said = kubectl("exec", "deployment/nginx-ingress", OURS, "--", "sh", "-c", look)
    assert said.split() == ["headgate"]


def test_the_root_file_system_is_read_only(kubectl: Kubectl, door: str) -> None:
    tried = kubectl.attempt("exec", "deployment/nginx-ingress", OURS, "--", "touch", "/tmp/something")
    assert tried.returncode
    assert "Read-only file system" in tried.stderr


def test_the_log_holds_no_error(kubectl: Kubectl, door: str) -> None:
    for pod in kubectl.get("pods", OURS)["items"]:
        log = kubectl("logs", _name(pod), OURS)
        assert not [
            line
            for line in log.splitlines()
            if line.startswith(("E2", "F2")) or "[emerg]" in line or "Traceback" in line
        ]


def _name(thing: Any) -> str:
    return str(thing["metadata"]["name"])
