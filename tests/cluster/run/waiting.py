"""Wait for what the cluster shows: a question that is asked over the wire, again and again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
DEADLINE = 60.0


async def shown(ask: Callable[[], Awaitable[T]], what: str = "", *, deadline: float = DEADLINE) -> T:
    """The first true answer."""
    end = asyncio.get_running_loop().time() + deadline
    while not (answer := await ask()):
        if asyncio.get_running_loop().time() > end:
            raise AssertionError(f"{what or 'what we waited for'} was not shown in {deadline:.0f} s: {answer!r}")
        await asyncio.sleep(0.05)
    return answer
