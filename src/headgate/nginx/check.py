"""`nginx -t`, on the whole tree or on a part of it: a `Complaint` out, or None when nginx is content.

A part is a trial folder beside the real files: nginx.conf, and links to the files that are on trial. nginx resolves
relative includes by the folder of the file it was given, so the same nginx.conf then reads only those; secrets have
absolute paths and are there as always. A port that a running nginx holds does not disturb a test.
"""

import asyncio
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress

from headgate.errors import NotAnswering
from headgate.nginx.tree import MAIN_FILE, TRIAL, VERSION_FILE, Tree
from headgate.nginx.words import Complaint, complaint_in


class Check:
    def __init__(self, tree: Tree, *, binary: str, timeout: float) -> None:
        self._tree = tree
        self._binary = binary
        self._timeout = timeout
        self.wholes = 0  # how often all of the tree was parsed
        self.parts = 0

    async def whole(self) -> Complaint | None:
        self.wholes += 1
        return await self._test(f"{self._tree.root}/{MAIN_FILE}")

    async def part(self, paths: Iterable[str], *, instead: Mapping[str, str] | None = None) -> Complaint | None:
        """Test the main file with only these files included, some with another text."""
        self.parts += 1
        await asyncio.to_thread(self._lay_out, tuple(paths), instead or {})
        try:
            return await self._test(f"{self._tree.root}/{TRIAL}/{MAIN_FILE}")
        except NotAnswering as why:
            return Complaint(str(why))  # whatever hangs the parse of so little is wrong
        finally:
            await asyncio.to_thread(shutil.rmtree, self._tree.root / TRIAL, ignore_errors=True)

    def _lay_out(self, paths: tuple[str, ...], instead: Mapping[str, str]) -> None:
        trial = self._tree.root / TRIAL
        shutil.rmtree(trial, ignore_errors=True)
        trial.mkdir(mode=0o700)
        for folder in {path.rpartition("/")[0] for path in paths}:
            (trial / folder).mkdir(parents=True, exist_ok=True)
        for path in (MAIN_FILE, VERSION_FILE, *paths):
            if path in instead:
                (trial / path).write_text(instead[path], errors="surrogateescape")
            else:
                (trial / path).symlink_to(self._tree.root / path)

    async def _test(self, configuration: str) -> Complaint | None:
        try:
            child = await asyncio.create_subprocess_exec(
                *(self._binary, "-t", "-q", "-c", configuration, "-p", str(self._tree.root), "-e", "stderr"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as why:  # an upgrade of the package takes the binary away for a moment
            raise NotAnswering(f"{self._binary} cannot be started: {why.strerror}") from why
        try:
            async with asyncio.timeout(self._timeout):
                _, said = await child.communicate()
        except TimeoutError:
            raise NotAnswering(f"nginx -t did not finish within {self._timeout:g} s") from None
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        if child.returncode == 0:
            return None
        text = said.decode(errors="replace")
        return complaint_in(text, pid=child.pid, root=str(self._tree.root)) or Complaint(text.strip()[-1000:])
