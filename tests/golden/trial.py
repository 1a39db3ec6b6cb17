"""Give a printed configuration to the real `nginx -t`: the text of an `out.conf` in, nginx's complaints out.

The pages become files in a folder of their own. Only what cannot be had is replaced: the state folder by that folder,
the secrets that are not shown by a pair that nobody trusts, an IPv6 listener by another loopback address, and a port
that only root may open by a high one. A case for a newer nginx loses the few directives that this one does not know.
"""

import re
import subprocess
from functools import cache
from pathlib import Path

from tests.support.certificates import pair

STATE = "/var/lib/headgate/state"
_PAGE = re.compile(r"^#### ((?:nginx|conf\.d/[^/\n]+)\.conf|secrets/[^/\n]+)\n", re.MULTILINE)
_LISTEN = re.compile(r"^(\s*listen )(\S+):(\d+)", re.MULTILINE)
_NEWER = re.compile(r"^ *(?:http2 on|keepalive_min_timeout \S+);\n", re.MULTILINE)
_GOOD = re.compile(r"nginx: (?:the configuration file \S+ syntax is ok|configuration file \S+ test is successful)")


def pages(text: str) -> dict[str, str]:
    """Path → text, as `headgate render` printed them."""
    head, *rest = _PAGE.split(text)
    assert not head, f"this stands before the first page: {head[:80]!r}"
    return {path: body.removesuffix("\n") for path, body in zip(rest[::2], rest[1::2], strict=True)}


def complaints(out: str, folder: Path) -> list[str]:
    """What nginx has to say about it beyond that it is fine, warnings included."""
    tree = folder / "nginx"
    for path, text in pages(out).items():
        _write(tree / path, _pem() if path.startswith("secrets/") else _possible(text, folder))
    _write(tree / "config-version.conf", "")
    command = ["nginx", "-t", "-e", "stderr", "-p", str(tree), "-c", str(tree / "nginx.conf")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in answer.stderr.splitlines() if not _GOOD.fullmatch(line)]
    return said or ([] if answer.returncode == 0 else [f"nginx -t exited with {answer.returncode}"])


def _possible(text: str, folder: Path) -> str:
    text = text.replace(STATE, str(folder))
    for place in re.findall(rf"{re.escape(str(folder))}/[^\s;\"]+", text):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
    return _NEWER.sub("", _LISTEN.sub(_reachable, text))


def _reachable(listen: re.Match[str]) -> str:
    word, address, port = listen.groups()
    high = int(port) if int(port) > 1023 else int(port) + 20000
    return f"{word}{'127.0.0.2' if address.startswith('[') else address}:{high}"


@cache
def _pem() -> str:
    made = pair("golden.example.com")
    return made.crt + made.pem_key


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
