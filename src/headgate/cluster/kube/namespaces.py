"""Namespaces that come and go by their labels. A sink: what is seen of them in, the names of those that count out."""

from collections.abc import Callable, Iterable, Sequence

from headgate.api import Key
from headgate.cluster.kube.reflector import Seen


class Namespaces:
    def __init__(self, joined: Callable[[str], None], left: Callable[[str], None]) -> None:
        self._names: set[str] = set()
        self._joined = joined
        self._left = left

    async def take(self, fresh: Sequence[Seen]) -> None:
        for _, name in (each.key for each in fresh):
            if name not in self._names:
                self._names.add(name)
                self._joined(name)

    def lose(self, gone: Iterable[Key]) -> None:
        for _, name in gone:
            self._names.discard(name)
            self._left(name)
