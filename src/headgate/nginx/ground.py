"""What must be true of the machine before nginx starts; each thing that is not becomes a sentence for the operator.

A layout and listeners go in, folders come out, or `errors.Unusable`. The surprising one: a master that is root runs
its workers as somebody else, and that user must be able to enter the folder of temporary files, or every large
request body fails long after `nginx -t` was content.
"""

import errno
import os
import pwd
import socket
import stat
from collections.abc import Iterable
from pathlib import Path

from headgate.errors import Unusable
from headgate.model.layout import Layout
from headgate.model.server import Listener

SOCKET_PATH_LIMIT = 107  # bytes in sockaddr_un, less the closing zero
WORKER_USERS = ("nginx", "www-data", "nobody")


def worker_user() -> str | None:
    """Whom workers run as: only a master that is root can choose."""
    if os.geteuid() != 0 or not _can_be_others():
        return None
    return next((name for name in WORKER_USERS if exists(name)), None)


def _can_be_others() -> bool:
    """Root of a user namespace with one user in it is root of nothing: there is nobody else to be."""
    try:
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except OSError:
        return True
    return sum(int(length) for _, _, length in ranges) > 1


def exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def prepare(layout: Layout) -> None:
    """Make the folders, and make sure that nginx will be able to use them."""
    if len(os.fsencode(layout.version_socket)) > SOCKET_PATH_LIMIT:
        raise Unusable(
            f"{layout.version_socket} is longer than the {SOCKET_PATH_LIMIT} bytes that a socket's path may have: "
            "choose a shorter folder with --state-dir."
        )
    for folder in folders(layout):
        try:
            make(folder, open_to_all=layout.user is not None)
        except OSError as why:
            raise Unusable(f"cannot make {folder} ({why.strerror}): choose another folder with --state-dir.") from why
    if layout.user is not None and (closed := first_closed(Path(layout.temp), layout.user)) is not None:
        raise Unusable(
            f"nginx's workers run as {layout.user}, who cannot enter {closed}, and so not {layout.temp}: "
            f"open it (chmod a+x {closed}) or choose another folder with --state-dir."
        )


def make(folder: Path, *, open_to_all: bool) -> None:
    """A folder and those above it; where workers are somebody else, whatever the umask."""
    for step in (*reversed(folder.parents), folder):
        if not step.is_dir():
            step.mkdir(mode=0o755)
            if open_to_all:
                step.chmod(0o755)


def folders(layout: Layout) -> list[Path]:
    wanted = [Path(layout.tree), Path(layout.run), Path(layout.temp)]
    if layout.access_log.startswith("/") and not layout.access_log.startswith("/dev/"):
        wanted.append(Path(layout.access_log).parent)
    return wanted


def first_closed(folder: Path, user: str) -> Path | None:
    """The first folder on the way down that the user cannot enter."""
    account = pwd.getpwnam(user)
    groups = os.getgrouplist(user, account.pw_gid)
    real = folder.resolve()
    return next((step for step in (*reversed(real.parents), real) if not may_enter(step, account.pw_uid, groups)), None)


def may_enter(folder: Path, uid: int, groups: list[int]) -> bool:
    found = folder.stat()
    if uid in (0, found.st_uid):
        return uid == 0 or bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid in groups:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def ports_free(listeners: Iterable[Listener]) -> None:
    """Raise the sentence about the first listener that nginx could not have.

    nginx itself would try five times, for two and a half seconds, before it says so.
    """
    for listener in listeners:
        family = socket.AF_INET6 if ":" in listener.address else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((listener.address, listener.port))
            except PermissionError:
                continue  # what we may not, nginx may: its file can have the capability. It speaks for itself
            except OSError as why:
                raise Unusable(occupied(listener, why)) from why


def occupied(listener: Listener, why: OSError) -> str:
    address = listener.address or "0.0.0.0"  # noqa: S104  a sentence about it, not a bind
    where = f"[{address}]:{listener.port}" if ":" in address else f"{address}:{listener.port}"
    flag = "--https-port" if listener.tls else "--http-port"
    match why.errno:
        case errno.EADDRINUSE:
            return f"{where} is in use by another program: stop it, or choose another port with {flag}."
        case errno.EADDRNOTAVAIL:
            return f"{where} cannot be opened, since {address} is no address of this machine: see --address."
    return f"{where} cannot be opened: {why.strerror}."
