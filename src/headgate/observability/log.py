"""Log lines are events with fields: `12:03:04 info  pass generation=4 change=reload …`, to stderr."""

import logging
import sys
from collections.abc import Mapping


class Line(logging.Formatter):
    """Time, level, event, then the fields as key=value."""

    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, "fields", {})
        told = " ".join(f"{key}={value}" for key, value in fields.items())
        head = f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower():<7} {record.getMessage()}"
        line = f"{head} {told}" if told else head
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line())
    root = logging.getLogger("headgate")
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    root.propagate = False


def tell(event: str, /, level: int = logging.INFO, **fields: object) -> None:
    logging.getLogger("headgate").log(level, event, extra={"fields": fields})
