"""`headgate run -help` and the reference page say every flag."""

from headgate.cli.run_flags import flags
from headgate.cli.run_pages import flags_page, run_help


def test_help_has_every_flag_once_and_fits_a_terminal() -> None:
    lines = run_help().splitlines()
    told = [line.strip().partition("=")[0] for line in lines if line.startswith("  -")]
    assert sorted(told) == sorted(f"-{name}" for name in flags())
    assert max(map(len, lines)) <= 120


def test_help_keeps_names_of_flags_whole() -> None:
    assert not any(line.rstrip().endswith("-") for line in run_help().splitlines())


def test_the_page_has_every_flag_once_with_its_verdict() -> None:
    rows = [line for line in flags_page().splitlines() if line.startswith("| `-")]
    assert sorted(line.split("`")[1] for line in rows) == sorted(f"-{name}" for name in flags())
    assert all(line.count(" | ") == 4 for line in rows)
    (telemetry,) = [line for line in rows if "`-enable-telemetry-reporting`" in line]
    assert "reports nothing" in telemetry
