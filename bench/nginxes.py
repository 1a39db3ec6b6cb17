"""nginx processes of the benchmark: a configuration in, a serving nginx with one worker out, gone at the end of the block."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from bench.measure import children
from headgate.nginx.capabilities import find

PATIENCE = 60.0  # seconds until it must listen: a thousand hosts take some


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens now."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(probe.getsockname()[1]) for probe in probes]


@contextmanager
def serving(conf: Path, port: int) -> Iterator[int]:
    """An nginx that listens; the pid of its worker."""
    child = subprocess.Popen(
        [find(), "-c", str(conf), "-p", str(conf.parent), "-e", "stderr"], stderr=subprocess.DEVNULL
    )
    try:
        yield _worker(port, child)
    finally:
        child.terminate()
        child.wait()


def _worker(port: int, child: subprocess.Popen[bytes]) -> int:
    """The worker, once it takes connections: the master listens before it has any."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and child.poll() is None:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            if workers := children(child.pid):
                return workers[0]
        time.sleep(0.02)
    raise RuntimeError(f"no nginx serves on port {port}")


class Cores:
    """One core for the workers that are measured, the others for everybody else.

    Where a process happens to run changes what a request costs by half, and the kernel leaves it there for long.
    """

    def __init__(self) -> None:
        self._all = os.sched_getaffinity(0)
        self._measured = {min(self._all)}

    def measure(self, worker: int) -> None:
        os.sched_setaffinity(worker, self._measured)

    def set_aside(self, pid: int) -> None:
        os.sched_setaffinity(pid, self._all - self._measured or self._all)

    def release(self, pid: int) -> None:
        os.sched_setaffinity(pid, self._all)
