"""A control plane of one's own: etcd and kube-apiserver (and kube-controller-manager when wanted), started and killed.

Everything is real: RBAC decides, service-account tokens are signed, etcd can be compacted. `Access` values come out, for
an administrator or for a service account; what a test does with them goes over the wire.
"""

import asyncio
import base64
import json
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.errors import HeadgateError
from tests.cluster.binaries import binary
from tests.cluster.namespace import API_ADDRESS
from tests.support.authority import Authority
from tests.support.ports import claim
from tests.support.waiting import until

SERVICES = "198.19.0.0/17"
ISSUER = "https://kubernetes.default.svc"


class ControlPlane:
    def __init__(self, *flags: str) -> None:
        """`flags` are more of them for the API server."""
        self.folder = Path(tempfile.mkdtemp(prefix="headgate-cluster-"))
        self.authority = Authority(self.folder)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, IO[bytes]] = {}
        self._etcd, self._peer, self._port = claim(), claim(), claim("127.0.0.1", API_ADDRESS)
        self._crt, self._key = self.authority.server("kubernetes", "localhost", "127.0.0.1", API_ADDRESS)
        self._public, self._private = self.authority.key_pair()
        self._flags = flags

    @property
    def server(self) -> str:
        return f"https://{API_ADDRESS}:{self._port}"

    @property
    def admin(self) -> Access:
        crt, key = self.authority.client("admin", "system:masters")
        return Access(
            server=self.server,
            authority_file=str(self.authority.file),
            certificate_file=str(crt),
            key_file=str(key),
        )

    def start(self) -> "ControlPlane":
        self.start_etcd()
        self.start_apiserver()
        return self

    def start_etcd(self) -> None:
        client, peer = f"http://127.0.0.1:{self._etcd}", f"http://127.0.0.1:{self._peer}"
        self._start(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            "--unsafe-no-fsync",  # what is killed here is a program, never the machine
            "--log-level=warn",
        )
        until(lambda: self._etcd_says("/health", None), what="etcd", deadline=60)

    def start_apiserver(self) -> None:
        self._start(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self._etcd}",
            f"--advertise-address={API_ADDRESS}",
            f"--secure-port={self._port}",
            f"--service-cluster-ip-range={SERVICES}",
            f"--tls-cert-file={self._crt}",
            f"--tls-private-key-file={self._key}",
            f"--client-ca-file={self.authority.file}",
            f"--service-account-issuer={ISSUER}",
            f"--service-account-key-file={self._public}",
            f"--service-account-signing-key-file={self._private}",
            "--authorization-mode=RBAC",
            "--profiling=false",
            *self._flags,
        )
        until(self.is_ready, what="the API server", deadline=90, pause=0.1)

    def start_controllers(self, *controllers: str) -> None:
        """kube-controller-manager, with these controllers or with its usual ones."""
        config = self.folder / "controllers.kubeconfig"
        config.write_text(json.dumps(self.kubeconfig(*self.authority.client("controllers", "system:masters"))))
        self._start(
            "kube-controller-manager",
            f"--kubeconfig={config}",
            f"--controllers={','.join(controllers) or '*'}",
            f"--service-account-private-key-file={self._private}",
            f"--root-ca-file={self.authority.file}",
            f"--secure-port={claim()}",
            "--leader-elect=false",
        )

    def kill(self, name: str) -> None:
        """As `kill -9` does it."""
        program = self._running.pop(name)
        program.kill()
        program.wait()
        self._logs.pop(name).close()

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)  # etcd's log alone has 64 MB

    def is_ready(self) -> bool:
        for name, program in self._running.items():
            if program.poll() is not None:
                raise AssertionError(f"{name} ended: {self.log(name)[-3000:]}")
        try:
            return asyncio.run(self._ask_ready()) == b"ok"
        except HeadgateError:
            return False

    async def _ask_ready(self) -> bytes:
        async with Client(self.admin, timeout=5) as client:
            return await client.get("/readyz")

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def kubeconfig(self, crt: Path, key: Path) -> dict[str, Any]:
        cluster = {"server": self.server, "certificate-authority": str(self.authority.file)}
        user = {"client-certificate": str(crt), "client-key": str(key)}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "test", "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        }

    def compact(self) -> int:
        """Make etcd forget every revision but the last: whoever watches from an older one is told 410."""
        now = int(self._etcd_says("/v3/kv/range", {"key": base64.b64encode(b"/").decode()})["header"]["revision"])
        self._etcd_says("/v3/kv/compaction", {"revision": str(now), "physical": True})
        return now

    def _etcd_says(self, path: str, question: dict[str, Any] | None) -> Any:
        body = None if question is None else json.dumps(question).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self._etcd}{path}", body, timeout=10) as answer:
            return json.load(answer)

    def _start(self, name: str, *flags: str) -> None:
        self._logs[name] = log = (self.folder / f"{name}.log").open("ab")
        # Whatever ends the test run ends these too.
        command: Sequence[str] = ("setpriv", "--pdeathsig", "KILL", str(binary(name)), *flags)
        self._running[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
