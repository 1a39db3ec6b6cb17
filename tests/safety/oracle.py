"""A real nginx as the judge of texts: a folder of its own in, `nginx -t`'s words or answers over a socket out."""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from headgate.model.fileset import FileSet
from headgate.model.layout import Layout
from headgate.model.settings import Settings
from headgate.model.translation import Translation
from headgate.render import render
from tests.support import client, ports
from tests.support.waiting import until

# What nginx quotes may hold line ends, so a message goes on until the next one begins.
_SAID = re.compile(
    rb"\[(?P<level>emerg|warn)\] \d+#\d+: (?P<words>.*?)(?: in /\S+:\d+)?\n(?=\d{4}/\d\d/\d\d |nginx: )", re.DOTALL
)


@contextmanager
def folder() -> Iterator[Path]:
    """Anybody may enter it: as root, nginx's workers are somebody else."""
    with tempfile.TemporaryDirectory(prefix="hg-") as made:
        Path(made).chmod(0o755)
        yield Path(made).resolve()


def said(home: Path, text: bytes, *, level: str) -> list[bytes]:
    """What `nginx -t` says at this level about a file with this text, without the place."""
    file = home / "nginx.conf"
    file.write_bytes(text)
    return checked(file, "-g", f"pid {home}/pid;", level=level)


def checked(file: Path, *more: str, level: str = "emerg") -> list[bytes]:
    """What `nginx -t` says at this level. A status that is no exit code means that nginx crashed."""
    command = ["nginx", "-t", "-e", "stderr", "-p", str(file.parent), "-c", str(file), *more]
    answer = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert answer.returncode in (0, 1), f"nginx ended with {answer.returncode}: {answer.stderr[-500:]!r}"
    return [found["words"] for found in _SAID.finditer(answer.stderr) if found["level"] == level.encode()]


def refusals(translation: Translation, said: Settings, home: Path) -> list[bytes]:
    """Why `nginx -t` refuses the rendering of it; empty when it does not."""
    layout = Layout(tree=f"{home}/nginx", run=f"{home}/run", temp=f"{home}/tmp", access_log=f"{home}/access.log")
    can = msgspec.structs.replace(said.capabilities, version=(1, 22, 1))
    _write(render(translation.model, can, layout).files, home)
    return checked(home / "nginx" / "nginx.conf")[:1]


def _write(files: FileSet, home: Path) -> None:
    for folder in ("run", "tmp", "nginx/conf.d", "nginx/secrets"):
        (home / folder).mkdir(parents=True)
    (home / "nginx" / "config-version.conf").write_text("")
    for path, file in files.files.items():
        (home / "nginx" / path).write_text(file.text)


def served(home: Path, values: Mapping[str, bytes]) -> dict[str, bytes]:
    """Give nginx each value as it is spelled, and ask it over a socket what it read.

    The value of a `geo` is the one thing that nginx both takes as it stands, without variables, and can say.
    """
    port = ports.claim()
    geos = b"".join(b"geo $geo_%s { default %s; }\n" % (name.encode(), raw) for name, raw in values.items())
    places = b"".join(b"location = /%s { return 200 $geo_%s; }\n" % (name.encode(), name.encode()) for name in values)
    head = f"daemon off; master_process off; pid {home}/pid; events {{}} http {{ access_log off; variables_hash_max_size 8192;\n"
    temp = "".join(f"{kind}_temp_path {home}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    server = f"server {{ listen 127.0.0.1:{port};\n"
    (home / "nginx.conf").write_bytes(head.encode() + temp.encode() + geos + server.encode() + places + b"}}\n")
    running = subprocess.Popen(["nginx", "-e", "stderr", "-p", str(home), "-c", str(home / "nginx.conf")])
    try:
        until(lambda: client.ask(port).status, what="an answer of nginx")
        return {name: client.ask(port, f"/{name}").body for name in values}
    finally:
        running.terminate()
        running.wait()
        ports.release(port)
