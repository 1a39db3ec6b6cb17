"""From the start of a process to a configuration on disk: `headgate serve FOLDER --once`, as a user starts it.

The clock starts before the process does and stops at the change time of the last file written. `nginx -t`, which follows, is
measured elsewhere: the process is ended when its nginx appears. The bar for memory is for the main process; the peak of all
processes at one moment, those that parse YAML included, is reported beside it. Every application has a file of its own,
but for the last two rows, where all are in one.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from msgspec import Struct

from bench.folders import Format, write_folder, write_single
from bench.measure import Seen, end_group, watch
from bench.table import Measure, Unit

COUNTS = (1_000, 5_000, 10_000)
ROUNDS = 3
_SECONDS = {(Format.JSON, 10_000): 4.0, (Format.YAML, 10_000): 10.0}
_MEGABYTES = {(Format.JSON, 10_000): 300.0}


class Start(Struct, frozen=True):
    seconds: float
    seen: Seen


def measure(ground: Path) -> list[Measure]:
    _start(write_folder(ground / "first", 10, Format.JSON), ground / "state-first")  # compiles the bytecode
    measures = []
    for written_as in Format:
        for count in COUNTS:
            folder = write_folder(ground / f"{written_as.value}-{count}", count, written_as)
            measures += _measures(folder, ground, count, written_as)
    for written_as in Format:
        folder = write_single(ground / f"{written_as.value}-single", COUNTS[-1], written_as)
        seconds = _start(folder, ground / f"state-{written_as.value}-single").seconds
        note = f"one file of {COUNTS[-1]:,} × 3 objects, once"
        measures.append(Measure(f"start → on disk, {written_as.name}, a single file", seconds, Unit.SECONDS, note=note))
    return measures


def _measures(folder: Path, ground: Path, count: int, written_as: Format) -> list[Measure]:
    starts = [_start(folder, ground / f"state-{written_as.value}-{count}-{turn}") for turn in range(ROUNDS)]
    name = f"start → on disk, {written_as.name}, {count:,}"
    seconds = median(start.seconds for start in starts)
    cpu = median(start.seen.cpu_seconds for start in starts)
    resident = max(start.seen.own_peak for start in starts)
    whole = max(start.seen.tree_peak for start in starts)
    case = (written_as, count)
    return [
        Measure(name, seconds, Unit.SECONDS, _SECONDS.get(case), f"median of {ROUNDS}; CPU {cpu:.2f} s"),
        Measure(
            f"{name}: resident", resident, Unit.MEGABYTES, _MEGABYTES.get(case), f"peak; all processes {whole:.0f} MB"
        ),
    ]


def _start(folder: Path, state: Path) -> Start:
    serve = [sys.executable, "-m", "headgate", "serve", str(folder), "--once"]
    command = [*serve, "--state-dir", str(state), "--log-level", "error"]
    began = time.time_ns()
    child = subprocess.Popen(command, env=_installed(state.parent), start_new_session=True)
    try:
        seen = watch(child, until=_is_test)
    finally:
        end_group(child)
    last = max(path.stat().st_mtime_ns for path in (state / "nginx").rglob("*.conf"))
    return Start((last - began) / 1e9, seen)


def _installed(ground: Path) -> dict[str, str]:
    """Our environment, with bytecode kept from start to start as an installation has it, whatever we were told ourselves."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(ground / "bytecode")}


def _is_test(words: list[str]) -> bool:
    return bool(words) and words[0].endswith("nginx") and "-t" in words
