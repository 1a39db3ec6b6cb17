"""A user's mistake is a value: `Finding`. One sentence, written once, where it was noticed.

It ends as a line of `lint`, a log line, later an event and a condition. The sentence says what is wrong and what
would be right; the object and the field stand beside it.
"""

import re
from enum import Enum

from msgspec import Struct

from headgate.api import Ref

_NUMBER = re.compile(r"\d+")


class Severity(Enum):
    ERROR = "error"  # the object, or this version of it, is not served
    WARNING = "warning"  # served, but not as its author will have meant
    INFO = "info"


class Finding(Struct, frozen=True, gc=False):
    ref: Ref
    severity: Severity
    reason: str  # CamelCase, for machines: "Rejected", "HostTaken", "SecretMissing"
    message: str
    field: str = ""

    def sentence(self) -> str:
        """`Ingress shop/web: spec.rules[0].host: …`"""
        where = f"{self.ref}: {self.field}" if self.field else str(self.ref)
        return legible(f"{where}: {self.message}")


def legible(text: str) -> str:
    """One line, without what a terminal would obey: names and keys in a sentence are a user's text."""
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


class Problem(Struct, frozen=True, gc=False):
    """A mistake before it is known whose: a field and a sentence."""

    field: str
    message: str


def order(finding: Finding) -> tuple[Ref, str, str, str]:
    """Findings are told in the order of objects, then fields; `paths[2]` before `paths[10]`."""
    field = _NUMBER.sub(lambda number: number[0].rjust(6, "0"), finding.field)
    return (finding.ref, field, finding.reason, finding.message)
