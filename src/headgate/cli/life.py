"""The life of the process, the same for `serve` and `run`: signals in, an orderly end out.

SIGTERM and SIGINT say stop: no new pass begins, the one under way ends. A second SIGINT says now.
"""

import asyncio
import signal
from collections.abc import Coroutine, Iterable
from typing import Any

from headgate.controller.loop import Loop
from headgate.errors import Unusable
from headgate.nginx import Nginx
from headgate.observability.log import tell


class Signals:
    """Two words from outside."""

    def __init__(self) -> None:
        self.stop, self.now = asyncio.Event(), asyncio.Event()
        running = asyncio.get_running_loop()
        running.add_signal_handler(signal.SIGTERM, self.stop.set)
        running.add_signal_handler(signal.SIGINT, self._interrupted)

    def _interrupted(self) -> None:
        (self.now if self.stop.is_set() else self.stop).set()


async def live(loop: Loop, signals: Signals, beside: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Pass after pass, with everything that goes on beside, until told to stop. One that dies takes all down, loudly."""
    try:
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(each) for each in beside]
            group.create_task(_ended(loop, signals, group.create_task(loop.run()), others))
    except BaseExceptionGroup as several:
        # Not `except*`: what is raised inside it comes out as a group again, and so as a traceback.
        if (sentence := _unusable_in(several)) is not None:
            raise sentence from None
        raise


def _unusable_in(group: BaseExceptionGroup[BaseException]) -> Unusable | None:
    for each in group.exceptions:
        if isinstance(each, Unusable):
            return each
        if isinstance(each, BaseExceptionGroup) and (found := _unusable_in(each)) is not None:
            return found
    return None


async def _ended(loop: Loop, signals: Signals, passes: asyncio.Task[None], others: list[asyncio.Task[None]]) -> None:
    await signals.stop.wait()
    loop.stop()
    for task in others:
        task.cancel()
    await passes


async def farewell(nginx: Nginx, signals: Signals, patience: float) -> None:
    """Requests in flight may end; a second Ctrl-C, or the end of our patience, ends them."""
    if nginx.pid is not None:
        tell("stopping: nginx finishes the requests that it has", patience_s=patience)
    quitting = asyncio.create_task(nginx.quit(patience))
    hurried = asyncio.create_task(signals.now.wait())
    await asyncio.wait([quitting, hurried], return_when=asyncio.FIRST_COMPLETED)
    hurried.cancel()
    if not quitting.done():
        quitting.cancel()
        await asyncio.wait([quitting])
        await nginx.terminate()
    tell("stopped")
