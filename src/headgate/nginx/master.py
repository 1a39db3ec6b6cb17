"""The nginx master: started by us or found running, signalled, and watched until it is gone.

It gets a session of its own and our stdout and stderr as they are: a terminal's Ctrl-C reaches only us, and nginx
outlives a Headgate that is killed. A pidfd watches it, which works for a child and for one that an earlier run
started alike, and a signal sent through it can never hit a stranger who got the same number. The surprising part is
`strays`: when a master is killed its workers go on serving, and hold the ports.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from headgate.model.layout import Layout
from headgate.nginx.pauses import pauses
from headgate.nginx.tree import MAIN_FILE

PROC = Path("/proc")
SHUTTING_DOWN = "is shutting down"


class Master:
    """A living master. `told` is called once, with a sentence, when it is gone."""

    def __init__(
        self, pid: int, told: Callable[["Master"], None], child: subprocess.Popen[bytes] | None = None
    ) -> None:
        self.pid = pid
        self.ending = ""  # how it ended, once it did
        self.dismissed = False  # we asked it to go
        self._child = child
        self._told = told
        self._gone = asyncio.Event()
        self._descriptor = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._descriptor, self._on_exit)

    @property
    def gone(self) -> bool:
        return self._gone.is_set()

    def signal(self, number: signal.Signals) -> None:
        """KILL goes to the whole group: workers do not notice the end of their master."""
        if self.gone:
            return
        with suppress(ProcessLookupError):  # it ended just now: the watch will tell
            if number is signal.SIGKILL and group_of(self.pid) == self.pid:
                os.killpg(self.pid, number)
            else:
                signal.pidfd_send_signal(self._descriptor, number)

    async def wait(self, seconds: float) -> bool:
        """True when it is gone within so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), seconds)
        return self.gone

    def workers(self) -> list[int]:
        """Workers that take connections; those that only finish what they began do not count."""
        with suppress(OSError):
            children = (PROC / str(self.pid) / "task" / str(self.pid) / "children").read_text().split()
            return [int(pid) for pid in children if listens(int(pid))]
        return []

    def _on_exit(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)
        self.ending = f"nginx (pid {self.pid}) {self._reap()}"
        self._gone.set()
        self._told(self)

    def _reap(self) -> str:
        """Take the exit status, which exists only for a child of ours."""
        if self._child is not None:
            code = self._child.wait()
        else:
            try:
                code = os.waitstatus_to_exitcode(os.waitpid(self.pid, os.WNOHANG)[1])
            except ChildProcessError:
                return "is gone"
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def start(binary: str, layout: Layout, told: Callable[[Master], None]) -> Master:
    """Start nginx over the tree. Its pid is written at once: a large tree takes seconds to parse before nginx does."""
    child = subprocess.Popen(
        [binary, "-c", f"{layout.tree}/{MAIN_FILE}", "-p", layout.tree, "-e", "stderr"],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    Path(layout.pid_file).write_text(f"{child.pid}\n")
    return Master(child.pid, told, child)


def find(layout: Layout) -> int | None:
    """The pid of a running master over this very tree. An empty pid file is what `nginx -t` leaves."""
    with suppress(OSError, ValueError):
        pid = int(Path(layout.pid_file).read_text())
        words = title(pid)
        if words is not None and "nginx" in words.split()[0] and f"-c {layout.tree}/{MAIN_FILE} " in f"{words} ":
            return pid
    return None


def title(pid: int) -> str | None:
    """The command line, which nginx rewrites to say what it is doing; None when there is no such living thing."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip() or None
    except OSError:
        return None


def strays(layout: Layout) -> list[int]:
    """What is left of a master that is gone. Ours beyond doubt: each nginx keeps its emergency log open."""
    log = os.path.realpath(layout.emergency_log)
    return [pid for pid in nginxes() if log in open_files(pid)]


def nginxes() -> Iterator[int]:
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (title(int(entry.name)) or "").startswith("nginx: "):
            yield int(entry.name)


def group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def open_files(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for entry in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                found.add(str(entry.readlink()))
    return found


def lives(pid: int) -> bool:
    """False for one that ended; where it has become our child (in a container we are its init), it is reaped."""
    if title(pid) is not None:
        return True
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    return False


def listens(pid: int) -> bool:
    return SHUTTING_DOWN not in (title(pid) or SHUTTING_DOWN)


def dismiss(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


async def see_off(layout: Layout, word: signal.Signals, patience: float, *, entirely: bool = False) -> None:
    """Send away workers without a master: until they no longer listen, or until they are gone entirely."""
    left = await asyncio.to_thread(strays, layout)
    dismiss(left, word)
    for pause in pauses(patience):
        left = [pid for pid in left if lives(pid) and (entirely or listens(pid))]
        if not left:
            return
        await asyncio.sleep(pause)
    dismiss(left, signal.SIGKILL)
