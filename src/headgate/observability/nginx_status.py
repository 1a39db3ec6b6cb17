"""nginx's own counters: asked over a unix socket when somebody asks us, and printed under the names of F5's exporter."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PATIENCE = 5.0
_PREFIX = "nginx_ingress_nginx_"
BARE_COUNTERS = (f"{_PREFIX}connections_accepted", f"{_PREFIX}connections_handled")
_REQUEST = b"GET /stub_status HTTP/1.0\r\nHost: headgate\r\n\r\n"
_PAGE = re.compile(
    rb"Active connections: (\d+) \nserver accepts handled requests\n (\d+) (\d+) (\d+) \n"
    rb"Reading: (\d+) Writing: (\d+) Waiting: (\d+) \n"
)


class Counters(Struct, frozen=True):
    active: int
    accepted: int
    handled: int
    requests: int
    reading: int
    writing: int
    waiting: int


async def read_counters(socket: str) -> Counters | None:
    """None when nginx does not answer, or not with what we asked for."""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                writer.write(_REQUEST)
                return parse(await reader.read(64 << 10))
            finally:
                writer.close()
    return None


def parse(answer: bytes) -> Counters | None:
    head, _, page = answer.partition(b"\r\n\r\n")
    found = _PAGE.fullmatch(page) if b" 200 " in head.partition(b"\r\n")[0] else None
    return Counters(*map(int, found.groups())) if found else None


class NginxStatus(Collector):
    """Prints the counters that were read last; without any, only that nginx is not up."""

    def __init__(self, ingress_class: str) -> None:
        self.counters: Counters | None = None
        self._class = ingress_class

    def collect(self) -> Iterator[Metric]:
        now = self.counters
        yield self._gauge("up", "Whether nginx answered with its counters", 1 if now else 0)
        if now is None:
            return
        yield self._gauge("connections_active", "Open client connections", now.active)
        yield self._counter("connections_accepted", "Accepted client connections", now.accepted)
        yield self._counter("connections_handled", "Handled client connections", now.handled)
        yield self._gauge("connections_reading", "Connections whose request header is being read", now.reading)
        yield self._gauge("connections_writing", "Connections that are being answered", now.writing)
        yield self._gauge("connections_waiting", "Idle connections that are kept", now.waiting)
        yield self._counter("http_requests_total", "Requests", now.requests)

    def _gauge(self, name: str, help_text: str, value: float) -> Metric:
        made = GaugeMetricFamily(_PREFIX + name, help_text, labels=["class"])
        made.add_metric([self._class], value)
        return made

    def _counter(self, name: str, help_text: str, value: float) -> Metric:
        """By hand: two of F5's counters do not end in _total, and the library would make them."""
        made = Metric((_PREFIX + name).removesuffix("_total"), help_text, "counter")
        made.add_sample(_PREFIX + name, {"class": self._class}, value)
        return made
