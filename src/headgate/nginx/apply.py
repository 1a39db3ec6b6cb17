"""`FileSet` in, `Outcome` out: write a generation, signal, ask.

The story of `apply`: nothing differs, nothing happens. Otherwise the files that differ are written, the master is told
(or, where none runs, started after `nginx -t`), and then we ask until a worker of the new generation answers. Only an
emergency in nginx's own log undoes a generation; silence is an outcome too, nothing is undone, and the next call goes
on asking before it does anything else. So one reload costs one parse, and `parses` counts them.
"""

import asyncio
import signal
import time
from collections.abc import Sequence

from msgspec import Struct

from headgate.api import Ref
from headgate.errors import NotAnswering, Unusable
from headgate.model.fileset import FileSet
from headgate.model.layout import Layout
from headgate.model.outcome import Live, Outcome, Refused, Unreachable
from headgate.model.server import Listener
from headgate.nginx import master as masters
from headgate.nginx.blame import blame
from headgate.nginx.check import Check
from headgate.nginx.ground import ports_free, prepare
from headgate.nginx.inquiry import Inquiry
from headgate.nginx.master import Master
from headgate.nginx.pauses import pauses
from headgate.nginx.runfolder import RunFolder
from headgate.nginx.tree import VERSION_FILE, Tree
from headgate.nginx.verify import ask, number_in, version_file
from headgate.nginx.words import Complaint

ADOPTION = 5.0  # seconds in which a master that we found must answer
FAREWELL = 5.0  # seconds for each harsher word to a master that will not go


class Asked(Struct, frozen=True):
    """A generation that nginx was told to serve, and has not answered for yet."""

    generation: int
    fileset: FileSet
    suspects: tuple[Ref, ...]
    offset: int  # where the emergency log ended before
    starting: bool = False


