"""The harness itself: a real API server answers, knows its version, and RBAC decides."""

import msgspec
import pytest

from headgate.cluster.kube.client import Client
from headgate.errors import Forbidden, Unauthorized
from tests.cluster.binaries import version
from tests.cluster.hand import Hand, right


async def test_the_server_knows_its_version(hand: Hand) -> None:
    told = msgspec.json.decode(await hand.client.get("/version"))
    assert told["gitVersion"] == version("kubernetes")


async def test_a_service_account_may_do_what_it_was_given_and_nothing_else(hand: Hand) -> None:
    await hand.service_account()
    await hand.may(right("", "services"))
    async with Client(hand.access(await hand.token())) as client:
        assert b'"ServiceList"' in await client.get("/api/v1/services")
        with pytest.raises(Forbidden, match="secrets"):
            await client.get("/api/v1/secrets")


async def test_nobody_is_not_let_in(hand: Hand) -> None:
    async with Client(hand.access("no-token-of-ours")) as client:
        with pytest.raises(Unauthorized):
            await client.get("/api/v1/services")
