"""nginx dies, is asked to quit, or is stopped."""

import asyncio
import os
import signal
import socket

from headgate.model.outcome import Live, Unreachable
from headgate.model.server import Listener
from headgate.nginx.master import strays
from tests.nginx.room.world import SLOW, WHOLE, World, ingress, slow_request
from tests.support.waiting import until


async def test_a_death_is_told_and_the_next_apply_starts_nginx_again(world: World) -> None:
    nginx = world.nginx()
    files = world.files(world.sites("cafe"))
    await nginx.apply(files)
    for number in (signal.SIGKILL, signal.SIGTERM):
        pid = nginx.pid
        assert pid is not None
        os.kill(pid, number)
        sentence = await asyncio.wait_for(nginx.died(), 10)
        assert sentence.startswith(f"nginx (pid {pid}) ")
        assert nginx.pid is None
        assert await nginx.apply(files) == Live(1)
        assert nginx.pid != pid
        assert (await world.say("cafe")).body == b"cafe"


async def test_the_death_of_an_nginx_that_was_taken_over_is_told(world: World) -> None:
    await world.nginx().apply(world.files(world.sites("cafe")))
    nginx = world.nginx()
    await nginx.take_over()
    assert nginx.pid is not None
    os.kill(nginx.pid, signal.SIGKILL)
    await asyncio.wait_for(nginx.died(), 10)
    assert await nginx.apply(world.files(world.sites("tea"))) == Live(2)
    assert (await world.say("tea")).body == b"tea"


async def test_a_port_that_somebody_took_meanwhile_is_an_outcome_not_the_end(world: World) -> None:
    nginx = world.nginx(listeners=[Listener(port=world.port, address="127.0.0.1")])
    files = world.files(world.sites("cafe"))
    await nginx.apply(files)
    assert nginx.pid is not None
    os.kill(nginx.pid, signal.SIGTERM)
    await asyncio.wait_for(nginx.died(), 10)
    with socket.create_server(("127.0.0.1", world.port)):
        outcome = await nginx.apply(files)
    assert isinstance(outcome, Unreachable)
    assert f"127.0.0.1:{world.port} is in use" in outcome.message
    assert await nginx.apply(files) == Live(1)


async def test_workers_of_a_killed_master_finish_what_they_began(world: World) -> None:
    nginx = world.nginx()
    files = world.files({"cafe": world.site("cafe", SLOW)})
    await nginx.apply(files)
    reader, writer, first = await slow_request(world)
    assert nginx.pid is not None
    os.kill(nginx.pid, signal.SIGKILL)
    await asyncio.wait_for(nginx.died(), 10)
    assert await nginx.apply(files) == Live(1)
    assert (first + await reader.read()).endswith(WHOLE)
    writer.close()


async def test_quit_lets_a_response_finish(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files({"cafe": world.site("cafe", SLOW)}))
    reader, writer, first = await slow_request(world)
    quitting = asyncio.create_task(nginx.quit(20))
    assert (first + await reader.read()).endswith(WHOLE)
    writer.close()
    await quitting
    assert nginx.pid is None
    assert not strays(world.layout)


async def test_quit_insists_after_its_patience(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files({"cafe": world.site("cafe", SLOW)}))
    reader, writer, _ = await slow_request(world)
    await asyncio.wait_for(nginx.quit(0.1), 10)
    assert not strays(world.layout)
    assert not (await reader.read()).endswith(WHOLE)
    writer.close()


async def test_terminate_cuts_a_quit_short(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files({"cafe": world.site("cafe", SLOW)}))
    _, writer, _ = await slow_request(world)
    quitting = asyncio.create_task(nginx.quit(60))
    await asyncio.sleep(0)
    await nginx.terminate()
    await asyncio.wait_for(quitting, 10)
    assert not strays(world.layout)
    writer.close()


async def test_a_master_that_hears_nothing_is_killed_with_its_workers(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    assert nginx.pid is not None
    os.kill(nginx.pid, signal.SIGSTOP)
    await nginx.quit(0.1)
    assert nginx.pid is None
    assert not strays(world.layout)


async def test_an_end_that_we_asked_for_is_no_death(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    death = asyncio.create_task(nginx.died())
    await nginx.quit()
    assert not death.done()
    death.cancel()


async def test_nginx_that_dies_in_the_middle_of_a_reload_starts_again_with_the_new_files(world: World) -> None:
    nginx = world.nginx()
    await nginx.apply(world.files(world.sites("cafe")))
    pid = nginx.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(nginx.apply(world.files(world.sites("tea")), [ingress("tea")]))
    await asyncio.to_thread(until, lambda: "conf.d/default-tea.conf" in world.on_disk())
    os.kill(pid, signal.SIGKILL)
    await task
    await asyncio.wait_for(nginx.died(), 10)
    assert isinstance(await nginx.apply(world.files(world.sites("tea"))), Live)
    assert (await world.say("tea")).body == b"tea"
