"""How long backends take: nginx writes a line about each answer to a syslog socket of ours, and the lines become histograms.

The lines are F5's, and so are the labels, but the upstream is named as people read it, without our hash. Two bounds keep this from
doing harm: so many lines a second (what is beyond stays in the socket, where nginx drops it without waiting), and so many series.
Only endpoints of the model that nginx runs are counted; when one leaves, its series go.
"""

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from prometheus_client import CollectorRegistry, Counter, Histogram

from headgate.api import Snapshot
from headgate.model.shape import Model
from headgate.model.values import UpstreamName

NAME = "nginx_ingress_controller_upstream_server_response_latency_ms"
LABELS = ("class", "upstream", "server", "code", "service", "resource_type", "resource_name", "resource_namespace", "pod_name")  # fmt: skip
BUCKETS = (
    1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100, 200, 300, 400, 500, 1000, 2000, 3000, 4000, 5000, 10000, 20000, 30000, 40000, 50000,
)  # fmt: skip
MOST_SERIES = 2000
LINES_A_SECOND = 5000
_WINDOW = 0.1  # seconds


class Answered(Struct, frozen=True, rename="camel"):
    """One line: with several attempts each field is a list, with a comma between."""

    upstream_address: str
    upstream_response_time: str
    proxy_host: str
    upstream_status: str


class Sample(Struct, frozen=True):
    upstream: UpstreamName
    server: str
    code: str
    milliseconds: float


_decoder = msgspec.json.Decoder(Answered)


def parse(line: bytes) -> Sample | None:
    """The last attempt counts. None where no backend answered, or the upstream is not known (gRPC)."""
    try:
        said = _decoder.decode(line.partition(b"nginx:")[2])
        server, seconds, code = (
            _last(text) for text in (said.upstream_address, said.upstream_response_time, said.upstream_status)
        )
        if said.proxy_host in ("", "-", server) or len(code) != 3 or not code.isdigit():
            return None
        return Sample(UpstreamName(said.proxy_host), server, code, float(seconds) * 1000)
    except (msgspec.MsgspecError, ValueError):
        return None


def _last(text: str) -> str:
    """Attempts have commas between; after an internal redirect there is a colon with blanks around it."""
    return text.rpartition(", ")[2].rpartition(" : ")[2]


class Latency:
    def __init__(self, registry: CollectorRegistry, ingress_class: str) -> None:
        self._class = ingress_class
        self._histogram = Histogram(
            NAME, "How long backends took to answer, in milliseconds", LABELS, buckets=BUCKETS, registry=registry
        )
        self._lines = Counter(
            "headgate_latency_lines", "Lines about answers of backends, by whether they count", ["result"], registry=registry
        )  # fmt: skip
        self._series: dict[tuple[UpstreamName, str, str], tuple[str, ...]] = {}
        self._model = Model()
        self._snapshot = Snapshot()
        self._left = 0

    def serving(self, model: Model, snapshot: Snapshot | None = None) -> None:
        """nginx runs this now: whoever is no longer in it has no series."""
        self._model = model
        self._snapshot = snapshot or self._snapshot
        for key in [key for key in self._series if not self._is_served(key[0], key[1])]:
            self._histogram.remove(*self._series.pop(key))

    def record(self, line: bytes) -> None:
        sample = parse(line)
        labels = self._labels(sample) if sample is not None else None
        if sample is None or labels is None:
            self._lines.labels("skipped").inc()
            return
        self._lines.labels("counted").inc()
        self._histogram.labels(*labels).observe(sample.milliseconds)

    def _labels(self, sample: Sample) -> tuple[str, ...] | None:
        key = (sample.upstream, sample.server, sample.code)
        if key not in self._series:
            if len(self._series) >= MOST_SERIES or not self._is_served(sample.upstream, sample.server):
                return None
            self._series[key] = (self._class, *self._told(sample))
        return self._series[key]

    def _is_served(self, upstream: UpstreamName, server: str) -> bool:
        return any(str(endpoint) == server for endpoint in self._model.table.endpoints.get(upstream, ()))

    def _told(self, sample: Sample) -> tuple[str, ...]:
        """An upstream is called `hash.namespace.name.service.port`, and only the name of the Ingress may have dots."""
        readable = sample.upstream.partition(".")[2]
        namespace, _, rest = readable.partition(".")
        name, service, _ = rest.rsplit(".", 2)
        pod = pod_behind(self._snapshot, namespace, service, sample.server)
        return readable, sample.server, sample.code, service, "ingress", name, namespace, pod

    @contextmanager
    def listening(self, path: str) -> Iterator[None]:
        """Take lines from this socket; nginx's workers, whoever they run as, may write to it."""
        Path(path).unlink(missing_ok=True)
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as incoming:
            incoming.settimeout(0)
            incoming.bind(path)
            os.chmod(path, 0o666)  # noqa: PTH101, S103 - as nginx makes its own sockets; it carries times and nothing else
            loop.add_reader(incoming, self._drain, incoming)
            refill = loop.create_task(self._refilled(incoming))
            try:
                yield
            finally:
                refill.cancel()
                loop.remove_reader(incoming)
                Path(path).unlink(missing_ok=True)

    async def _refilled(self, incoming: socket.socket) -> None:
        """So many lines in each tenth of a second."""
        while True:
            if self._left <= 0:
                asyncio.get_running_loop().add_reader(incoming, self._drain, incoming)
            self._left = round(LINES_A_SECOND * _WINDOW)
            await asyncio.sleep(_WINDOW)

    def _drain(self, incoming: socket.socket) -> None:
        with suppress(BlockingIOError):
            while self._left > 0:
                self._left -= 1
                self.record(incoming.recv(64 << 10))
            asyncio.get_running_loop().remove_reader(incoming)


def pod_behind(snapshot: Snapshot, namespace: str, service: str, server: str) -> str:
    """The Pod at this address, when the EndpointSlice says it."""
    address = server.rpartition(":")[0].strip("[]")
    for each in snapshot.endpoint_slices(namespace, service):
        for endpoint in each.endpoints:
            if address in endpoint.addresses and endpoint.target_ref is not None:
                return endpoint.target_ref.name
    return ""
