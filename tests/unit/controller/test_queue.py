"""A queue of names, drained whole. Time is measured, never waited for: a batch comes by itself or the test times out."""

import asyncio
import time

from headgate.api import Ref
from headgate.controller.queue import WorkQueue

TEA, COFFEE = Ref("Ingress", "default", "tea"), Ref("Ingress", "default", "coffee")


async def test_equal_names_coalesce() -> None:
    queue = WorkQueue(quiet=0, ceiling=0)
    queue.put([TEA])
    queue.put([TEA, COFFEE])
    assert queue.depth == 2
    assert (await queue.get()).names == {TEA, COFFEE}
    assert queue.depth == 0


async def test_a_pass_may_be_wanted_without_names() -> None:
    queue = WorkQueue(quiet=0, ceiling=0)
    queue.put()
    assert (await queue.get()).names == frozenset()


async def test_an_empty_queue_waits() -> None:
    queue = WorkQueue(quiet=0, ceiling=0)
    waiting = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    assert not waiting.done()
    queue.put([TEA])
    assert (await waiting).names == {TEA}


async def test_a_drained_queue_waits_again() -> None:
    queue = WorkQueue(quiet=0, ceiling=0)
    queue.put([TEA])
    await queue.get()
    waiting = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


async def test_it_takes_what_comes_during_the_quiet() -> None:
    queue = WorkQueue(quiet=0.05, ceiling=10)
    queue.put([TEA])
    asyncio.get_running_loop().call_later(0.01, queue.put, [COFFEE])
    began = time.monotonic()
    assert (await queue.get()).names == {TEA, COFFEE}
    assert time.monotonic() - began >= 0.05


async def test_every_name_starts_the_quiet_again() -> None:
    queue = WorkQueue(quiet=0.05, ceiling=10)
    queue.put([TEA])
    asyncio.get_running_loop().call_later(0.04, queue.put, [COFFEE])
    began = time.monotonic()
    await queue.get()
    assert time.monotonic() - began >= 0.08


async def test_a_burst_that_never_ends_waits_no_longer_than_the_ceiling() -> None:
    queue = WorkQueue(quiet=10, ceiling=0.1)
    stop = asyncio.Event()

    async def burst() -> None:
        while not stop.is_set():
            queue.put([TEA])
            await asyncio.sleep(0.005)

    bursting = asyncio.create_task(burst())
    began = time.monotonic()
    await asyncio.sleep(0)
    assert (await queue.get()).names == {TEA}
    assert 0.1 <= time.monotonic() - began < 5
    stop.set()
    await bursting


async def test_a_batch_knows_since_when() -> None:
    queue = WorkQueue(quiet=0, ceiling=0)
    queue.put([TEA], since=20.0)
    queue.put([COFFEE], since=10.0)
    queue.put([TEA])
    assert (await queue.get()).since == 10.0


async def test_the_age_of_a_name_counts_towards_the_ceiling() -> None:
    """A name that waited elsewhere already does not wait the whole ceiling again."""
    queue = WorkQueue(quiet=10, ceiling=10)
    queue.put([TEA], since=time.monotonic() - 20)
    began = time.monotonic()
    await queue.get()
    assert time.monotonic() - began < 5
