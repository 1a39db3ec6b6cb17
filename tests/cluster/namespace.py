"""A network namespace in which every address of 198.18.0.0/16 is ours: a command in, the same command inside it.

A real API server refuses loopback addresses in EndpointSlices, so the "pods" of the tests live in the range that is
reserved for benchmarks. Nothing leaves the machine, and no root is needed: an ordinary user becomes one in a user
namespace, keeps its own number there, and drops the power again once the addresses are in place.
"""

import os
import shutil
import socket
from collections.abc import Sequence
from typing import NoReturn

MARK = "HEADGATE_TEST_NAMESPACE"
PODS = "198.18.0.0/16"
API_ADDRESS = "198.18.255.1"
_ADDRESSES = f"ip link set lo up && ip route add local {PODS} dev lo"


def enter(command: Sequence[str]) -> NoReturn:
    """Become the command, inside. Does not come back."""
    for tool in ("unshare", "ip", "setpriv"):
        if shutil.which(tool, path=_PATH) is None:
            raise SystemExit(f"the cluster tests need {tool}: on Debian, apt-get install util-linux iproute2")
    if os.getuid() == 0:
        outer, inner = ["unshare", "--net"], 'exec "$@"'
    else:
        outer = ["unshare", "--net", "--user", "--map-current-user", "--keep-caps"]
        inner = 'exec setpriv --ambient-caps -all --inh-caps -all "$@"'
    os.environ |= {MARK: "1", "PATH": _PATH}
    os.execvp(outer[0], [*outer, "sh", "-c", f"{_ADDRESSES} && {inner}", "sh", *command])


def is_inside() -> bool:
    """Are the addresses of pods ours to bind?"""
    if not os.environ.get(MARK):
        return False
    with socket.socket() as trial:
        try:
            trial.bind((API_ADDRESS, 0))
        except OSError:
            return False
    return True


_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
