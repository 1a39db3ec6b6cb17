"""One cluster for all end-to-end tests, and Headgate installed in it by `kubectl apply -k`.

Outside the namespaces of `python -m tests.e2e` nothing here is collected: a plain `pytest` runs the other tiers. The
files are numbered, since they follow a life: installed, serving, updated, removed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.ground import folder, is_inside
from tests.e2e.kubectl import OURS, Kubectl
from tests.e2e.node import Node
from tests.e2e.readiness import IMAGE, NEXT, PAUSE, REPOSITORY

HERE = Path(__file__).parent
INSTALLED = REPOSITORY / "deploy" / "overlays" / "load-balancer"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return None if is_inside() or collection_path == HERE else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    made = Node(folder())
    try:
        _started(made)
        made.load(Path(os.environ["HEADGATE_E2E_PAUSE"]), PAUSE)
        made.load(Path(os.environ["HEADGATE_E2E_IMAGE"]), IMAGE, NEXT)
        yield made
    finally:
        made.close()


def _started(node: Node) -> None:
    try:
        node.start()
    except AssertionError as why:
        raise AssertionError(f"{why}\n{node.last_words()}") from why


@pytest.fixture(scope="session")
def kubectl(node: Node) -> Kubectl:
    return node.kubectl


@pytest.fixture(scope="session")
def door(kubectl: Kubectl) -> str:
    """Headgate installed and ready, with something to serve: the address of its Service."""
    kubectl("apply", "--kustomize", str(INSTALLED))
    kubectl("apply", "--filename", str(HERE / "shop"))
    rolled_out(kubectl, "deployment/nginx-ingress", OURS)
    rolled_out(kubectl, "deployment/shop", "--namespace=shop")
    return str(kubectl.get("service", "nginx-ingress", OURS)["spec"]["clusterIP"])


def rolled_out(kubectl: Kubectl, what: str, where: str) -> None:
    done = kubectl.attempt("rollout", "status", what, where, "--timeout=120s")
    assert done.returncode == 0, (
        f"{what}: {done.stderr}\n{kubectl('describe', 'pods', where)}\n{kubectl('logs', what, where, '--all-pods')}"
    )
