"""Tell people how it went: each finding once when it appears, once when it is gone, and one line per pass.

In a folder there is no status to write; in a cluster events and conditions will say the same sentences.
"""

import logging
from collections.abc import Iterable

from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Outcome, Refused, Unreachable
from headgate.observability.log import tell
from headgate.observability.passes import PassRecord

_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.INFO: logging.INFO}


class Reporter:
    def __init__(self) -> None:
        self._told: dict[Finding, None] = {}

    def tell(self, findings: Iterable[Finding], record: PassRecord, outcome: Outcome) -> None:
        now = dict.fromkeys(findings)
        for finding in now:
            if finding not in self._told:
                tell(finding.sentence(), _LEVELS[finding.severity])
        still = {(finding.ref, finding.field, finding.reason) for finding in now}
        for finding in self._told:
            if (finding.ref, finding.field, finding.reason) not in still:
                tell(f"mended: {finding.ref}: {finding.field or finding.reason}")
        self._told = now
        if isinstance(outcome, Refused | Unreachable):
            tell(outcome.message, logging.ERROR)
        quiet = record.change == "none" and record.outcome == "live"
        tell("pass", logging.DEBUG if quiet else logging.INFO, **record.fields())
