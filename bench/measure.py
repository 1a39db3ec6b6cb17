"""Watch processes from outside: time, memory and CPU, read from the kernel.

The peak that `wait4` tells is the largest of a process and of all its children, so memory of one process of a tree has to be
looked at while it lives; `Watch` does that every few milliseconds.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

PROC = Path("/proc")
PAUSE = 0.004  # seconds between two looks
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MEGABYTE = 1e6


class Run(Struct, frozen=True):
    """A process that ran to its end, alone."""

    cpu_seconds: float
    peak_megabytes: float


def run(command: Sequence[str]) -> Run:
    """Run a command to its end; it must succeed."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / _MEGABYTE)


class Watch:
    """Looks at a process and its descendants until told to stop."""

    def __init__(self, pid: int, *, until: Callable[[list[str]], bool]) -> None:
        self._pid = pid
        self._until = until
        self.own_peak = 0.0  # megabytes, of the process itself
        self.tree_peak = 0.0  # of all at one moment
        self.saw = threading.Event()  # a descendant that `until` knows by its words
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def _look(self) -> None:
        while not self.saw.is_set() and (PROC / str(self._pid)).exists():
            tree = list(_descendants(self._pid))
            if any(self._until(_words(pid)) for pid in tree):
                self.saw.set()
                break
            self.own_peak = max(self.own_peak, _own_peak(self._pid))
            self.tree_peak = max(self.tree_peak, sum(_resident(pid) for pid in (self._pid, *tree)))
            time.sleep(PAUSE)


def _descendants(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in (PROC / str(pid) / "task").iterdir():
            for child in (thread / "children").read_text().split():
                yield int(child)
                yield from _descendants(int(child))


def _words(pid: int) -> list[str]:
    with suppress(OSError):
        return (PROC / str(pid) / "cmdline").read_text().split("\0")
    return []


def _own_peak(pid: int) -> float:
    with suppress(OSError):
        for line in (PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / _MEGABYTE
    return 0.0


def _resident(pid: int) -> float:
    with suppress(OSError, IndexError):
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE / _MEGABYTE
    return 0.0


def children(pid: int) -> list[int]:
    return [int(child) for child in (PROC / str(pid) / "task" / str(pid) / "children").read_text().split()]


def cpu_microseconds(pid: int) -> float:
    """Time on a CPU, user and kernel together; finer than the clock ticks of /proc/PID/stat."""
    return int((PROC / str(pid) / "schedstat").read_text().split()[0]) / 1000


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End a child that has a session of its own, and whatever it started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
