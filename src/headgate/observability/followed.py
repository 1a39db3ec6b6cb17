"""Counts that others keep for us: looked at when somebody asks, on the event loop, where they are kept; printed in a thread."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

Counts: TypeAlias = Mapping[str, int]

_WATCHES = {
    "lists": ("headgate_watch_lists", "Lists of a kind from the API server"),
    "watches": ("headgate_watch_restarts", "Watches of a kind that were begun, for the first time or again"),
    "events": ("headgate_watch_events", "Events of a kind that came"),
    "failures": ("headgate_watch_failures", "Lists and watches of a kind that failed"),
}


class Followed(Collector):
    def __init__(self) -> None:
        self.watches: Callable[[], Mapping[str, Counts]] = dict
        self.writes: Callable[[], Counts] = dict
        self._seen: tuple[Mapping[str, Counts], Counts] = ({}, {})

    def look(self) -> None:
        self._seen = (self.watches(), self.writes())

    def collect(self) -> Iterator[Metric]:
        watches, writes = self._seen
        for what, (name, help_text) in _WATCHES.items():
            made = CounterMetricFamily(name, help_text, labels=["kind"])
            for kind, counts in sorted(watches.items()):
                made.add_metric([kind], counts.get(what, 0))
            yield made
        told = CounterMetricFamily(
            "headgate_status_writes", "Statuses and events by what came of them", labels=["result"]
        )
        for result, count in sorted(writes.items()):
            told.add_metric([result], count)
        yield told