class Nginx:
    """One nginx and the tree it reads. Calls of `apply` follow one another; `quit`, `terminate`, `died` may come any time."""

    def __init__(
        self, layout: Layout, *, binary: str = "nginx", listeners: Sequence[Listener] = (), timeout: float = 60.0
    ) -> None:
        self._layout = layout
        self._binary = binary
        self._listeners = tuple(listeners)  # probed before a start, for a better sentence than nginx has
        self._timeout = timeout
        self._run = RunFolder(layout)
        self._tree = Tree(layout.tree)
        self._check = Check(self._tree, binary=binary, timeout=timeout)
        self._master: Master | None = None
        self._asked: Asked | None = None
        self._elders: tuple[int, ...] = ()  # workers of the generation before
        self._sound: dict[str, str] = {}
        self._told = 0  # starts and reloads
        self._ready = False
        self._lived = False  # a generation was live in this run
        self._death = asyncio.Event()
        self._obituary = ""
        self.generation = 0  # the last that was live, by us or by the run before

    @property
    def parses(self) -> int:
        """How often nginx has parsed the whole tree: tests of all of it, starts and reloads."""
        return self._told + self._check.wholes

    @property
    def trials(self) -> int:
        """How often it has parsed a part, in search of a culprit."""
        return self._check.parts

    @property
    def pid(self) -> int | None:
        """The master's, while there is one."""
        return self._master.pid if self._master is not None and not self._master.gone else None

    async def take_over(self) -> int | None:
        """Make the folders, read the tree, adopt a running nginx: its generation, or None when nothing runs."""
        prepare(self._layout)
        await asyncio.to_thread(self._tree.load)
        self._ready = True
        self.generation = self._run.last_live()
        pid = masters.find(self._layout)
        if pid is None:
            return None
        self._master = Master(pid, self._on_exit)
        for pause in pauses(ADOPTION):
            if (generation := await ask(self._layout.version_socket)) is not None:
                self.generation = generation
                return generation
            if not self._run.has_socket():
                break
            await asyncio.sleep(pause)
        await self.quit(FAREWELL)  # it was on its way out, or never came up
        return None

    async def apply(self, fileset: FileSet, suspects: Sequence[Ref] = ()) -> Outcome:
        """Make nginx serve these files. `suspects`: whose present version nginx never accepted, most suspect first."""
        if not self._ready:
            await self.take_over()
        if (master := self._master) is None or master.gone:
            return await self._start(fileset, tuple(suspects))
        asked = self._asked
        earlier = await self._answer(master, asked) if asked is not None else None
        if isinstance(earlier, Refused) or (earlier is not None and master.gone):
            return earlier
        differences = self._tree.differences(fileset.files)
        if not differences and earlier is None and self._number_on_disk() == self.generation:
            return Live(self.generation, reloaded=False)
        if isinstance(earlier, Unreachable) and asked is not None and (asked.starting or not differences):
            self._nudge(master, asked)
            return earlier
        if isinstance(earlier, Live) and not differences:
            return earlier
        return await self._reload(master, fileset, tuple(suspects))

    async def check(self, fileset: FileSet, suspects: Sequence[Ref] = ()) -> Outcome:
        """Write these files and let nginx test them, but start and signal nothing."""
        if not self._ready:
            await self.take_over()
        try:
            generation = await self._write(fileset, afresh=False)
            complaint = await self._check.whole()
        except NotAnswering as why:
            return Unreachable(str(why))
        if complaint is not None:
            return await self._refuse(complaint, fileset, tuple(suspects))
        await asyncio.to_thread(self._tree.commit)
        return Live(generation, reloaded=False)

    async def settled(self, patience: float = 10.0) -> bool:
        """True once no worker of an older generation takes connections.

        `Live` means that a new worker answers; nginx lets the old ones accept for another tenth of a second.
        """
        for pause in pauses(patience):
            if self._master is None or not set(self._elders) & set(self._master.workers()):
                return True
            await asyncio.sleep(pause)
        return False

    async def died(self) -> str:
        """Completes when the master is gone without our asking, once for each death, with a sentence about it."""
        await self._death.wait()
        self._death.clear()
        return self._obituary

    async def quit(self, patience: float = 30.0) -> None:
        """Let requests in flight finish; after so many seconds insist."""
        await self._dismiss(signal.SIGQUIT, patience)

    async def terminate(self) -> None:
        """Stop now."""
        await self._dismiss(signal.SIGTERM, FAREWELL)

    # a start, a reload

    async def _start(self, fileset: FileSet, suspects: tuple[Ref, ...]) -> Outcome:
        self._master = None
        try:
            await self._clear_the_way()
            generation = await self._write(fileset, afresh=False)
            complaint = await self._check.whole()
        except NotAnswering as why:
            return Unreachable(str(why))
        if complaint is not None:
            refused = await self._refuse(complaint, fileset, suspects)
            if complaint.bind and not refused.blamed and not self._lived:
                raise Unusable(f"nginx could not listen on {complaint.bind}: {complaint.message}.")
            return refused
        self._elders = ()
        self._asked = asked = Asked(generation, fileset, suspects, self._run.log_size(), starting=True)
        self._death.clear()
        self._master = masters.start(self._binary, self._layout, self._on_exit)
        self._told += 1
        return await self._answer(self._master, asked)

    async def _reload(self, master: Master, fileset: FileSet, suspects: tuple[Ref, ...]) -> Outcome:
        try:
            generation = await self._write(fileset, afresh=True)
        except NotAnswering as why:
            return Unreachable(str(why))
        self._elders = tuple(master.workers())
        self._asked = asked = Asked(generation, fileset, suspects, self._run.log_size())
        self._nudge(master, asked)
        return await self._answer(master, asked)

    def _nudge(self, master: Master, asked: Asked) -> None:
        """HUP, unless nginx is still coming up: before it has read its configuration, HUP would end it."""
        if not asked.starting:
            master.signal(signal.SIGHUP)
            self._told += 1

    async def _write(self, fileset: FileSet, *, afresh: bool) -> int:
        """Write what differs, under a new number; a start over an equal tree writes nothing."""
        differences = self._tree.differences(fileset.files)
        on_disk = self._number_on_disk()
        if not differences and not afresh and on_disk is not None:
            return on_disk
        generation = max(self.generation, on_disk or 0) + 1
        version = version_file(self._layout, generation)
        try:
            await asyncio.to_thread(self._tree.write, fileset.files, differences, version)
        except OSError as why:
            await asyncio.to_thread(self._tree.undo)
            raise NotAnswering(f"the configuration could not be written: {why}") from why
        return generation

    async def _clear_the_way(self) -> None:
        """Nothing of ours runs: remove what a dead nginx left behind, workers included, and see that ports are free."""
        await masters.see_off(self._layout, signal.SIGQUIT, FAREWELL)
        self._run.clear()
        try:
            ports_free(self._listeners)
        except Unusable as why:
            if not self._lived:
                raise
            raise NotAnswering(str(why)) from why

    # what came of it

    async def _answer(self, master: Master, asked: Asked) -> Outcome:
        """Ask until the generation answers, nginx complains or ends, or the time is over."""
        for pause in pauses(self._timeout):
            if not asked.starting and (complaint := self._run.complaint(master.pid, asked.offset)) is not None:
                return await self._refuse(complaint, asked.fileset, asked.suspects)
            if await ask(self._layout.version_socket) == asked.generation:
                return await self._live(asked)
            if master.gone:
                return self._perished(master, asked)
            await asyncio.sleep(pause)
        return Unreachable(f"nginx did not answer with generation {asked.generation} within {self._timeout:g} s")

    async def _live(self, asked: Asked) -> Live:
        await asyncio.to_thread(self._tree.commit)
        self._asked, self._lived, self.generation = None, True, asked.generation
        self._sound.clear()
        self._run.mark_live(asked.generation)
        return Live(asked.generation)

    async def _refuse(self, complaint: Complaint, fileset: FileSet, suspects: tuple[Ref, ...]) -> Refused:
        """Find out whose fault it is while the refused files are there to be tried, then put the old ones back."""
        try:
            inquiry = await asyncio.to_thread(Inquiry, fileset, suspects, self._check)
            blamed = await blame(complaint, inquiry, self._sound)
        finally:
            self._asked = None
            await asyncio.to_thread(self._tree.undo)
        return Refused(blamed=blamed, message=complaint.message)

    def _perished(self, master: Master, asked: Asked) -> Unreachable:
        complaint = self._run.complaint(master.pid, asked.offset)
        words = f"{master.ending}: {complaint.message}" if complaint else master.ending
        if complaint is not None and complaint.bind and asked.starting and not self._lived:
            raise Unusable(f"nginx could not listen on {complaint.bind}: {complaint.message}.")
        return Unreachable(words)

    def _on_exit(self, master: Master) -> None:
        """A start that failed is told by its outcome; any other end that nobody asked for is a death."""
        starting = self._asked is not None and self._asked.starting
        if master is self._master and not master.dismissed and not starting:
            self._obituary = master.ending
            self._death.set()

    # the end

    async def _dismiss(self, word: signal.Signals, patience: float) -> None:
        """The word, then harsher ones. Nobody is left behind."""
        until = time.monotonic() + patience
        if (master := self._master) is not None:
            master.dismissed = True
            for number, seconds in ((word, patience), (signal.SIGTERM, FAREWELL), (signal.SIGKILL, FAREWELL)):
                if master.gone:
                    break
                master.signal(number)
                await master.wait(seconds)
        await masters.see_off(self._layout, word, max(0.0, until - time.monotonic()), entirely=True)
        self._run.clear()

    def _number_on_disk(self) -> int | None:
        return number_in(self._tree.text(VERSION_FILE))
