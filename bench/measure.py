"""Watch processes from outside: time, memory and CPU, read from the kernel.

The peak that `wait4` tells is the largest of a process and of all its children, so memory of one process of a tree has to be
looked at while it lives; `watch` does that every few milliseconds.
"""

import os
import signal
import subprocess
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


class Seen(Struct, frozen=True):
    """What a process took until a moment; peaks are in megabytes, of it alone, and of it and its descendants together."""

    own_peak: float
    tree_peak: float
    cpu_seconds: float  # of it and the descendants that have ended


def watch(child: subprocess.Popen[bytes], *, until: Callable[[list[str]], bool]) -> Seen:
    """Look at a process until it has a descendant that `until` knows by its words; one that ends before is a failure."""
    own = tree = 0.0
    while child.poll() is None:
        descendants = list(_descendants(child.pid))
        if any(until(_words(pid)) for pid in descendants):
            return Seen(own, tree, _cpu_seconds(child.pid))
        own = max(own, _own_peak(child.pid))
        tree = max(tree, sum(_resident(pid) for pid in (child.pid, *descendants)))
        time.sleep(PAUSE)
    raise RuntimeError(f"{child.args!r} ended with {child.returncode} before its time")


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


def _cpu_seconds(pid: int) -> float:
    """By clock ticks; the fields after the name, which may hold anything, count from the state."""
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")


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
