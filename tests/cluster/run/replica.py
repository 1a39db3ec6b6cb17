"""A running `headgate run`: flags in, an nginx that answers out, and nothing left behind afterwards.

Everything of one replica lives in a folder of its own under the temporary folder, where nginx's workers may enter; that
folder is also the working directory of all that it starts, which is how we find those that outlive it.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from tests.cluster.following import eventually
from tests.support import client, kernel, ports
from tests.support.client import Answer
from tests.support.gate import environment

T = TypeVar("T")
DEADLINE = 60.0
_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$", re.MULTILINE)


class Replica:
    def __init__(self, name: str, kubeconfig: Mapping[str, Any], *flags: str, variables: Mapping[str, str]) -> None:
        self.name = name
        self.home = Path(tempfile.mkdtemp(prefix="headgate-run-")).resolve()
        self.home.chmod(0o755)
        self.kubeconfig = self.home / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(kubeconfig))
        self.http, self.https, self.ready_port, self.metrics_port, self.status_port = (ports.claim() for _ in range(5))
        self.flags = list(flags)
        self._variables = {"POD_NAME": name, **variables}
        self._log = self.home / "log"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def arguments(self) -> list[str]:
        """What every replica is told; a flag that comes again, later, counts."""
        return [
            f"-kubeconfig={self.kubeconfig}",
            f"-http-port={self.http}",
            f"-https-port={self.https}",
            f"-ready-status-port={self.ready_port}",
            f"-nginx-status-port={self.status_port}",
            "-enable-prometheus-metrics",
            f"-prometheus-metrics-listen-port={self.metrics_port}",
            f"-nginx-dir={self.home / 'etc'}",
            f"-state-dir={self.home / 'var'}",
            "-shutdown-delay=0s",
            *self.flags,
        ]

    def start(self) -> "Replica":
        """Begin, and do not wait: `is_ready` says when."""
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                [sys.executable, "-m", "headgate", "run", *self.arguments],
                cwd=self.home,
                env={**environment(), **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    async def ready(self) -> "Replica":
        await self.eventually(self.is_ready, "readiness")
        return self

    # what it is asked

    def is_ready(self) -> bool:
        return self.readiness() == 200

    def readiness(self) -> int:
        return client.ask(self.ready_port, "/nginx-ready").status

    def ask(self, target: str = "/", *, host: str, tls: bool = False, **more: Any) -> Answer:
        return client.ask(self.https if tls else self.http, target, host=host, tls=tls, **more)

    def backend(self, host: str, target: str = "/", *, tls: bool = False) -> str | None:
        """Which pod answers."""
        return self.ask(target, host=host, tls=tls).backend

    def metrics(self) -> dict[str, float]:
        """Every sample by its name with labels."""
        text = client.ask(self.metrics_port, "/metrics").body.decode()
        return {name: float(value) for name, value in _SAMPLE.findall(text)}

    def reloads(self) -> int:
        """How often nginx was given a new configuration, its start included."""
        return int(sum(value for name, value in self.metrics().items() if "_nginx_reloads_total{" in name))

    # what it says

    def said(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def lines(self, *words: str) -> list[str]:
        return [line for line in self.said().splitlines() if all(word in line for word in words)]

    async def says(self, *words: str, deadline: float = DEADLINE) -> str:
        found = await self.eventually(lambda: self.lines(*words), f"a line with {words}", deadline=deadline)
        return found[-1]

    async def eventually(self, question: Callable[[], T], what: str = "", *, deadline: float = DEADLINE) -> T:
        """Wait for an effect; a failure shows what Headgate said. Who cannot connect has not seen it yet."""

        def asked() -> T | None:
            assert not self.has_ended(), f"Headgate has ended while we waited for {what}"
            try:
                return question()
            except OSError:
                return None

        try:
            answer = await eventually(asked, what, deadline=deadline)
        except AssertionError as why:
            raise AssertionError(f"{why}\n{self.name} said:\n{self.said()[-4000:]}") from None
        assert answer is not None
        return answer

    async def serves(self, question: Callable[[], T], what: str = "", *, deadline: float = DEADLINE) -> T:
        """Wait for an effect on the wire, and then until nobody answers by the configuration before it."""
        answer = await self.eventually(question, what, deadline=deadline)
        await self.settled()
        return answer

    async def settled(self) -> None:
        """The workers of before are on their way out; while both are there, either may take a connection."""
        await self.eventually(self._is_settled, "the end of the old workers")

    def _is_settled(self) -> bool:
        written = re.search(r"^worker_processes (\w+);", (self.home / "etc" / "nginx.conf").read_text(), re.MULTILINE)
        assert written is not None
        children = [pid for pid, parent in kernel.parents().items() if parent == self.nginx]
        accepting = [pid for pid in children if "shutting down" not in kernel.title(pid)]
        return len(accepting) == (os.cpu_count() if written[1] == "auto" else int(written[1]))

    # how it ends

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    @property
    def nginx(self) -> int:
        """The pid of nginx's master; 0 when there is none."""
        try:
            return int((self.home / "var" / "nginx.pid").read_text())
        except (OSError, ValueError):
            return 0

    def has_ended(self) -> bool:
        return self._running is not None and self._running.poll() is not None

    def is_running(self) -> bool:
        return self._running is not None and not self.has_ended()

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """As the kernel does when memory is short: no time for last words."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def vanish(self) -> None:
        """As when its node loses power: nginx is gone as well."""
        self.kill()
        for pid in self.left_behind():
            os.kill(pid, signal.SIGKILL)

    def wait(self, deadline: float = DEADLINE) -> int:
        """The exit code, once it has ended."""
        assert self._running is not None
        return self._running.wait(timeout=deadline)

    def stop(self) -> int:
        if not self.has_ended():
            self.terminate()
        return self.wait()

    def left_behind(self) -> dict[int, str]:
        return kernel.working_in(self.home)

    def close(self) -> None:
        """Stop, and hold that nothing is left."""
        try:
            if self._running is not None:
                self.stop()
                left = self.left_behind()
                assert not left, f"left behind: {left}; {self.name} said:\n{self.said()[-4000:]}"
        finally:
            self.sweep()

    def sweep(self) -> None:
        """Whatever is still there goes, by its number."""
        for pid in self.left_behind():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.home, ignore_errors=True)
        for port in (self.http, self.https, self.ready_port, self.metrics_port, self.status_port):
            ports.release(port)
