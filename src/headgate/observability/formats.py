"""How log lines look in a cluster: the formats of F5's controller, by the names that `-log-format` knows.

A `LogRecord` goes in, one line comes out. The context keys of an object (`resource_namespace`, `resource_kind`, `resource_name`)
come first where the record is about one. A message never breaks a line: whoever reads logs reads lines.
"""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from headgate.api import Ref

TRACE = 5
FATAL = logging.CRITICAL

LEVELS: Mapping[str, int] = {
    "trace": TRACE,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "fatal": FATAL,
}
_NAMES = {number: name.upper() for name, number in LEVELS.items() if name != "warn"}
_LETTERS = {logging.WARNING: "W", logging.ERROR: "E", FATAL: "F"}


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """The object that the record is about, then the fields as they were given."""
    about: Ref | None = getattr(record, "about", None)
    fields: Mapping[str, object] = getattr(record, "fields", {})
    if about is None:
        return dict(fields)
    own = {"resource_namespace": about.namespace, "resource_kind": about.kind, "resource_name": about.name}
    return {**own, **fields}


def one_line(text: str) -> str:
    return text.replace("\r", "\\r").replace("\n", "\\n")


class Glog(logging.Formatter):
    """`I20261116 12:03:04.000042   7 loop.py:161] resource_name=cafe message`"""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).strftime("%Y%m%d %H:%M:%S.%f")
        letter = _LETTERS.get(record.levelno, "I")
        told = "".join(f"{key}={_logfmt(value)} " for key, value in fields_of(record).items())
        where = f"{record.filename}:{record.lineno}"
        return f"{letter}{moment}   {record.process} {where}] {told}{one_line(_whole(self, record))}"


class Text(logging.Formatter):
    """`time=2026-11-16T12:03:04.042Z level=INFO source=loop.py:161 msg="…" resource_name=cafe`"""

    def __init__(self, clock: Callable[[float], object]) -> None:
        super().__init__()
        self._clock = clock

    def format(self, record: logging.LogRecord) -> str:
        head: dict[str, object] = {
            "time": self._clock(record.created),
            "level": _level(record),
            "source": f"{record.filename}:{record.lineno}",
            "msg": _whole(self, record),
        }
        return " ".join(f"{key}={_logfmt(value)}" for key, value in (head | fields_of(record)).items())


class Json(logging.Formatter):
    """`{"time":"…","level":"INFO","source":{"file":"loop.py","line":161},"msg":"…","resource_name":"cafe"}`"""

    def __init__(self, clock: Callable[[float], object]) -> None:
        super().__init__()
        self._clock = clock

    def format(self, record: logging.LogRecord) -> str:
        head: dict[str, object] = {
            "time": self._clock(record.created),
            "level": _level(record),
            "source": {"file": record.filename, "line": record.lineno},
            "msg": _whole(self, record),
        }
        return json.dumps(head | fields_of(record), ensure_ascii=False, default=str, separators=(",", ":"))


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _unix_ms(seconds: float) -> int:
    return int(seconds * 1000)


FORMATS: Mapping[str, Callable[[], logging.Formatter]] = {
    "glog": Glog,
    "json": lambda: Json(_rfc3339),
    "text": lambda: Text(_rfc3339),
    "json-unix": lambda: Json(int),
    "json-unix-ms": lambda: Json(_unix_ms),
    "text-unix": lambda: Text(int),
    "text-unix-ms": lambda: Text(_unix_ms),
}


def _level(record: logging.LogRecord) -> str:
    return _NAMES.get(record.levelno, record.levelname)


def _whole(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    message = record.getMessage()
    return f"{message}\n{formatter.formatException(record.exc_info)}" if record.exc_info else message


def _logfmt(value: object) -> str:
    """As it is where that is one word, else in quotes."""
    text = str(value)
    if text and not any(c.isspace() or c in '"=' or not c.isprintable() for c in text):
        return text
    return json.dumps(text, ensure_ascii=False)
