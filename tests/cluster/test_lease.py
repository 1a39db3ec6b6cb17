"""Leader election on a real API server: one leader at a time, takeover in time, renewal on time."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.lease import Leader, Times
from tests.cluster.following import eventually
from tests.cluster.hand import Hand, right
from tests.cluster.relay import relay
from tests.support.manifests import Manifest

NAME = "nginx-ingress-leader-election"
# The proportions of the product, but an order of magnitude quicker.
QUICK = Times(duration=3.0, deadline=1.5, retry=0.5)
LEASE: Manifest = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NAME}}


@asynccontextmanager
async def candidate(access: Access, hand: Hand, identity: str, times: Times = QUICK) -> AsyncIterator[Leader]:
    """Stands for election until the block ends, and then goes without a word."""
    async with Client(access, timeout=5) as client:
        leader = Leader(client, hand.namespace, NAME, identity=identity, times=times)
        task = asyncio.create_task(leader.run())
        try:
            yield leader
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def test_one_of_two_leads_and_the_lease_says_so(hand: Hand) -> None:
    async with candidate(hand.plane.admin, hand, "one") as one, candidate(hand.plane.admin, hand, "two") as two:
        await eventually(lambda: one.leading or two.leading)
        first = one if one.leading else two
        before = (await hand.get(LEASE))["spec"]
        await eventually(lambda: one.holder == two.holder != "")
        for _ in range(20):
            assert [one.leading, two.leading].count(True) == 1
            await asyncio.sleep(0.05)
        spec = (await hand.get(LEASE))["spec"]
        assert spec["holderIdentity"] == ("one" if first is one else "two")
        assert (spec["leaseTransitions"], spec["leaseDurationSeconds"]) == (1, 3)
        assert spec["renewTime"] > before["renewTime"]
        assert spec["acquireTime"] == before["acquireTime"]


async def test_a_leader_that_is_gone_is_followed_within_the_lease(hand: Hand) -> None:
    async with AsyncExitStack() as stack:
        async with candidate(hand.plane.admin, hand, "one") as one:
            await eventually(lambda: one.leading)
            two = await stack.enter_async_context(candidate(hand.plane.admin, hand, "two"))
            await eventually(lambda: two.holder == "one")
        died = time.monotonic()
        await eventually(lambda: two.leading)
        assert not one.leading
        assert time.monotonic() - died < QUICK.duration + QUICK.retry
        assert (await hand.get(LEASE))["spec"]["leaseTransitions"] == 2


async def test_a_leader_that_cannot_renew_stops_before_another_may_begin(hand: Hand) -> None:
    told: list[str] = []
    async with relay(hand.plane.server) as wire, AsyncExitStack() as stack:
        one = await stack.enter_async_context(candidate(wire.through(hand.plane.admin), hand, "one"))
        await eventually(lambda: one.leading)
        two = await stack.enter_async_context(candidate(hand.plane.admin, hand, "two"))
        await eventually(lambda: two.holder == "one")
        wire.cut()
        while not two.leading:
            assert not (one.leading and two.leading)
            told.append("leads" if one.leading else "stopped")
            await asyncio.sleep(0.01)
        assert "leads" in told
        assert told[-20:] == ["stopped"] * 20  # long before
        wire.mend()
        await eventually(lambda: one.holder == "two")
        assert not one.leading


async def test_who_lost_stands_again(hand: Hand) -> None:
    async with relay(hand.plane.server) as wire, candidate(wire.through(hand.plane.admin), hand, "one") as one:
        await eventually(lambda: one.leading)
        wire.cut()
        await eventually(lambda: not one.leading)
        wire.mend()
        await eventually(lambda: one.leading)


async def test_a_released_lease_is_taken_at_the_next_look(hand: Hand) -> None:
    slow = Times(duration=60.0, deadline=30.0, retry=0.5)
    async with AsyncExitStack() as stack:
        async with candidate(hand.plane.admin, hand, "one", slow) as one:
            await eventually(lambda: one.leading)
            two = await stack.enter_async_context(candidate(hand.plane.admin, hand, "two", slow))
            await eventually(lambda: two.holder == "one")
        async with Client(hand.plane.admin) as client:
            again = Leader(client, hand.namespace, NAME, identity="one", times=slow)
            task = asyncio.create_task(again.run())
            await eventually(lambda: again.leading)
            task.cancel()
            await again.release()
        assert not again.leading
        await eventually(lambda: two.leading, deadline=5)


async def test_what_others_wrote_into_the_lease_stays(hand: Hand) -> None:
    await hand.create({**LEASE, "metadata": {"name": NAME, "labels": {"kept": "yes"}}, "spec": {"strategy": None}})
    async with candidate(hand.plane.admin, hand, "one") as one:
        await eventually(lambda: one.leading)
        assert (await hand.get(LEASE))["metadata"]["labels"] == {"kept": "yes"}


async def test_a_lease_taken_by_force_ends_leading_at_the_next_look(hand: Hand) -> None:
    slow = Times(duration=60.0, deadline=30.0, retry=0.3)
    async with candidate(hand.plane.admin, hand, "one", slow) as one:
        await eventually(lambda: one.leading)
        await hand.patch(LEASE, {"spec": {"holderIdentity": "somebody-else"}})
        await eventually(lambda: not one.leading, deadline=5)


async def test_the_rights_of_nic_are_enough(hand: Hand, caplog: pytest.LogCaptureFixture) -> None:
    await hand.service_account()
    await hand.may(right("coordination.k8s.io", "leases", "create,get,update"))
    async with candidate(hand.access(await hand.token()), hand, "one") as one:
        await eventually(lambda: one.leading)


async def test_a_missing_right_is_said_once(hand: Hand, caplog: pytest.LogCaptureFixture) -> None:
    await hand.service_account()
    fast = Times(duration=1.0, deadline=0.5, retry=0.05)
    async with candidate(hand.access(await hand.token()), hand, "one", fast) as one:
        await eventually(lambda: "cannot be had" in caplog.text)
        await asyncio.sleep(0.3)
        assert caplog.text.count("cannot be had") == 1
        assert not one.leading


async def test_the_lease_is_renewed_on_time_while_a_thread_burns(hand: Hand) -> None:
    times = Times(duration=6.0, deadline=3.0, retry=0.5)
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            sum(range(10_000))

    async with candidate(hand.plane.admin, hand, "one", times) as one:
        await eventually(lambda: one.leading)
        threads = [threading.Thread(target=burn) for _ in range(2)]
        try:
            for thread in threads:
                thread.start()
            end = time.monotonic() + 5
            while time.monotonic() < end:
                assert one.leading
                await asyncio.sleep(0.05)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert one.latest < 1.0
