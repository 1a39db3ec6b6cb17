"""Log lines are events with fields. `serve` writes them for people: `12:03:04 info    pass generation=4 change=reload …`, to stderr.
In a cluster they have the formats that collectors know (`formats`), on stdout.
"""

import logging
import sys
from collections.abc import Mapping
from typing import TextIO

from headgate.api import Ref
from headgate.model.finding import legible
from headgate.observability.formats import FATAL, FORMATS, LEVELS, TRACE

__all__ = ["FATAL", "TRACE", "Line", "configure", "configure_cluster", "tell"]


class Line(logging.Formatter):
    """Time, level, event, then the fields as key=value."""

    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, "fields", {})
        told = " ".join(f"{key}={value}" for key, value in fields.items())
        head = f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower():<7} {record.getMessage()}"
        line = legible(f"{head} {told}" if told else head)  # nginx's words quote a user's text, line ends and all
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(level: str) -> None:
    _configure(logging.getLogger("headgate"), sys.stderr, Line(), level)


def configure_cluster(log_format: str, level: str) -> None:
    """For `headgate run`: one of `formats.FORMATS`, on stdout; what libraries complain of goes the same way."""
    formatter = FORMATS[log_format]()
    _configure(logging.getLogger("headgate"), sys.stdout, formatter, level)
    _configure(logging.getLogger(), sys.stdout, formatter, max(LEVELS[level], logging.WARNING))


def _configure(logger: logging.Logger, stream: TextIO, formatter: logging.Formatter, level: str | int) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger.handlers[:] = [handler]
    logger.setLevel(LEVELS[level] if isinstance(level, str) else level)
    logger.propagate = False


def tell(event: str, level: int = logging.INFO, about: Ref | None = None, /, **fields: object) -> None:
    """`about`: the object that the sentence names; it becomes fields where machines read."""
    logging.getLogger("headgate").log(level, event, extra={"fields": fields, "about": about}, stacklevel=2)
