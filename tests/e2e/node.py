"""A node, and so a whole cluster: containerd, kubelet, scheduler and kube-proxy beside the control plane of `tests.cluster`.

Images go in, a `Kubectl` comes out. Pods have addresses of 198.18.0.0/17 and Services of 198.19.0.0/17, all within
our network namespace. Each pod hangs on a link of its own (`ptp`): on a bridge, answers would take a short cut past
the rules of kube-proxy.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cluster.environment import ControlPlane
from tests.cluster.namespace import API_ADDRESS
from tests.e2e.ground import NODE_ADDRESS
from tests.e2e.kubectl import Kubectl
from tests.e2e.readiness import PAUSE, PLUGINS
from tests.support.waiting import until

NAME = "node"
PODS = "198.18.0.0/17"
API_SERVICE = "198.19.0.1"  # the first address of Services is the API server's


class Node(ControlPlane):
    def __init__(self, folder: Path) -> None:
        super().__init__("--kubelet-preferred-address-types=InternalIP", "--allow-privileged=true")
        self._home, self._socket = folder, folder / "containerd.sock"
        self._group = f"/{folder.name}"
        self._crt, self._key = self.authority.server("kubernetes", "127.0.0.1", API_ADDRESS, API_SERVICE)
        crt, key = self.authority.client("apiserver", "system:masters")
        self._flags = (*self._flags, f"--kubelet-client-certificate={crt}", f"--kubelet-client-key={key}")
        self._config = self._written("kubeconfig", self.kubeconfig(*self.authority.client("node", "system:masters")))
        self.kubectl = Kubectl(self._config)

    def start(self) -> "Node":
        self._start_containerd()
        super().start()
        self.start_controllers()
        self._start("kube-scheduler", f"--kubeconfig={self._config}", "--leader-elect=false")
        self._start_kubelet()
        self._start_proxy()
        until(self._is_node_ready, what="the node", deadline=90, pause=0.2)
        return self

    def last_words(self) -> str:
        """The end of each program's log, for whoever has to find out why there is no node."""
        return "\n".join(f"--- {name}\n{self.log(name)[-2000:]}" for name in self._running)

    def load(self, archive: Path, *names: str) -> None:
        """Give the node an image; further names are for the same one."""
        self._ctr("images", "import", "--snapshotter", self._snapshotter, str(archive))
        for name in names[1:]:
            self._ctr("images", "tag", "--force", names[0], name)

    def _start_containerd(self) -> None:
        config = self._home / "containerd.toml"
        config.write_text(
            _CONTAINERD.format(folder=self._home, snapshotter=self._snapshotter, pause=PAUSE, cni=PLUGINS)
        )
        (self._home / "cni").mkdir()
        self._written("cni/10-pods.conflist", _cni(self._home / "addresses"))
        self._start_program("containerd", "containerd", f"--config={config}")
        until(lambda: self._socket.exists() and self._ctr("version"), what="containerd", deadline=30, pause=0.1)

    def _start_kubelet(self) -> None:
        config = self._written("kubelet.json", _kubelet(self))
        self._start(
            "kubelet",
            f"--config={config}",
            f"--kubeconfig={self._config}",
            f"--hostname-override={NAME}",
            f"--node-ip={NODE_ADDRESS}",
            f"--root-dir={self._home / 'kubelet'}",
            f"--cert-dir={self._home / 'kubelet-pki'}",
        )

    def _start_proxy(self) -> None:
        self._start(
            "kube-proxy",
            f"--kubeconfig={self._config}",
            f"--hostname-override={NAME}",
            f"--cluster-cidr={PODS}",
            "--proxy-mode=nftables",
            "--conntrack-max-per-core=0",  # that belongs to the machine, not to our namespace
        )

    def _is_node_ready(self) -> bool:
        if not self.is_ready():
            return False
        nodes = self.kubectl.get("nodes")["items"]
        return any(
            each["type"] == "Ready" and each["status"] == "True"
            for node in nodes
            for each in node["status"]["conditions"]
        )

    @property
    def _snapshotter(self) -> str:
        return "overlayfs" if _overlays(self._home) else "native"

    def _ctr(self, *words: str) -> str:
        command = ["ctr", f"--address={self._socket}", "--namespace=k8s.io", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def _written(self, name: str, content: Any) -> Path:
        file = self._home / name
        file.write_text(json.dumps(content))
        return file

    def _start_program(self, name: str, *command: str) -> None:
        self._logs[name] = log = (self.folder / f"{name}.log").open("ab")
        self._running[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _overlays(folder: Path) -> bool:
    """Can this kernel lay one folder over another here?"""
    trial = folder / "overlay"
    for each in ("lower", "upper", "work", "all"):
        (trial / each).mkdir(parents=True, exist_ok=True)
    said = f"lowerdir={trial / 'lower'},upperdir={trial / 'upper'},workdir={trial / 'work'}"
    mount = ["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o", said, str(trial / "all")]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def _kubelet(node: Node) -> dict[str, Any]:
    home = node._home
    return {
        "kind": "KubeletConfiguration",
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "containerRuntimeEndpoint": f"unix://{node._socket}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": node._group,
        "enforceNodeAllocatable": [],
        "evictionHard": {"memory.available": "50Mi"},
        "failSwapOn": False,
        "resolvConf": "/dev/null",
        "clusterDNS": ["198.19.0.10"],  # nobody answers there: names are none of our tests' business
        "podLogsDir": str(home / "logs"),
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": str(node.authority.file)},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "imageGCHighThresholdPercent": 100,
    }


def _cni(addresses: Path) -> dict[str, Any]:
    ipam = {
        "type": "host-local",
        "ranges": [[{"subnet": PODS}]],
        "routes": [{"dst": "0.0.0.0/0"}],
        "dataDir": str(addresses),
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "ptp", "ipam": ipam}, ports]}


_CONTAINERD = """\
version = 2
root = "{folder}/containerd"
state = "{folder}/containerd-state"

[grpc]
  address = "{folder}/containerd.sock"

[plugins."io.containerd.internal.v1.opt"]
  path = "{folder}/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  restrict_oom_score_adj = true

  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "{snapshotter}"
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{cni}"
    conf_dir = "{folder}/cni"
"""
