"""How long to pause between two tries of something that will come true: short at first, until the time is over."""

import time
from collections.abc import Iterator

FIRST, LONGEST = 0.005, 0.025


def pauses(timeout: float) -> Iterator[float]:
    """How long to pause between tries, until the time is over; at least one try."""
    end, pause = time.monotonic() + timeout, FIRST
    yield pause
    while time.monotonic() < end:
        yield pause
        pause = min(pause * 1.2, LONGEST)
