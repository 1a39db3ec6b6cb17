"""A running `headgate serve`: a folder in, an nginx that answers out, and nothing left behind afterwards.

Everything of one gate lives in a folder under the temporary folder that anybody may enter: as root, nginx's workers run
as somebody else, so pytest's own private folders will not do. That folder is also the working directory of Headgate and
so of every descendant, which is how we find those that outlive it.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import TypeVar

from tests.support import client, kernel, ports
from tests.support.manifests import Manifest, ingress, path, rule, write
from tests.support.waiting import DEADLINE, until

T = TypeVar("T")

SOURCE = Path(__file__).parents[2] / "src"
_passes = count(1)


class Gate:
    def __init__(self, *flags: str, class_name: str | None = None, command: Sequence[str] = ()) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="headgate-")).resolve()
        self.home.chmod(0o755)
        self.folder = self.home / "manifests"
        self.folder.mkdir()
        self.state = self.home / "state"
        self.http, self.https = ports.claim(), ports.claim()
        self.flags = list(flags)
        self._log = self.home / "log"
        self._command = list(command) or [sys.executable]
        self._class_name = class_name  # of our markers, where classless Ingresses are not ours
        self._running: subprocess.Popen[bytes] | None = None

    def start(self, *, ready: bool = True) -> "Gate":
        own = ["--http-port", str(self.http), "--https-port", str(self.https), "--state-dir", str(self.state)]
        own += ["--shutdown-timeout", "10"]  # so that a test that leaves a request hanging fails soon
        said = len(self.said())
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                [*self._command, "-m", "headgate", "serve", str(self.folder), *own, *self.flags],
                cwd=self.home,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if ready:
            # An nginx that is taken over answers long before Headgate is ready: so its own word counts.
            self.until(lambda: "serving " in self.said()[said:], what="the word that it serves")
            self.until(lambda: client.ask(self.http).status, what="the first answer")
        return self

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    def has_ended(self) -> bool:
        return self._running is not None and self._running.poll() is not None

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        """The exit code, once Headgate has ended."""
        assert self._running is not None
        return self._running.wait(timeout=30)

    def stop(self) -> int:
        """End it as an operator does."""
        if not self.has_ended():
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """End it as the kernel does when memory is short: no time for last words."""
        self.signal(signal.SIGKILL)
        self.wait()

    def close(self) -> None:
        """Stop, and hold that no descendant is left."""
        left: dict[int, str] = {}
        try:
            if self._running is not None:
                self.stop()
            left = kernel.working_in(self.home)
            assert not left, f"left behind: {left}; Headgate said:\n{self.said()[-4000:]}"
        finally:
            for pid in kernel.working_in(self.home):
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.home, ignore_errors=True)
            ports.release(self.http)
            ports.release(self.https)

    def said(self) -> str:
        """Everything that Headgate wrote so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def lines(self, *words: str) -> list[str]:
        return [line for line in self.said().splitlines() if all(word in line for word in words)]

    def says(self, *words: str) -> str:
        """Wait for a line with all these words."""
        return self.until(lambda: self.lines(*words), what=f"a line with {words}")[-1]

    def nginx_lines(self, *words: str) -> list[str]:
        """Lines of nginx's own error log."""
        log = self.state / "log" / "error.log"
        text = log.read_text(errors="replace") if log.exists() else ""
        return [line for line in text.splitlines() if all(word in line for word in words)]

    def until(self, question: Callable[[], T], *, what: str = "", deadline: float = DEADLINE) -> T:
        """Wait for an effect; the failure shows what Headgate said."""

        def asked() -> T:
            assert not self.has_ended(), f"Headgate has ended while we waited for {what}"
            return question()

        try:
            return until(asked, what=what, deadline=deadline)
        except AssertionError as why:
            raise AssertionError(f"{why}\nHeadgate said:\n{self.said()[-4000:]}") from None

    @property
    def nginx(self) -> int:
        """The pid of nginx's master; 0 when there is none."""
        try:
            return int((self.state / "run" / "nginx.pid").read_text())
        except (OSError, ValueError):
            return 0

    def workers(self) -> set[int]:
        """The workers that accept connections: not those that are on their way out."""
        master = self.nginx
        children = [pid for pid, parent in kernel.parents().items() if parent == master]
        return {pid for pid in children if "shutting down" not in kernel.title(pid)}

    def _is_settled(self) -> bool:
        """Are there as many workers as there should be? During a reload there are those of both generations."""
        written = re.search(
            r"^worker_processes (\w+);", (self.state / "nginx" / "nginx.conf").read_text(), re.MULTILINE
        )
        assert written is not None
        return len(self.workers()) == (os.cpu_count() if written[1] == "auto" else int(written[1]))

    def generation(self) -> int:
        """The number of the configuration that nginx runs, as the version socket tells it."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(self.state / "run" / "nginx-config-version.sock"))
            asking.sendall(b"GET /configVersion HTTP/1.0\r\n\r\n")
            with asking.makefile("rb") as answer:
                return int(answer.read().split()[-1])

    def apply(self, file: Path, objects: Sequence[Manifest], *, namespace: str) -> None:
        """Write the file and wait until nginx runs it, and nothing but it.

        A marker goes with the objects: a host that is new in each pass. When it answers, so does everything else in the
        file; and when the workers of before are on their way out, nobody answers by the old configuration any more.
        """
        host = f"pass-{next(_passes)}.marker.test"
        marker = ingress("marker", rule(host, path("/", "nowhere")), class_name=self._class_name, namespace=namespace)
        write(file.parent, file.name, *objects, marker)
        self.until(lambda: client.ask(self.http, host=host).reason == "no-endpoints", what=f"a pass with {host}")
        self.until(self._is_settled, what="the end of the old workers")


def environment() -> dict[str, str]:
    """Ours, with the package reachable from any folder and for any interpreter."""
    known = (str(SOURCE), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, known)), "PYTHONUNBUFFERED": "1"}
