"""A reflector and a server that misbehaves in one way at a time: what is asked of the server, how often, and what is seen."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from headgate.api import Key
from headgate.cluster.kube.access import Access
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import SERVICE, Scope
from headgate.cluster.kube.pauses import Backoff, Pauses
from headgate.cluster.kube.reflector import Reflector, Seen
from headgate.errors import ApiUnavailable, Forbidden, Missing
from tests.support.manifests import service
from tests.support.scripted_api import CLOSE, CUT, HALF, ScriptedApi, scripted_api

QUICK = Pauses(first=0.01, longest=0.05, long_life=60.0, poll=0.05)
NEVER = Pauses(first=60.0, longest=60.0, long_life=60.0, poll=60.0)


class Glass:
    """A sink in which one sees what came and what went, in order."""

    def __init__(self) -> None:
        self.story: list[str] = []
        self.there: set[str] = set()

    async def take(self, fresh: Sequence[Seen]) -> None:
        self.story += [f"+{each.key[1]}" for each in fresh]
        self.there |= {each.key[1] for each in fresh}

    def lose(self, gone: Iterable[Key]) -> None:
        for _, name in gone:
            self.story.append(f"-{name}")
            self.there.discard(name)


class Scene:
    def __init__(self, api: ScriptedApi, reflector: Reflector, glass: Glass) -> None:
        self.api = api
        self.reflector = reflector
        self.glass = glass

    def put(self, *names: str, port: int = 80) -> None:
        for name in names:
            self.api.put("services", service(name, {"port": port}, namespace="shop"))

    def drop(self, name: str) -> None:
        self.api.drop("services", "shop", name)

    async def shows(self, *names: str) -> None:
        await until(lambda: self.glass.there == set(names), f"{names}, but there is {self.glass.there}")

    async def watched(self, times: int = 1) -> None:
        await until(lambda: len(self.watches()) >= times and self.api.watchers("services") >= 1, f"{times} watches")

    def watches(self) -> list[Any]:
        return [each.query for each in self.api.requests if each.query.get("watch")]

    def lists(self) -> list[Any]:
        return [each.query for each in self.api.requests if not each.query.get("watch")]


async def until(ask: Callable[[], object], what: str = "", *, deadline: float = 10.0) -> None:
    end = time.monotonic() + deadline
    while not ask():
        assert time.monotonic() < end, f"waited for {what}"
        await asyncio.sleep(0.002)


@asynccontextmanager
async def scene(pauses: Pauses = QUICK, *names: str, scope: Scope | None = None, **more: Any) -> AsyncIterator[Scene]:
    async with scripted_api() as (api, server), Client(Access(server=server)) as client:
        glass = Glass()
        made = Scene(api, Reflector(client, scope or Scope(SERVICE), glass, pauses=pauses, **more), glass)
        made.put(*names)
        api.flush("services")
        task = asyncio.create_task(made.reflector.run())
        yield made
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_the_first_list_comes_in_pages_and_the_watch_goes_on_from_it() -> None:
    async with scene(QUICK, "a", "b", "c", "d", "e") as played:
        await played.watched()
        assert [bool(each.get("continue")) for each in played.lists()] == [False, True, True]
        assert played.lists()[0] == {"limit": "500"}  # no version: consistent, not from a cache
        (asked,) = played.watches()
        assert asked["resourceVersion"] == str(played.api.revision)
        assert asked["allowWatchBookmarks"] == "true"
        assert 300 <= int(asked["timeoutSeconds"]) <= 600
        assert played.reflector.synced.is_set()
        played.put("f")
        played.drop("a")
        played.api.flush("services")
        await played.shows("b", "c", "d", "e", "f")
        assert len(played.lists()) == 3


async def test_selectors_are_asked_for_in_lists_and_watches() -> None:
    scope = Scope(SERVICE, "shop", labels="a=b", fields="metadata.name=x")
    async with scene(scope=scope) as played:
        await played.watched()
        for asked in (*played.lists(), *played.watches()):
            assert (asked["labelSelector"], asked["fieldSelector"]) == ("a=b", "metadata.name=x")
        assert {each.path for each in played.api.requests} == {"/api/v1/namespaces/shop/services"}


async def test_an_expired_continue_token_restarts_the_list() -> None:
    async with scripted_api() as (api, server), Client(Access(server=server)) as client:
        glass = Glass()
        played = Scene(api, Reflector(client, Scope(SERVICE), glass, pauses=QUICK), glass)
        played.put("a", "b", "c")
        api.fail("list", "services", "")
        api.fail("list", "services", "expired")
        task = asyncio.create_task(played.reflector.run())
        await played.watched()
        assert [bool(each.get("continue")) for each in played.lists()] == [False, True, False, True]
        assert played.glass.there == {"a", "b", "c"}
        task.cancel()


async def test_a_deletion_missed_while_away_is_told() -> None:
    async with scene(QUICK, "a", "b") as played:
        await played.watched()
        played.drop("a")
        played.api.end("services", CUT)
        played.api.compact()
        await played.shows("b")
        assert played.glass.story == ["+a", "+b", "-a"]


async def test_listing_again_tells_nothing_that_is_known() -> None:
    async with scene(QUICK, "a", "b") as played:
        await played.watched()
        played.put("a", port=81)
        played.api.end("services", CLOSE)
        played.api.compact()
        await played.watched(2)
        assert played.glass.story == ["+a", "+b", "+a"]


@pytest.mark.parametrize("how", ["410", "late 410"])
async def test_410_in_either_form_means_list_again(how: str) -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.put("b")
        played.api.compact()
        played.api.fail("watch", "services", how)
        played.api.end("services")
        await played.shows("a", "b")
        assert len(played.lists()) >= 2


@pytest.mark.parametrize("how", [CLOSE, CUT, HALF])
async def test_a_stream_that_ends_is_gone_on_with_and_not_listed_again(how: bytes) -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.put("b")
        played.api.end("services", how)
        await played.shows("a", "b")
        assert len(played.lists()) == 1
        assert played.reflector.counts.watches == 2


async def test_a_bookmark_moves_the_place_from_which_to_go_on() -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.api.revision += 500  # others were busy
        played.api.bookmark("services")
        played.api.compact()
        await until(lambda: played.reflector.counts.events)
        played.api.end("services")
        await played.watched(2)
        assert len(played.lists()) == 1


async def test_every_event_moves_it_too() -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.put("b")
        played.api.flush("services")
        await played.shows("a", "b")
        played.api.end("services")
        await played.watched(2)
        assert played.watches()[-1]["resourceVersion"] == str(played.api.revision)


@pytest.mark.parametrize(
    ("verb", "how"),
    [
        ("watch", "instant"),
        ("watch", "410"),
        ("watch", "500"),
        ("watch", "429"),
        ("list", "500"),
        ("list", "cut"),
        ("list", "410"),
    ],
)
async def test_a_server_that_is_unwell_is_not_stormed(verb: str, how: str) -> None:
    """With the pauses of the product: other clients ask such a server hundreds of times in this time."""
    async with scripted_api() as (api, server), Client(Access(server=server)) as client:
        for _ in range(1000):
            api.fail(verb, "services", how)
        reflector = Reflector(client, Scope(SERVICE), Glass())
        task = asyncio.create_task(reflector.run())
        await asyncio.sleep(2.0)
        task.cancel()
        assert 2 <= len(api.requests) <= 6


async def test_a_stream_that_lived_long_is_followed_at_once() -> None:
    async with scene(Pauses(first=60.0, longest=60.0, long_life=0.2)) as played:
        await played.watched()
        await asyncio.sleep(0.25)
        played.api.end("services", CUT)
        await played.watched(2)
        assert played.reflector.trouble is None


async def test_a_stream_that_died_young_is_waited_for() -> None:
    async with scene(NEVER) as played:
        await played.watched()
        played.api.end("services", CUT)
        await until(lambda: played.reflector.trouble)
        assert isinstance(played.reflector.trouble, ApiUnavailable)
        assert len(played.watches()) == 1


async def test_what_is_known_stays_while_it_is_forbidden_and_it_is_said_once() -> None:
    noticed: list[str] = []
    async with scene(QUICK, "a", noticed=lambda: noticed.append("!")) as played:
        await played.watched()
        for _ in range(5):
            played.api.fail("watch", "services", "403")
        played.api.end("services")
        await until(lambda: isinstance(played.reflector.trouble, Forbidden))
        await played.watched(7)
        assert played.reflector.trouble is None
        assert played.glass.story == ["+a"]
        assert len(noticed) == 2  # when it began, and when it ended


async def test_a_kind_that_is_not_installed_is_polled_slowly() -> None:
    async with scripted_api() as (api, server), Client(Access(server=server)) as client:
        for _ in range(3):
            api.fail("list", "services", "404")
        glass = Glass()
        pauses = Pauses(first=0.001, longest=0.001, poll=0.2)
        played = Scene(api, Reflector(client, Scope(SERVICE), glass, pauses=pauses), glass)
        began = time.monotonic()
        task = asyncio.create_task(played.reflector.run())
        await until(lambda: isinstance(played.reflector.trouble, Missing))
        assert not played.reflector.synced.is_set()
        await played.watched()
        assert time.monotonic() - began >= 0.6
        task.cancel()


async def test_the_server_says_for_how_long_to_leave_it_alone() -> None:
    async with scripted_api() as (api, server), Client(Access(server=server)) as client:
        api.fail("list", "services", "503")  # with Retry-After: 1
        glass = Glass()
        played = Scene(api, Reflector(client, Scope(SERVICE), glass, pauses=QUICK), glass)
        began = time.monotonic()
        task = asyncio.create_task(played.reflector.run())
        await played.watched()
        assert time.monotonic() - began >= 1.0
        task.cancel()


async def test_an_old_event_about_something_unknown_makes_us_list_again() -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.put("b")
        played.drop("b")
        played.put("c")
        played.api.flush("services")
        await played.shows("a", "c")
        played.api.repeat("services", 2)  # b was added, it says
        await until(lambda: len(played.lists()) == 2)
        await played.watched(2)
        assert played.glass.there == {"a", "c"}


async def test_an_old_event_about_something_known_is_passed_over() -> None:
    async with scene(QUICK, "a") as played:
        await played.watched()
        played.put("a", port=81)
        played.put("a", port=82)
        played.api.flush("services")
        played.api.repeat("services", 1)
        played.put("b")
        played.api.flush("services")
        await played.shows("a", "b")
        assert played.glass.story == ["+a", "+a", "+a", "+b"]
        assert len(played.lists()) == 1


async def test_versions_that_are_no_numbers_do_as_well() -> None:
    async with scene(QUICK) as played:
        played.api.prefix = "v"
        played.api.end("services", CUT)
        played.api.compact()
        played.put("a", "b")
        played.drop("a")
        played.api.flush("services")
        await played.shows("b")
        played.put("b", port=81)
        played.api.flush("services", "twice")
        await until(lambda: played.glass.story.count("+b") == 2)
        played.drop("b")
        played.put("c")
        played.api.end("services", HALF)
        await played.shows("c")


async def test_leaving_loses_everything() -> None:
    async with scene(QUICK, "a", "b") as played:
        await played.watched()
        played.reflector.leave()
        assert played.glass.there == set()


def test_pauses_grow_with_some_chance_and_begin_again_after_a_long_life() -> None:
    backoff = Backoff(Pauses(first=1.0, longest=4.0, long_life=60.0))
    for least in (1, 2, 4, 4):
        backoff.begin()
        assert least <= backoff.pause() <= 2 * least
    backoff.reset()
    backoff.begin()
    assert backoff.pause() <= 2
    long = Backoff(Pauses(first=1.0, longest=4.0, long_life=0.0))
    long.begin()
    assert long.pause() == 0
