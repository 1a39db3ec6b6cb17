"""What the nginx at hand can do: a binary in, `Capabilities` and the dynamic modules on disk out.

`nginx -V` tells what was compiled in. It does not tell which of the modules that were built as `dynamic` are
installed: Debian ships each in a package of its own, and njs is not among the configure arguments at all. So the
modules folder is read as well. An ordinary user's PATH lacks /usr/sbin, where nginx lives: we look there anyway.
"""

import asyncio
import os
import re
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from headgate.errors import Unusable
from headgate.model.capabilities import OLDEST, Capabilities, Version

PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/local/nginx/sbin", "/sbin")
VERSION = re.compile(r"^nginx version: \S+?/(\d+)\.(\d+)\.(\d+)", re.MULTILINE)
MODULES_PATH = re.compile(r"--modules-path=(\S+)")


class Binary(Struct, frozen=True):
    """An nginx that can be started."""

    path: str
    capabilities: Capabilities
    modules: Mapping[str, str]  # dynamic modules on disk: "ngx_stream_module" → absolute path


async def examine(name: str = "nginx") -> Binary:
    """Find nginx and ask it what it can do."""
    path = find(name)
    child = await asyncio.create_subprocess_exec(
        path, "-V", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await child.communicate()
    return read(path, said.decode(errors="replace"))


def find(name: str = "nginx") -> str:
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *PLACES)))
    if found is None:
        raise Unusable(f"{name} was not found: install the Debian package nginx (as root: apt install nginx).")
    return found


def read(path: str, said: str) -> Binary:
    """The answer of `nginx -V`, understood."""
    version = version_of(path, said)
    http2 = "--with-http_v2_module" in said
    can = Capabilities(
        version=version,
        http2=http2,
        ssl="--with-http_ssl_module" in said,
        grpc=http2 and "--without-http_grpc_module" not in said,
        ipv6=speaks_ipv6(),
    )
    return Binary(path=path, capabilities=can, modules=modules_of(said))


def version_of(path: str, said: str) -> Version:
    if (match := VERSION.search(said)) is None:
        raise Unusable(f"{path} -V does not answer like nginx: is it one?")
    version = (int(match[1]), int(match[2]), int(match[3]))
    if version < OLDEST:
        raise Unusable(f"{path} is nginx {dotted(version)}: {dotted(OLDEST)} is the oldest that works here.")
    return version


def modules_of(said: str) -> dict[str, str]:
    if (match := MODULES_PATH.search(said)) is None:
        return {}
    return {file.stem: str(file) for file in sorted(Path(match[1]).glob("*.so"))}


def speaks_ipv6() -> bool:
    """Every build does since 1.11.5, not every machine: a kernel without IPv6 makes `listen [::]` an error."""
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True


def dotted(version: Version) -> str:
    return ".".join(map(str, version))
