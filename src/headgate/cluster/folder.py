"""Look at folders: paths in, `Sight` out: every manifest file with its signature, and what could not be looked at.

Symbolic links are followed, to files and to folders, and each file and folder is seen once, under its own name or the
link that comes first: so a loop ends, and a ConfigMap mount (`cafe.yaml -> ..data/cafe.yaml`, `..data -> ..2026_11_16`)
is read once, since names with a leading dot are not looked at. Nothing is opened here.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from msgspec import Struct, field

SUFFIXES = (".yaml", ".yml", ".json")


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
    linked: dict[str, Signature] = {}  # files that may have another name too
    seen: set[tuple[int, int]] = set()  # folders
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
                _walk(root, sight, linked, seen)
            else:
                linked[root] = _signature(found)
    _add_linked(sight, linked)
    return sight


def under(path: str, folder: str) -> bool:
    """Is this the folder itself, or something in it? Both are spelled as `look` spells them."""
    if folder == ".":
        return not path.startswith(("/", "../"))
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _walk(root: str, sight: Sight, linked: dict[str, Signature], seen: set[tuple[int, int]]) -> None:
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            found = Path(folder).stat()
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                waiting.extend(_folders(folder, sight, linked))
        except FileNotFoundError:
            pass  # gone since its name was read: the next look will tell
        except OSError as why:
            sight.unreadable[folder] = why.strerror or str(why)


def _folders(folder: str, sight: Sight, linked: dict[str, Signature]) -> list[str]:
    """Note the files of one folder; its folders, last name first. Most of what a look costs is spent in this loop."""
    folders = []
    within = "" if folder == "." else f"{folder.rstrip('/')}/"
    with os.scandir(folder) as entries:
        for entry in entries:
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
                if S_ISREG(found.st_mode):  # a pipe or a socket would keep its reader waiting for ever
                    files = linked if found.st_nlink > 1 or entry.is_symlink() else sight.files
                    files[within + name] = _signature(found)
    return sorted(folders, reverse=True)


def _add_linked(sight: Sight, linked: dict[str, Signature]) -> None:
    """A file under several names is one file."""
    if not linked:
        return
    seen = {(one.device, one.inode) for one in sight.files.values()}
    for path in sorted(linked):
        identity = (linked[path].device, linked[path].inode)
        if identity not in seen:
            seen.add(identity)
            sight.files[path] = linked[path]


def _note_unreadable(entry: "os.DirEntry[str]", why: OSError, sight: Sight, path: str) -> None:
    if not isinstance(why, FileNotFoundError):
        sight.unreadable[path] = why.strerror or str(why)
    elif entry.is_symlink():
        sight.unreadable[path] = "the link leads nowhere"


def _signature(found: os.stat_result) -> Signature:
    if not S_ISREG(found.st_mode):  # a pipe that was named can be read once, and is never new again
        return Signature(0, 0, 0, found.st_ino, found.st_dev)
    return Signature(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)
