"""Kubernetes' own programs for the tests: a name in, the path of a binary out; built from source when it is not there yet.

They come from the two wrapper modules beside this file, which pin their versions. What was built is kept outside the
work tree; `KUBEBUILDER_ASSETS` names a folder that has them already, as is the custom of the field. A lock makes
parallel test runs build once. `python -m tests.cluster.binaries` builds whatever is missing.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.binaries.building import build

HERE = Path(__file__).parent
COMMANDS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kubelet": "k8s.io/kubernetes/cmd/kubelet",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
}
# What the tests of this tier need; the rest makes a whole node, for the end-to-end tests.
SERVERS = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")
NODE = ("kubelet", "kube-scheduler", "kube-proxy")


def binary(name: str) -> Path:
    """The program of that name; it is built now if it must be, which takes minutes and the network."""
    given = os.environ.get("KUBEBUILDER_ASSETS")
    if given and (Path(given) / name).exists():
        return Path(given) / name
    place = kept() / name
    if not place.exists():
        with _alone(kept()):
            if not place.exists():
                build(COMMANDS[name], place, module=_module(name), version=version("kubernetes"))
    return place


def kept() -> Path:
    """The folder of what was built: one for each pair of versions."""
    return cache() / "kube" / f"{version('kubernetes')}-etcd-{version('etcd')}"


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headgate"


def version(module: str) -> str:
    """`v1.34.4`, as the wrapper module requires it."""
    found = re.search(r"^require \S+ (v\S+)$", (HERE / module / "go.mod").read_text(), re.MULTILINE)
    assert found, f"{module}/go.mod names no version"
    return found[1]


def _module(name: str) -> Path:
    return HERE / ("etcd" if name == "etcd" else "kubernetes")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
