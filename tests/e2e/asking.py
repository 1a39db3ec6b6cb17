"""A client of what is served: an address and a host in, the answer out; and many of them at once, who count what fails."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.support.waiting import until

PACE = 0.02  # seconds between two requests of one client


class Answer(NamedTuple):
    status: int
    body: str
    reason: str | None  # X-Headgate-Reason


def ask(address: str, port: int = 80, *, host: str = "shop.example.com", path: str = "/") -> Answer:
    """One request over a connection of its own."""
    connection = http.client.HTTPConnection(address, port, timeout=10)
    try:
        return _ask(connection, host, path)
    finally:
        connection.close()


def until_served(address: str, port: int = 80, *, host: str = "shop.example.com") -> Answer:
    def served() -> list[Answer]:
        return [answer for answer in (ask(address, port, host=host),) if answer.status == 200]

    (answer,) = until(served, what=f"200 for {host} at {address}:{port}", deadline=60, pause=0.1)
    return answer


class Load:
    """What a crowd saw. Half of it opens a connection for each request, half keeps its connection."""

    def __init__(self) -> None:
        self.answered = 0
        self.failures: list[str] = []
        self._lock, self._enough = threading.Lock(), threading.Event()

    @contextmanager
    def on(self, address: str, *, clients: int = 8) -> Iterator["Load"]:
        ways = (self._come_and_go, self._stay)
        threads = [threading.Thread(target=ways[each % 2], args=(address,), daemon=True) for each in range(clients)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._enough.set()
            for thread in threads:
                thread.join()

    def _come_and_go(self, address: str) -> None:
        while not self._enough.wait(PACE):
            connection = http.client.HTTPConnection(address, 80, timeout=10)
            try:
                self._count(_ask(connection, "shop.example.com", "/"))
            except (OSError, http.client.HTTPException) as why:
                self._fail(repr(why))
            finally:
                connection.close()

    def _stay(self, address: str) -> None:
        """A server may close an idle connection at any time, and every client then tries again, once, on a new one."""
        connection, is_used = http.client.HTTPConnection(address, 80, timeout=10), False
        while not self._enough.wait(PACE):
            try:
                self._count(_ask(connection, "shop.example.com", "/"))
                is_used = True
            except (http.client.RemoteDisconnected, ConnectionError) as why:
                if not is_used:
                    self._fail(repr(why))
                connection, is_used = _anew(connection, address), False
            except (OSError, http.client.HTTPException) as why:
                self._fail(repr(why))
                connection, is_used = _anew(connection, address), False
        connection.close()

    def _count(self, answer: Answer) -> None:
        if answer.status != 200:
            self._fail(str(answer))
            return
        with self._lock:
            self.answered += 1

    def _fail(self, what: str) -> None:
        with self._lock:
            self.failures.append(f"{time.strftime('%H:%M:%S')} {what}")


def _ask(connection: http.client.HTTPConnection, host: str, path: str) -> Answer:
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    return Answer(answer.status, answer.read().decode(errors="replace"), answer.getheader("X-Headgate-Reason"))


def _anew(connection: http.client.HTTPConnection, address: str) -> http.client.HTTPConnection:
    connection.close()
    return http.client.HTTPConnection(address, 80, timeout=10)
