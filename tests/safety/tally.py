"""Counts what was tried and what came of it, so that a test that tries nothing is not taken for one that finds nothing."""

from collections import Counter


class Tally:
    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()

    def note(self, field: str, *, accepted: bool) -> None:
        self.tried[field] += 1
        self.accepted[field] += accepted

    def __str__(self) -> str:
        return f"{self.tried.total()} {self.accepted.total()}"
