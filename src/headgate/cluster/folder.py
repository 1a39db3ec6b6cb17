"""Look at folders: paths in, `Sight` out: every manifest file with its signature, and what could not be looked at.

Symbolic links are followed, to files and to folders, and each file and folder is seen once, under the name that comes
first: so a loop ends, and a ConfigMap mount (`cafe.yaml -> ..data/cafe.yaml`, `..data -> ..2026_11_16`) is read once,
since names with a leading dot are not looked at. Nothing is opened here.
"""

import os
import time
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from msgspec import Struct, field

SUFFIXES = (".yaml", ".yml", ".json")
_NAME = attrgetter("name")


class Signature(NamedTuple):
    """Two that are equal are the same content. The change time tells of `chmod`, and of editors that reset the other."""

    modified: int
    changed: int
    size: int
    inode: int
    device: int


class Sight(Struct, frozen=True):
    """What is there at one moment."""

    looked: int = field(default_factory=time.time_ns)
    files: dict[str, Signature] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)  # roots that are not there
    unreadable: dict[str, str] = field(default_factory=dict)  # folders and links, and why
    devices: dict[str, int] = field(default_factory=dict)  # of roots that are folders: where they are mounted


def look(roots: Sequence[str]) -> Sight:
    sight = Sight()
    seen: set[tuple[int, int]] = set()
    for root in roots:
        try:
            found = Path(root).stat()
        except FileNotFoundError:
            sight.missing.add(root)
        except OSError as why:
            sight.unreadable[root] = why.strerror or str(why)
        else:
            if S_ISDIR(found.st_mode):
                sight.devices[root] = found.st_dev
                _walk(root, sight, seen)
            elif _is_new(found, seen):
                # A pipe that was named on the command line can be read once, and is never new again.
                read_once = Signature(0, 0, 0, found.st_ino, found.st_dev)
                sight.files[root] = _signature(found) if S_ISREG(found.st_mode) else read_once
    return sight


def under(path: str, folder: str) -> bool:
    """Is this the folder itself, or something in it? Both are spelled as `look` spells them."""
    if folder == ".":
        return not path.startswith(("/", "../"))
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _walk(root: str, sight: Sight, seen: set[tuple[int, int]]) -> None:
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            if _is_new(Path(folder).stat(), seen):
                waiting.extend(_folders(folder, sight, seen))
        except FileNotFoundError:
            pass  # gone since its name was read: the next look will tell
        except OSError as why:
            sight.unreadable[folder] = why.strerror or str(why)


def _folders(folder: str, sight: Sight, seen: set[tuple[int, int]]) -> list[str]:
    """Note the files of one folder; its folders, last name first. Most of what a look costs is spent in this loop."""
    folders = []
    within = "" if folder == "." else f"{folder.rstrip('/')}/"
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=_NAME):
            name = entry.name
            if name[0] == ".":
                continue
            if entry.is_dir():
                folders.append(within + name)
            elif name.endswith(SUFFIXES):
                try:
                    found = entry.stat()
                except OSError as why:
                    _note_unreadable(entry, why, sight, within + name)
                    continue
                # A pipe or a socket would keep its reader waiting for ever.
                if S_ISREG(found.st_mode) and _is_new(found, seen):
                    sight.files[within + name] = _signature(found)
    return folders[::-1]


def _note_unreadable(entry: "os.DirEntry[str]", why: OSError, sight: Sight, path: str) -> None:
    if not isinstance(why, FileNotFoundError):
        sight.unreadable[path] = why.strerror or str(why)
    elif entry.is_symlink():
        sight.unreadable[path] = "the link leads nowhere"


def _is_new(found: os.stat_result, seen: set[tuple[int, int]]) -> bool:
    identity = (found.st_dev, found.st_ino)
    if identity in seen and found.st_ino:  # some network file systems number nothing
        return False
    seen.add(identity)
    return True


def _signature(found: os.stat_result) -> Signature:
    return Signature(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)
