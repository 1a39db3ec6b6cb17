"""The configuration tree on disk: a `FileSet` in, the few files that differ written, and a way back out.

Every file is replaced by rename, never written through, and what it replaced is kept as a hard link in `.undo` until
`commit`; so a generation costs what changed, and `undo` puts back the very same files. The version file is written
first and put back last: whoever is killed halfway leaves a tree whose number is not the number that nginx serves, and
the next start sees that. Texts that were not rebuilt are the same string, so comparing them costs nothing.

Everything here blocks: `apply` calls it in a thread.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from headgate.errors import Bug
from headgate.model.fileset import File

MAIN_FILE = "nginx.conf"
VERSION_FILE = "config-version.conf"
SECRETS = "secrets"
FOLDERS = ("conf.d", SECRETS)  # ours alone; beside them only files that a FileSet named are touched
UNDO = ".undo"
TRIAL = ".trial"
NEW = ".new"
FOREIGN = "\0"  # the text of what is no plain file of ours: equal to no text that can be wanted


class Differences(Struct, frozen=True):
    """Paths to write and paths to delete before the tree says what is wanted."""

    write: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.write or self.delete)


class Former(Struct, frozen=True):
    """What stood at a path before; no kept file means that there was nothing."""

    text: str | None
    kept: str | None


class Tree:
    def __init__(self, root: str) -> None:
        self.root = Path(root)
        self._new = self.root / NEW
        self._texts: dict[str, str] = {}  # what is on disk
        self._former: dict[str, Former] = {}  # what was, since the last commit

    def load(self) -> None:
        """Read what is on disk, and clear away what a killed run left half done."""
        shutil.rmtree(self.root / TRIAL, ignore_errors=True)
        shutil.rmtree(self.root / UNDO, ignore_errors=True)
        self._new.unlink(missing_ok=True)
        for folder in FOLDERS:
            (self.root / folder).mkdir(exist_ok=True)
        (self.root / SECRETS).chmod(0o700)
        (self.root / UNDO).mkdir(mode=0o700)
        self._former = {}
        self._texts = dict(self._read_all())

    def _read_all(self) -> Iterable[tuple[str, str]]:
        for name in (MAIN_FILE, VERSION_FILE):
            if os.path.lexists(self.root / name):
                yield name, read(self.root / name)
        for folder in FOLDERS:
            with os.scandir(self.root / folder) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        yield f"{folder}/{entry.name}", read(Path(entry.path), secret=folder == SECRETS)

    def text(self, path: str) -> str | None:
        """What stands at the path on disk now."""
        return self._texts.get(path)

    def differences(self, files: Mapping[str, File]) -> Differences:
        """What must be done to make the tree equal to the files; the version file is not compared."""
        texts = self._texts
        write = [path for path, file in files.items() if texts.get(path) is not file.text]
        if write:
            write = [path for path in write if not self._equal(path, files[path].text)]
        delete = () if len(texts) <= len(files) and texts.keys() <= files.keys() else texts.keys() - files.keys()
        return Differences(tuple(write), tuple(sorted(set(delete) - {VERSION_FILE})))

    def _equal(self, path: str, text: str) -> bool:
        if self._texts.get(path) != text:
            return False
        self._texts[path] = text  # next time it is the same string, and our copy of it is free
        return True

    def write(self, files: Mapping[str, File], differences: Differences, version: File) -> None:
        self._put(VERSION_FILE, version)
        for path in differences.write:
            self._put(path, files[path])
        for path in differences.delete:
            self._remove(path)

    def undo(self) -> None:
        """Put back what stood here at the last commit, newest change first."""
        for path, former in reversed(self._former.items()):
            target = self.root / path
            if former.kept is None:
                target.unlink(missing_ok=True)
            else:
                (self.root / UNDO / former.kept).replace(target)
            if former.text is None:
                self._texts.pop(path, None)
            else:
                self._texts[path] = former.text
        self._former = {}

    def commit(self) -> None:
        """The tree stands: forget the way back."""
        for former in self._former.values():
            if former.kept is not None:
                (self.root / UNDO / former.kept).unlink()
        self._former = {}

    def _put(self, path: str, file: File) -> None:
        if path.startswith("/") or ".." in path.split("/"):
            raise Bug(f"{path!r} leads out of the tree")
        spill(self._new, file)
        self._keep(path)
        target = f"{self.root}/{path}"
        try:
            self._new.replace(target)
        except FileNotFoundError:
            Path(target).parent.mkdir(parents=True)
            self._new.replace(target)
        self._texts[path] = file.text

    def _keep(self, path: str) -> None:
        """Remember what stands at the path, unless an older thing is remembered already."""
        if path in self._former:
            return
        kept = str(len(self._former))
        try:
            os.link(f"{self.root}/{path}", f"{self.root}/{UNDO}/{kept}", follow_symlinks=False)
        except FileNotFoundError:
            self._former[path] = Former(text=None, kept=None)
        else:
            self._former[path] = Former(text=self._texts.get(path), kept=kept)

    def _remove(self, path: str) -> None:
        self._keep(path)
        (self.root / path).unlink(missing_ok=True)
        self._texts.pop(path, None)


def read(file: Path, *, secret: bool = False) -> str:
    """The text of a plain file; a secret that others may read counts as foreign, so that it is written again."""
    try:
        mode = file.lstat().st_mode
        if not stat.S_ISREG(mode) or (secret and mode & 0o077):
            return FOREIGN
        return file.read_bytes().decode(errors="surrogateescape")
    except OSError:
        return FOREIGN


def spill(file: Path, content: File) -> None:
    """Write a file that is not there yet; its mode is right from the start (a chmod doubles the cost of a small file)."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600 if content.secret else 0o644)
    except FileExistsError:  # a write that failed left it
        file.unlink()
        descriptor = os.open(file, flags, 0o600 if content.secret else 0o644)
    try:
        rest = memoryview(content.text.encode(errors="surrogateescape"))
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)
