"""What is told: each finding once when it appears, once when it is gone, and one line for each pass that did something."""

import logging

import pytest

from headgate.api import Ref
from headgate.controller.reporter import MOST, Reporter
from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Live, Outcome, Refused
from headgate.observability.passes import PassRecord

LIVE = Live(1)


def finding(number: int = 0, message: str = "it is wrong", severity: Severity = Severity.ERROR) -> Finding:
    return Finding(Ref("Ingress", "default", f"shop-{number}"), severity, "Rejected", message, "spec")


def record(change: str = "reload", outcome: str = "live") -> PassRecord:
    return PassRecord(generation=1, change=change, outcome=outcome, stages={}, event_to_live=0.1, findings=0, held=0)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """Our own lines, wherever a command that ran before in this process sent them."""
    logger = logging.getLogger("headgate")
    monkeypatch.setattr(logger, "handlers", [caplog.handler])
    monkeypatch.setattr(logger, "propagate", False)
    caplog.set_level(logging.INFO, logger="headgate")
    return caplog


def lines(said: pytest.LogCaptureFixture) -> list[str]:
    """What was said since the last time, without the line of the pass itself."""
    told = [each.getMessage() for each in said.records if not each.getMessage().startswith("pass")]
    said.clear()
    return told


def tell(reporter: Reporter, *findings: Finding, outcome: Outcome = LIVE) -> None:
    reporter.tell(findings, record(), outcome)


def test_a_finding_is_told_once(said: pytest.LogCaptureFixture) -> None:
    reporter = Reporter()
    tell(reporter, finding())
    assert lines(said) == ["Ingress default/shop-0: spec: it is wrong"]
    tell(reporter, finding())
    assert lines(said) == []


def test_a_finding_that_is_gone_is_told_as_mended(said: pytest.LogCaptureFixture) -> None:
    reporter = Reporter()
    tell(reporter, finding())
    lines(said)
    tell(reporter)
    assert lines(said) == ["mended: Ingress default/shop-0: spec"]


def test_another_mistake_in_the_same_place_is_not_mended(said: pytest.LogCaptureFixture) -> None:
    reporter = Reporter()
    tell(reporter, finding())
    lines(said)
    tell(reporter, finding(message="it is wrong otherwise"))
    assert lines(said) == ["Ingress default/shop-0: spec: it is wrong otherwise"]


def test_a_flood_is_cut_and_counted(said: pytest.LogCaptureFixture) -> None:
    reporter = Reporter()
    tell(reporter, *(finding(number) for number in range(MOST + 50)))
    told = lines(said)
    assert len(told) == MOST + 1
    assert "50 more" in told[-1]
    tell(reporter)
    assert len(lines(said)) == MOST + 1


def test_a_refusal_is_said_loudly(said: pytest.LogCaptureFixture) -> None:
    tell(Reporter(), outcome=Refused((), "nginx said no"))
    assert [each.getMessage() for each in said.records if each.levelno == logging.ERROR] == ["nginx said no"]


def test_a_pass_in_which_nothing_happened_is_quiet(said: pytest.LogCaptureFixture) -> None:
    Reporter().tell([], record(change="none"), LIVE)
    assert said.records == []
    Reporter().tell([], record(), LIVE)
    assert len(said.records) == 1
