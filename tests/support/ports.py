"""Loopback ports that nobody else will take: `claim()` in, a port number out.

Asking the kernel for "any port" and closing it again is a race under xdist: outgoing connections are given ports from
the same range. So we stay below that range, and a locked file per port keeps parallel test runs apart for as long as
this interpreter lives.
"""

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path
from typing import IO

LOWEST, HIGHEST = 20000, 31999

_claimed: dict[int, IO[bytes]] = {}


def claim(*addresses: str) -> int:
    """A port on which nothing listens, at any of the addresses (127.0.0.1 when none is given)."""
    for port in random.sample(range(LOWEST, HIGHEST + 1), HIGHEST - LOWEST + 1):
        if port not in _claimed and _lock(port):
            if all(_is_free(address, port) for address in addresses or ("127.0.0.1",)):
                return port
            release(port)
    raise RuntimeError("every port of the test range is taken")


def release(port: int) -> None:
    _claimed.pop(port).close()


def _lock(port: int) -> bool:
    folder = Path(tempfile.gettempdir()) / f"headgate-test-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    file = (folder / str(port)).open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    _claimed[port] = file
    return True


def _is_free(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((address, port))
        except OSError:
            return False
    return True
