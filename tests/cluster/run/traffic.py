"""Clients that never stop asking, each on a connection that it keeps, and that remember what was not a 200."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.client import line

PACE = 0.005  # seconds between two requests of one client: traffic, not a benchmark


class Traffic:
    def __init__(self, port: int, host: str, *, clients: int = 2) -> None:
        self.answered = 0
        self.missed: list[str] = []
        self._port, self._host = port, host
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._ask, daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        while not self._over.is_set():
            try:
                self._converse()
            except OSError as why:
                self.missed.append(repr(why))

    def _converse(self) -> None:
        """nginx may end a kept connection between two requests when it reloads; that is no request lost."""
        with line(self._port) as opened:
            asked = 0
            while not self._over.wait(PACE):
                try:
                    answer = opened.ask(host=self._host)
                except (ConnectionError, BrokenPipeError):
                    if asked:
                        return
                    raise
                asked += 1
                self.answered += 1
                if answer.status != 200:
                    self.missed.append(f"{answer.status} {answer.reason}")
                if answer.header("connection") == "close":
                    return

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


@contextmanager
def traffic(port: int, host: str) -> Iterator[Traffic]:
    """When the block ends, nothing must have been missed."""
    made = Traffic(port, host)
    try:
        yield made
    finally:
        made.end()
    assert not made.missed, f"{len(made.missed)} of {made.answered} requests: {made.missed[:5]}"
    assert made.answered > 0
