"""Wait for effects, never for time: ask again until the answer is yes, and give up loudly at a generous deadline."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

DEADLINE = 20.0


def until(ask: Callable[[], T], *, what: str = "", deadline: float = DEADLINE, pause: float = 0.01) -> T:
    """The first true answer of `ask`. A question that fails to connect counts as no."""
    end = time.monotonic() + deadline
    last: object = None
    while time.monotonic() < end:
        try:
            if answer := ask():
                return answer
            last = answer
        except OSError as why:
            last = why
        time.sleep(pause)
    raise AssertionError(
        f"{what or 'what we waited for'} did not happen in {deadline:.0f} s; the last answer was {last!r}"
    )
