"""Requests over connections that stay open: one outstanding on each, as many as there are connections at a time.

What this costs falls on us and not on the worker that is measured, so plain blocking sockets are good enough.
"""

import socket
from collections.abc import Iterator, Sequence
from itertools import cycle

CONNECTIONS = 16
END = b"ok\n"  # the body of every answer


def request(host: str, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n".encode()


class Load:
    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self._port = port
        self._requests: Iterator[bytes] = cycle(requests)
        self._connections = [self._connected() for _ in range(CONNECTIONS)]

    def send(self, count: int) -> int:
        """At least so many requests; how many they were."""
        for _ in range(-(-count // CONNECTIONS)):
            for connection in self._connections:
                connection.sendall(next(self._requests))
            for at, connection in enumerate(self._connections):
                if b"Connection: close" in _answer(connection):  # nginx closes after a thousand requests
                    connection.close()
                    self._connections[at] = self._connected()
        return -(-count // CONNECTIONS) * CONNECTIONS

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port), 30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


def _answer(connection: socket.socket) -> bytes:
    answer = connection.recv(65536)
    while not answer.endswith(END):
        more = connection.recv(65536)
        if not more:
            break
        answer += more
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(f"an answer that is not 200: {answer[:200]!r}")
    return answer
