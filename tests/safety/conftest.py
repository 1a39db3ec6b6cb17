"""Every test of hostile values tallies them, and the end of the run says how many there were."""

from collections.abc import Callable, Iterator

import pytest

from tests.safety.tally import Tally

_PROPERTY = "hostile values, tried and accepted"


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Iterator[Tally]:
    made = Tally()
    yield made
    record_property(_PROPERTY, str(made))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, list[int]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                for text in (value for name, value in report.user_properties if name == _PROPERTY):
                    tried, accepted = map(int, str(text).split())
                    known = counts.setdefault(report.nodeid.partition("[")[0].partition("::")[2], [0, 0])
                    known[0], known[1] = known[0] + tried, known[1] + accepted
    if counts:
        terminalreporter.section("hostile values")
        for name, (tried, accepted) in {**counts, "together": _sum(counts)}.items():
            terminalreporter.write_line(f"{tried:>9,} tried {accepted:>9,} accepted  {name}")


def _sum(counts: dict[str, list[int]]) -> list[int]:
    return [sum(each[at] for each in counts.values()) for at in (0, 1)]
