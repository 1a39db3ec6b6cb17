"""What /proc knows about running programs. One that ends while we look is left out."""

from pathlib import Path


def parents() -> dict[int, int]:
    """Every pid and its parent's."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    return found


def title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def working_in(folder: Path) -> dict[int, str]:
    """Pid and title of everything that has this folder as its working directory."""
    return {pid: title(pid) for pid in parents() if _works_in(pid) == str(folder)}


def _works_in(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""
