"""A corner of the disk with an nginx over it: file sets written by hand in, outcomes and answers out.

pytest's own folders are private to the user, and as root nginx's workers are somebody else: so a folder of our own,
which anybody may enter. At the end everything that has the emergency log open must be gone.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.api import Ref
from headgate.model.fileset import Block, File, FileSet, file_of
from headgate.model.layout import Layout
from headgate.model.outcome import Outcome, Refused
from headgate.nginx import Nginx, worker_user
from headgate.nginx.master import strays
from tests.support import client

WHOLE = b"x" * 300
SLOW = f"    location /slow {{ limit_rate 100; return 200 {WHOLE.decode()}; }}\n"  # about three seconds
CONFIG_MAP = Ref("ConfigMap", "nginx", "config")


def ingress(name: str) -> Ref:
    return Ref("Ingress", "default", name)


def new_layout() -> Layout:
    home = Path(tempfile.mkdtemp(prefix="hg-")).resolve()
    home.chmod(0o755)
    access_log = f"{home}/log/access.log"
    return Layout(f"{home}/nginx", f"{home}/run", access_log, temp=f"{home}/tmp", user=worker_user())


class World:
    def __init__(self, layout: Layout, *, port: int) -> None:
        self.layout = layout
        self.port = port
        self.home = Path(layout.tree).parent
        self._made: list[Nginx] = []

    def nginx(self, *, timeout: float = 30.0, **more: Any) -> Nginx:
        made = Nginx(self.layout, timeout=timeout, **more)
        self._made.append(made)
        return made

    async def close(self) -> None:
        for nginx in self._made:
            await nginx.terminate()
        assert not strays(self.layout)
        shutil.rmtree(self.home)

    def main(self, *snippets: str, source: Ref | None = None) -> File:
        """nginx.conf; snippets stand at the http level and belong to the source."""
        layout = self.layout
        user = f"user {layout.user};" if layout.user else ""
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temp = "\n".join(f"    {kind}_temp_path {layout.temp}/{kind};" for kind in kinds)
        head = f"""\
daemon off;
{user}
worker_processes 2;
pid {layout.pid_file};
error_log stderr warn;
error_log {layout.emergency_log} emerg;
events {{ worker_connections 512; }}
http {{
    access_log {layout.access_log};
    server_names_hash_bucket_size 128;
    server_names_hash_max_size 16384;
{temp}
    include config-version.conf;
    include conf.d/*.conf;
"""
        said = [Block(source, f"    {snippet}\n") for snippet in snippets]
        return file_of(Block(None, head), *said, Block(None, "}\n"))

    def site(
        self, name: str, body: str = "", *, outside: str = "", guests: Iterable[Block] = (), ssl: bool = False
    ) -> File:
        """One server named after the object; lines of guests stand inside it."""
        listen = f"    listen 127.0.0.1:{self.port}{' ssl' if ssl else ''};\n"
        head = Block(ingress(name), f"{outside}server {{\n{listen}    server_name {name}.test;\n")
        tail = Block(ingress(name), f'{body}    location /say {{ return 200 "{name}"; }}\n}}\n')
        return file_of(head, *guests, tail, source=ingress(name))

    def files(
        self, sites: Mapping[str, File], *, main: File | None = None, beside: Mapping[str, File] | None = None
    ) -> FileSet:
        """Sites by the names of their objects; other files by their paths."""
        files = {"nginx.conf": main or self.main()}
        files |= {f"conf.d/default-{name}.conf": file for name, file in sites.items()}
        return FileSet(files | dict(beside or {}))

    def sites(self, *names: str, says: str = "") -> dict[str, File]:
        return {name: self.site(name, says) for name in names}

    async def say(self, name: str, target: str = "/say") -> client.Answer:
        return await asyncio.to_thread(client.ask, self.port, target, host=f"{name}.test")

    def secret(self, name: str) -> str:
        """Where the pair of that name is, as a configuration says it."""
        return f"{self.layout.tree}/secrets/default-{name}"

    def tls(self, name: str, certificate: str = "") -> File:
        """A site with a pair of its own, or with that of somebody else."""
        path = self.secret(certificate or name)
        return self.site(name, f"    ssl_certificate {path};\n    ssl_certificate_key {path};\n", ssl=True)

    def on_disk(self) -> dict[str, tuple[str, int, int]]:
        """Every file that nginx could read: text, inode, mode."""
        tree = Path(self.layout.tree)
        found = {}
        for file in sorted(tree.rglob("*")):
            path = str(file.relative_to(tree))
            if file.is_file() and not path.startswith("."):
                state = file.stat()
                found[path] = (file.read_text(), state.st_ino, state.st_mode & 0o777)
        return found


async def applied(
    nginx: Nginx, fileset: FileSet, suspects: Sequence[Ref], *, accepted: Mapping[str, File] | None = None
) -> tuple[Outcome, dict[Ref, str]]:
    """What the controller's loop does: hold whoever is blamed, at the accepted file or none, and apply again."""
    files, left = dict(fileset.files), list(suspects)
    blamed: dict[Ref, str] = {}
    while True:
        outcome = await nginx.apply(FileSet(files), left)
        if not isinstance(outcome, Refused) or not outcome.blamed:
            return outcome, blamed
        for blame in outcome.blamed:
            assert blame.ref not in blamed, f"{blame.ref} was blamed twice"
            blamed[blame.ref] = blame.message
            left.remove(blame.ref)
            for path in [path for path, file in files.items() if file.source == blame.ref]:
                del files[path]
                files |= {path: file for path, file in (accepted or {}).items() if file.source == blame.ref}


async def slow_request(world: World) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
    """A response that has begun."""
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    writer.write(b"GET /slow HTTP/1.0\r\nHost: cafe.test\r\n\r\n")
    return reader, writer, await reader.read(1)
