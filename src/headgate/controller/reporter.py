"""Tell people how it went: each finding once when it appears, once when it is gone, and one line per pass.

In a folder there is no status to write; in a cluster events and conditions will say the same sentences.
"""

import logging
from collections.abc import Iterable

from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Outcome, Refused, Unreachable
from headgate.observability.log import tell
from headgate.observability.passes import PassRecord

MOST = 100  # lines of one severity in one pass: a start beside thousands of mistakes must stay readable
_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.INFO: logging.INFO}


class Reporter:
    def __init__(self) -> None:
        self._told: dict[Finding, None] = {}

    def tell(self, findings: Iterable[Finding], record: PassRecord, outcome: Outcome) -> None:
        now = dict.fromkeys(findings)
        self._tell_new([finding for finding in now if finding not in self._told])
        still = {(finding.ref, finding.field, finding.reason) for finding in now}
        self._tell_mended([each for each in self._told if (each.ref, each.field, each.reason) not in still])
        self._told = now
        if isinstance(outcome, Refused | Unreachable):
            tell(outcome.message, logging.ERROR)
        quiet = record.change == "none" and record.outcome == "live"
        tell("pass", logging.DEBUG if quiet else logging.INFO, **record.fields())

    def _tell_new(self, fresh: list[Finding]) -> None:
        for severity, level in _LEVELS.items():
            alike = [finding for finding in fresh if finding.severity is severity]
            for finding in alike[:MOST]:
                tell(finding.sentence(), level, finding.ref)
            if len(alike) > MOST:
                tell(f"… and {len(alike) - MOST} more findings like these; headgate lint lists them all", level)

    def _tell_mended(self, gone: list[Finding]) -> None:
        for finding in gone[:MOST]:
            tell(f"mended: {finding.ref}: {finding.field or finding.reason}", logging.INFO, finding.ref)
        if len(gone) > MOST:
            tell(f"… and {len(gone) - MOST} more are mended")
