"""One test's corner of a gate: a file and a namespace of its own, and the gate's addresses to ask.

`apply` says everything that shall be there, each time; what is not said again is gone. When the test ends its corner
is emptied, and the next test's pass sweeps it away.
"""

import shutil
from collections.abc import Iterable
from contextlib import AbstractContextManager
from itertools import count
from typing import Any, TypeAlias

from tests.support import client
from tests.support.backends import Backend, Backends, Handler, echo
from tests.support.gate import Gate
from tests.support.manifests import Manifest, behind, write

Said: TypeAlias = Manifest | Iterable[Manifest]
_numbers = count(1)
_CLUSTER_WIDE = frozenset({"IngressClass"})


class Site:
    def __init__(self, gate: Gate, backends: Backends) -> None:
        self.gate = gate
        self.namespace = f"t{next(_numbers)}"
        self.folder = gate.folder / self.namespace
        self.backends: dict[str, Backend] = {}
        self._stage = backends

    def apply(self, *said: Said) -> None:
        """Make the site be exactly this, and wait until it is."""
        self.gate.apply(self.folder / "site.yaml", self.placed(*said), namespace=self.namespace)

    def write_unwaited(self, *said: Said) -> None:
        """The same for a gate that does not run yet."""
        write(self.folder, "site.yaml", *self.placed(*said))

    def placed(self, *said: Said) -> list[Manifest]:
        """Objects in the namespace of this site, where they name no other."""
        objects = [each for part in said for each in ([part] if isinstance(part, dict) else part)]
        own = {"namespace": self.namespace}
        return [
            each if each["kind"] in _CLUSTER_WIDE else {**each, "metadata": {**own, **each["metadata"]}}
            for each in objects
        ]

    def echoes(self, *names: str, handler: Handler = echo, speaks: str = "") -> list[Manifest]:
        """A backend of each name, and the Service and EndpointSlice that lead to it."""
        made: list[Manifest] = []
        for name in names:
            backend = self._stage.http(name, handler)
            self.backends[name] = backend
            made += behind(name, backend.port, speaks=speaks)
        return made

    def ask(self, target: str = "/", *, host: str = "", **more: Any) -> client.Answer:
        return client.ask(self.gate.http, target, host=host, **more)

    def ask_tls(self, target: str = "/", *, host: str, **more: Any) -> client.Answer:
        return client.ask(self.gate.https, target, host=host, tls=True, **more)

    def line(self, **more: Any) -> AbstractContextManager[client.Line]:
        return client.line(self.gate.http, **more)

    def says(self, kind: str, name: str, *words: str) -> str:
        """Wait for a sentence about an object of this site."""
        return self.gate.says(f"{kind} {self.namespace}/{name}", *words)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
