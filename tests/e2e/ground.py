"""Where a whole cluster may live and die: a command in, its exit code out, and afterwards nothing is left of it.

Network, mounts and process numbers are namespaces of their own. So whatever happens, even kill -9, the kernel ends every
container with the first process, and takes links and mounts away. What the kernel does not take away are the files
and the control groups: those are removed here, unless it is us whom kill -9 hits.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

MARK = "HEADGATE_E2E_FOLDER"
NODE_ADDRESS = "198.18.255.1"
GROUPS = Path("/sys/fs/cgroup")
# A bridge with a veth end in it carries the node's address: not every kernel has the device `dummy`. Programs on a node want a
# default route, though nobody is there to take what goes that way.
_NETWORK = f"""
ip link set lo up
ip link add node type bridge
ip link add node0 type veth peer name node1
ip link set node0 master node
for each in node node0 node1; do ip link set $each up; done
ip address add {NODE_ADDRESS}/24 dev node
ip route add default via 198.18.255.254
echo 1 >/proc/sys/net/ipv4/ip_forward
"""
# Folders whose names are fixed in containerd, CNI and the kubelet; here they are empty and of this namespace only.
_PRIVATE = ("/run", "/var/lib/cni", "/var/log")


class Ground:
    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="headgate-e2e-"))
        self._group = self._folder.name

    def __enter__(self) -> "Ground":
        for controller in _controllers():
            (controller / self._group).mkdir(exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        for controller in _controllers():
            _remove_group(controller / self._group)
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, command: Sequence[str], environment: Mapping[str, str]) -> int:
        for folder in _PRIVATE:
            Path(folder).mkdir(parents=True, exist_ok=True)
        private = "".join(f"mount -t tmpfs -o mode=755 tmpfs {folder}\n" for folder in _PRIVATE)
        # The shell stays, as process 1: it buries the orphans that containers leave.
        script = f'set -e\n{private}{_NETWORK}set +e\n"$@"\nexit $?'
        # Whoever ends us ends unshare by this, and unshare all the rest.
        apart = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            "--net",
            "--mount",
            "--ipc",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ]
        program = subprocess.Popen(
            [*apart, "sh", "-c", script, "sh", *command],
            env={**os.environ, **environment, MARK: str(self._folder), "TMPDIR": str(self._folder)},
        )
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            while True:
                with suppress(KeyboardInterrupt):  # the tests got it too, and end by themselves
                    return program.wait()
        finally:
            program.kill()
            program.wait()


def is_inside() -> bool:
    return MARK in os.environ


def folder() -> Path:
    """The folder of this run; the control group has its name."""
    return Path(os.environ[MARK])


def _controllers() -> list[Path]:
    """Version 2 is one tree, version 1 a tree for each controller."""
    if (GROUPS / "cgroup.controllers").exists():
        return [GROUPS]
    return [each for each in GROUPS.iterdir() if each.is_dir() and not each.is_symlink()]


def _remove_group(group: Path) -> None:
    """Its processes are dead, but the kernel may need a moment to notice."""
    deadline = time.monotonic() + 10
    for each in sorted(group.glob("**/"), key=lambda path: len(path.parts), reverse=True):
        while each.exists():
            try:
                each.rmdir()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
