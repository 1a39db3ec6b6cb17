"""Findings about one object while it is being read, and whether one of them rejects it."""

from headgate.api import Ref
from headgate.model.finding import Finding, Severity


class Notes:
    def __init__(self, source: Ref) -> None:
        self._source = source
        self._said: dict[Finding, None] = {}
        self.is_rejected = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._said)

    def say(self, severity: Severity, reason: str, field: str, message: str, *, about: Ref | None = None) -> None:
        self._said[Finding(about or self._source, severity, reason, message, field)] = None

    def warn(self, reason: str, field: str, message: str) -> None:
        self.say(Severity.WARNING, reason, field, message)

    def reject(self, field: str, message: str) -> None:
        """This version of the object cannot be served as a whole."""
        self.is_rejected = True
        self.say(Severity.ERROR, "Rejected", field, message)
