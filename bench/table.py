"""`Measure`: a value, the bar it has to clear, and the verdict; and the table that people read."""

from collections.abc import Iterable, Sequence
from enum import Enum

from msgspec import Struct


class Unit(Enum):
    """How a number is written; the value is what stands behind it."""

    SECONDS = " s"
    MILLISECONDS = " ms"
    MICROSECONDS = " µs"
    MEGABYTES = " MB"
    RATIO = "×"


_DIGITS = {Unit.SECONDS: 2, Unit.MILLISECONDS: 1, Unit.MICROSECONDS: 2, Unit.MEGABYTES: 0, Unit.RATIO: 3}


class Measure(Struct, frozen=True):
    """One row. Without a bar it is there to be read."""

    name: str
    value: float
    unit: Unit
    bar: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return "report"
        return "met" if self.value <= self.bar else "MISSED"

    def row(self) -> tuple[str, ...]:
        bar = f"≤ {self.bar:g}{self.unit.value}" if self.bar is not None else "–"
        return (self.name, f"{self.value:.{_DIGITS[self.unit]}f}{self.unit.value}", bar, self.verdict, self.note)


_HEAD = ("measure", "value", "bar", "verdict", "how")


def markdown(measures: Sequence[Measure]) -> str:
    rows = [_HEAD, *(measure.row() for measure in measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    first, *others = (_line(row, widths) for row in rows)
    return "\n".join((first, rule, *others))


def _line(row: Iterable[str], widths: Iterable[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
