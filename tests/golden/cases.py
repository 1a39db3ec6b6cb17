"""A golden case is a folder: `in.yaml` as a user writes it, `out.conf` and `findings.txt` as the user command answers.

`flags.txt` holds more flags of the command, one argument on a line; the last of equal flags counts. `run` is the user
command itself, so a bug report *is* a test case. It runs inside the folder: findings that name a file say `in.yaml`.
"""

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headgate.cli import main

HERE = Path(__file__).parent
FIXED = ("--nginx", "1.22.1", "--resolver", "192.0.2.53")


@dataclass(frozen=True)
class Answer:
    """What the command said: the configuration, the findings, and whether one of them is an error."""

    out: str
    findings: str
    code: int


@dataclass(frozen=True)
class Case:
    name: str  # topic/case

    @property
    def folder(self) -> Path:
        return HERE / self.name

    @property
    def manifest(self) -> str:
        return (self.folder / "in.yaml").read_text()

    @property
    def out(self) -> Path:
        return self.folder / "out.conf"

    @property
    def findings(self) -> Path:
        return self.folder / "findings.txt"

    @property
    def flags(self) -> list[str]:
        file = self.folder / "flags.txt"
        return file.read_text().splitlines() if file.exists() else []

    def run(self) -> Answer:
        return self.run_file("in.yaml")

    def run_file(self, name: str) -> Answer:
        """The case's flags with another file of manifests, seen from the folder of the case."""
        out, findings = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(findings), _inside(self.folder):
            code = main(["render", *FIXED, *self.flags, name])
        return Answer(out.getvalue(), findings.getvalue(), code)


def all_cases() -> list[Case]:
    return [Case(file.parent.relative_to(HERE).as_posix()) for file in sorted(HERE.glob("*/*/in.yaml"))]


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
