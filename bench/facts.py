"""What machine is this? Numbers without it mean nothing."""

import os
import platform
import subprocess
from pathlib import Path

from headgate.nginx.capabilities import find


def facts(folder: Path) -> dict[str, str]:
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the start",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GB",
        "kernel": f"{platform.system()} {platform.release()}",
        "files on": _file_system(folder),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "nginx": _nginx(),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _file_system(folder: Path) -> str:
    """The mount with the longest path that leads to the folder."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    there = [(place, kind) for place, kind in mounts if folder.resolve().is_relative_to(place)]
    place, kind = max(there, key=lambda mount: len(mount[0]))
    return f"{kind} ({place})"


def _nginx() -> str:
    said = subprocess.run([find(), "-v"], capture_output=True, text=True, check=True).stderr
    return said.strip().removeprefix("nginx version: ")
