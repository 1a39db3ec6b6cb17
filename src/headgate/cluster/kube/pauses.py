"""How long to leave the API server alone: `Pauses` says the times, a `Backoff` counts through them.

The times of every other client of Kubernetes: 0.8 s at first, twice as long each time, 30 s at most, and up to as much
again by chance, so that a thousand clients of a server that came back do not arrive together.
"""

import random
import time

from msgspec import Struct


class Pauses(Struct, frozen=True):
    """In seconds."""

    first: float = 0.8
    longest: float = 30.0
    long_life: float = 30.0  # a stream that lived so long was a good one: the next failure is a first one
    poll: float = 60.0  # between looks for a kind that is not installed


class Backoff:
    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._next = pauses.first
        self._began = time.monotonic()

    def begin(self) -> None:
        """A try begins."""
        self._began = time.monotonic()

    def pause(self) -> float:
        """How long to wait after a try that ended; nothing when it had lived long."""
        if time.monotonic() - self._began >= self._pauses.long_life:
            self._next = self._pauses.first
            return 0.0
        pause, self._next = self._next, min(2 * self._next, self._pauses.longest)
        return pause * (1 + random.random())  # noqa: S311 - dice, not secrets

    def reset(self) -> None:
        self._next = self._pauses.first
