"""Write a generation, signal, ask: what comes of an apply."""

import asyncio
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from headgate.errors import Unusable
from headgate.model.fileset import Block, FileSet, file_of
from headgate.model.outcome import Blame, Live, Outcome, Refused, Unreachable
from headgate.model.server import Listener
from headgate.nginx import Nginx
from tests.nginx.room.world import CONFIG_MAP, World, ingress
from tests.support import client
from tests.support.certificates import pair


async def test_the_first_apply_starts_nginx(world: World) -> None:
    nginx = world.nginx()
    assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1)
    assert (await world.say("cafe")).body == b"cafe"
    assert nginx.parses == 2  # nginx -t, then the start


async def test_a_change_is_one_reload_and_one_parse(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe", "bar")))
    pid, parses = nginx.pid, nginx.parses
    assert await nginx.apply(world.files(world.sites("cafe", "tea"))) == Live(2)
    assert await nginx.settled()
    assert (await world.say("tea")).body == b"tea"
    assert (nginx.pid, nginx.parses) == (pid, parses + 1)
    assert set(world.on_disk()) == {
        "nginx.conf",
        "config-version.conf",
        "conf.d/default-cafe.conf",
        "conf.d/default-tea.conf",
    }


async def test_equal_files_are_no_reload(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    before, parses = world.on_disk(), nginx.parses
    assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1, reloaded=False)
    assert (world.on_disk(), nginx.parses) == (before, parses)


async def test_only_the_file_that_changed_is_replaced(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe", "tea")))
    before = world.on_disk()
    await nginx.apply(world.files({**world.sites("cafe"), "tea": world.site("tea", "    server_tokens off;\n")}))
    after = world.on_disk()
    assert {path for path in after if after[path] != before[path]} == {
        "config-version.conf",
        "conf.d/default-tea.conf",
    }


async def test_a_refused_change_leaves_everything_as_it_was(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe", "tea")))
    before, parses = world.on_disk(), nginx.parses
    bad = {"cafe": world.site("cafe", "    bogus on;\n"), "new": world.site("new")}
    outcome = await nginx.apply(world.files(bad), [ingress("cafe"), ingress("new")])
    message = 'unknown directive "bogus" in conf.d/default-cafe.conf:4'
    assert outcome == Refused((Blame(ingress("cafe"), message),), message)
    assert nginx.parses == parses + 1
    assert world.on_disk() == before
    assert (await world.say("tea")).body == b"tea"
    assert await nginx.apply(world.files(world.sites("cafe", "tea"))) == Live(1, reloaded=False)


async def test_a_refused_first_start_leaves_nothing_and_starts_nothing(world: World) -> None:
    nginx = world.nginx()
    outcome = await nginx.apply(world.files({"cafe": world.site("cafe", "    bogus on;\n")}), [ingress("cafe")])
    assert isinstance(outcome, Refused)
    assert [blame.ref for blame in outcome.blamed] == [ingress("cafe")]
    assert (world.on_disk(), nginx.pid, nginx.parses) == ({}, None, 1)
    assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1)


async def test_a_pair_is_served_and_kept_for_our_eyes(world: World) -> None:
    made = pair("cafe.test")
    key = file_of(Block(None, made.crt + made.pem_key), secret=True)
    nginx = world.nginx()
    files = world.files({"cafe": world.tls("cafe")}, beside={"secrets/default-cafe": key})
    assert await nginx.apply(files) == Live(1)
    assert world.on_disk()["secrets/default-cafe"][2] == 0o600
    answer = await asyncio.to_thread(client.ask, world.port, "/say", host="cafe.test", tls=True)
    assert answer.body == b"cafe"


async def hasty(world: World) -> tuple[Nginx, int]:
    """An nginx that runs, in the hands of somebody with little patience, and its master stopped in its tracks."""
    await world.nginx().apply(world.files(world.sites("cafe")))
    nginx = world.nginx(timeout=0.3)
    assert await nginx.take_over() == 1
    assert nginx.pid is not None
    os.kill(nginx.pid, signal.SIGSTOP)
    return nginx, nginx.pid


async def again_and_again(nginx: Nginx, fileset: FileSet) -> Outcome:
    """Apply until nginx says something."""
    async with asyncio.timeout(20):
        while isinstance(outcome := await nginx.apply(fileset), Unreachable):
            pass
    return outcome


async def test_silence_is_an_outcome_and_undoes_nothing(world: World) -> None:
    nginx, pid = await hasty(world)
    wanted = world.files(world.sites("cafe", "tea"))
    outcome = await nginx.apply(wanted)
    assert isinstance(outcome, Unreachable)
    assert "generation 2" in outcome.message
    assert "conf.d/default-tea.conf" in world.on_disk()
    assert await nginx.apply(wanted) == outcome
    os.kill(pid, signal.SIGCONT)
    assert await again_and_again(nginx, wanted) == Live(2)
    assert await nginx.apply(wanted) == Live(2, reloaded=False)


async def test_a_refusal_that_comes_late_undoes_to_what_was_live(world: World) -> None:
    nginx, pid = await hasty(world)
    before = world.on_disk()
    good, bad = world.sites("cafe"), {**world.sites("cafe"), "tea": world.site("tea", "    bogus on;\n")}
    assert isinstance(await nginx.apply(world.files(bad), [ingress("tea")]), Unreachable)
    os.kill(pid, signal.SIGCONT)
    outcome = await again_and_again(nginx, world.files(bad))
    assert isinstance(outcome, Refused)
    assert [blame.ref for blame in outcome.blamed] == [ingress("tea")]
    assert world.on_disk() == before
    assert await nginx.apply(world.files(good)) == Live(1, reloaded=False)


async def test_newer_files_follow_a_generation_that_never_answered(world: World) -> None:
    nginx, pid = await hasty(world)
    await nginx.apply(world.files(world.sites("cafe", "tea")))
    wanted = world.files(world.sites("cafe", "milk"))
    await nginx.apply(wanted)
    os.kill(pid, signal.SIGCONT)
    assert await again_and_again(nginx, wanted) == Live(3)
    assert await nginx.settled()
    assert (await world.say("milk")).body == b"milk"


async def test_a_port_in_use_is_a_sentence_at_the_first_start(world: World) -> None:
    listener = Listener(port=world.port, address="127.0.0.1")
    with socket.create_server(("127.0.0.1", world.port)):
        with pytest.raises(Unusable, match=rf"127\.0\.0\.1:{world.port} is in use"):
            await world.nginx(listeners=[listener]).apply(world.files(world.sites("cafe")))
        with pytest.raises(Unusable, match=rf"could not listen on 127\.0\.0\.1:{world.port}"):
            await world.nginx().apply(world.files(world.sites("cafe")))
    assert await world.nginx(listeners=[listener]).apply(world.files(world.sites("cafe"))) == Live(1)


async def test_a_port_that_a_tenant_took_from_somebody_else_is_the_tenants_fault(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        bad = world.files({**world.sites("cafe", "b"), "tea": world.site("tea", f"    listen 127.0.0.1:{taken};\n")})
        outcome = await nginx.apply(bad, [CONFIG_MAP, ingress("b"), ingress("tea")])
    assert isinstance(outcome, Refused)
    assert [blame.ref for blame in outcome.blamed] == [ingress("tea")]
    assert re.match(rf"bind\(\) to 127\.0\.0\.1:{taken} failed \(98", outcome.message)


async def test_a_disk_that_takes_nothing_is_an_outcome_and_the_tree_stays_whole(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    before = world.on_disk()
    files = world.files(world.sites("cafe", "tea"))
    below_a_file = {"conf.d/default-cafe.conf/x": file_of(Block(None, "x\n"))}
    outcome = await nginx.apply(world.files(world.sites("cafe", "tea"), beside=below_a_file))
    assert isinstance(outcome, Unreachable)
    assert "could not be written" in outcome.message
    assert world.on_disk() == before
    assert await nginx.apply(files) == Live(2)


async def test_a_test_run_that_never_ends_is_an_outcome(world: World) -> None:
    pipe = world.home / "pipe"
    os.mkfifo(pipe)  # whoever opens it waits for somebody who writes
    nginx = world.nginx(timeout=1)
    outcome = await nginx.apply(world.files({"cafe": world.site("cafe", f"    include {pipe};\n")}), [ingress("cafe")])
    assert outcome == Unreachable("nginx -t did not finish within 1 s")
    assert nginx.pid is None


async def test_a_binary_that_is_gone_is_an_outcome(world: World) -> None:
    outcome = await world.nginx(binary="/nowhere/nginx").apply(world.files(world.sites("cafe")))
    assert outcome == Unreachable("/nowhere/nginx cannot be started: No such file or directory")


async def test_files_can_be_checked_without_being_served(world: World) -> None:
    nginx = world.nginx()
    assert await nginx.check(world.files(world.sites("cafe"))) == Live(1, reloaded=False)
    before = world.on_disk()
    outcome = await nginx.check(world.files({"cafe": world.site("cafe", "    bogus;\n")}), [ingress("cafe")])
    assert isinstance(outcome, Refused)
    assert (nginx.pid, world.on_disk()) == (None, before)
    assert await nginx.apply(world.files(world.sites("cafe"))) == Live(1)


async def test_the_marker_says_which_generation_was_live(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    await nginx.apply(world.files(world.sites("tea")))
    marker = Path(world.layout.run) / "live"
    assert await asyncio.to_thread(marker.read_text) == "2\n"
