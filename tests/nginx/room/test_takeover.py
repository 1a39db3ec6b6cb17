"""A Headgate that comes back finds a tree, a number and perhaps a running nginx."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from headgate.model.outcome import Live, Refused
from headgate.nginx.tree import Tree
from headgate.nginx.verify import version_file
from tests.nginx.room.world import SLOW, WHOLE, World, ingress, slow_request
from tests.support import client
from tests.support.gate import environment
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]


class Hammer:
    """A client that never stops asking, each time on a new connection."""

    def __init__(self, world: World, name: str) -> None:
        self.answers: list[object] = []
        self._world, self._name = world, name
        self._enough = threading.Event()

    def strike(self) -> None:
        while not self._enough.is_set():
            try:
                self.answers.append(client.ask(self._world.port, "/say", host=f"{self._name}.test").status)
            except OSError as why:
                self.answers.append(why)

    @contextmanager
    def hammering(self) -> Iterator[None]:
        thread = threading.Thread(target=self.strike)
        thread.start()
        try:
            yield
        finally:
            seen = len(self.answers)
            until(lambda: len(self.answers) > seen + 5)
            self._enough.set()
            thread.join()


async def test_a_running_nginx_is_taken_over_without_a_lost_request(world: World) -> None:
    forgotten = world.nginx()
    await forgotten.apply(world.files(world.sites("cafe")))
    hammer = Hammer(world, "cafe")
    with hammer.hammering():
        nginx = world.nginx()
        assert await nginx.take_over() == 1
        assert nginx.pid == forgotten.pid
        assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1, reloaded=False)
        assert nginx.parses == 0
        assert await nginx.apply(world.files(world.sites("cafe", "tea"))) == Live(2)
    assert set(hammer.answers) == {200}
    assert len(hammer.answers) > 20


SCRIPT = """
import asyncio, os, signal, sys
import msgspec
from headgate.model.layout import Layout
from headgate.nginx import Nginx
from tests.nginx.room.world import World

async def main():
    world = World(msgspec.json.decode(sys.argv[1], type=Layout), port=int(sys.argv[2]))
    print(await Nginx(world.layout).apply(world.files(world.sites("cafe"))), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def serve_and_be_killed(world: World, script: str = SCRIPT) -> int:
    layout = msgspec.json.encode(world.layout).decode()
    log = world.home / "killed.log"
    with log.open("wb") as output:
        command = [sys.executable, "-c", script, layout, str(world.port)]
        path = {"PYTHONPATH": f"{ROOT}{os.pathsep}{environment()['PYTHONPATH']}"}
        code = subprocess.run(command, stdout=output, stderr=output, env={**environment(), **path}, cwd=ROOT).returncode
    assert "Live(generation=1" in log.read_text(), log.read_text()
    return code


async def test_nginx_outlives_a_headgate_that_is_killed_and_is_taken_over(world: World) -> None:
    assert await asyncio.to_thread(serve_and_be_killed, world) == -signal.SIGKILL
    hammer = Hammer(world, "cafe")
    with hammer.hammering():
        nginx = world.nginx()
        assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1, reloaded=False)
        assert await nginx.apply(world.files(world.sites("cafe", "tea"))) == Live(2)
    assert set(hammer.answers) == {200}
    assert nginx.pid is not None
    assert os.getsid(nginx.pid) == nginx.pid  # a session of its own: Ctrl-C does not reach it


async def test_files_that_were_written_but_never_signalled_are_not_live(world: World) -> None:
    """Killed between the writing and the signal: the number on disk is not the one that nginx serves."""
    await world.nginx().apply(world.files(world.sites("cafe")))
    wanted = world.files(world.sites("cafe", "tea"))
    tree = Tree(world.layout.tree)
    tree.load()
    tree.write(wanted.files, tree.differences(wanted.files), version_file(world.layout, 2))
    nginx = world.nginx()
    assert await nginx.apply(wanted) == Live(3)
    assert await nginx.settled()
    assert (await world.say("tea")).body == b"tea"
    assert await nginx.apply(wanted) == Live(3, reloaded=False)


def leave(world: World, **files: str) -> None:
    """What an earlier nginx may have left in the run folder; dots are written `_`."""
    run = Path(world.layout.run)
    run.mkdir()
    for name, text in files.items():
        (run / name.replace("_", ".")).write_text(text)


async def test_a_stale_pid_and_stale_sockets_are_no_obstacle(world: World) -> None:
    leave(world, nginx_pid=f"{os.getpid()}\n")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(world.layout.version_socket)
    assert await world.nginx().apply(world.files(world.sites("cafe"))) == Live(1)


async def test_the_empty_pid_file_of_a_test_run_is_no_obstacle(world: World) -> None:
    leave(world, nginx_pid="")
    assert await world.nginx().apply(world.files(world.sites("cafe"))) == Live(1)


async def test_a_start_over_an_equal_tree_writes_nothing_and_keeps_the_number(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    await nginx.apply(world.files(world.sites("cafe", "tea")))
    await nginx.quit()
    before = world.on_disk()
    again = world.nginx()
    assert await again.apply(world.files(world.sites("cafe", "tea"))) == Live(2)
    assert world.on_disk() == before


async def test_stale_files_are_gone_after_a_restart(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe", "tea")))
    await nginx.quit()
    assert await world.nginx().apply(world.files(world.sites("cafe"))) == Live(2)
    assert "conf.d/default-tea.conf" not in world.on_disk()


async def test_a_refusal_after_a_takeover_is_noticed_and_undone(world: World) -> None:
    await world.nginx().apply(world.files(world.sites("cafe")))
    before = world.on_disk()
    nginx = world.nginx()
    outcome = await nginx.apply(world.files({"cafe": world.site("cafe", "    bogus;\n")}), [ingress("cafe")])
    assert isinstance(outcome, Refused)
    assert world.on_disk() == before


async def test_a_master_on_its_way_out_finishes_its_work_and_is_replaced(world: World) -> None:
    first = world.nginx()
    await first.apply(world.files({"cafe": world.site("cafe", SLOW)}))
    pid = first.pid
    assert pid is not None
    reader, writer, begun = await slow_request(world)
    os.kill(pid, signal.SIGQUIT)
    await asyncio.to_thread(until, lambda: not Path(world.layout.version_socket).exists())
    nginx = world.nginx()
    assert await nginx.apply(world.files(world.sites("cafe"))) == Live(2)
    assert nginx.pid != pid
    assert (begun + await reader.read()).endswith(WHOLE)
    writer.close()


AS_NOBODY = SCRIPT.replace(
    "asyncio.run(main())",
    """
import concurrent.futures.thread  # nothing can be imported from a private folder later
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
asyncio.run(main())
""",
)


async def test_an_ordinary_user_needs_no_more_than_the_folder(world: World) -> None:
    if os.geteuid() == 0:
        os.chown(world.home, 65534, 65534)
    layout = msgspec.structs.replace(world.layout, user=None)
    ordinary = World(layout, port=world.port)
    script = AS_NOBODY if os.geteuid() == 0 else SCRIPT
    assert await asyncio.to_thread(serve_and_be_killed, ordinary, script) == -signal.SIGKILL
    assert (await world.say("cafe")).body == b"cafe"
    assert await world.nginx().take_over() == 1
