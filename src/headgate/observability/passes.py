"""How long each stage of a pass took. A `Stopwatch` goes through a pass, a `PassRecord` comes out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct


class PassRecord(Struct, frozen=True):
    """One pass: what it was, what came of it, and where the time went (seconds)."""

    generation: int
    change: str
    outcome: str
    stages: dict[str, float]
    event_to_live: float
    findings: int
    held: int

    def fields(self) -> dict[str, object]:
        told: dict[str, object] = {"generation": self.generation, "change": self.change}
        if self.outcome != "live":
            told["outcome"] = self.outcome
        told.update({f"{stage}_ms": round(seconds * 1000, 1) for stage, seconds in self.stages.items()})
        told["event_to_live_ms"] = round(self.event_to_live * 1000)
        told.update(findings=self.findings, held=self.held)
        return told


class Stopwatch:
    def __init__(self) -> None:
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + time.perf_counter() - started
