"""A gate for each module, a corner of it for each test, and gates of one's own where a test needs that.

A module that wants flags says `FLAGS = ("--enable-snippets",)`.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.backends import Backends
from tests.support.gate import Gate
from tests.support.liveness import HOST
from tests.support.manifests import route
from tests.support.site import Site


class Serve(Protocol):
    def __call__(self, *flags: str, class_name: str | None = None, command: Sequence[str] = ()) -> Gate: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.nginx)


@pytest.fixture(scope="module")
def gate(request: pytest.FixtureRequest) -> Iterator[Gate]:
    """One running Headgate for the module."""
    made = Gate(*getattr(request.module, "FLAGS", ()))
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def site(gate: Gate, backends: Backends) -> Iterator[Site]:
    made = Site(gate, backends)
    yield made
    made.close()


@pytest.fixture(scope="module")
def common(gate: Gate, backends: Backends) -> Iterator[Site]:
    """A site that the tests of a module share: a fixture of theirs applies it once."""
    made = Site(gate, backends)
    yield made
    made.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Gates with flags of the test's own. They are made, not started."""
    with ExitStack() as made:

        def one(*flags: str, class_name: str | None = None, command: Sequence[str] = ()) -> Gate:
            gate = Gate(*flags, class_name=class_name, command=command)
            made.callback(gate.close)
            return gate

        yield one


@pytest.fixture
def serving(serve: Serve, backends: Backends) -> Site:
    """A gate of its own with one host that answers."""
    site = Site(serve().start(), backends)
    site.apply(site.echoes("web"), route("web", HOST, "web"))
    return site


@pytest.fixture
def meanwhile() -> Iterator[ThreadPoolExecutor]:
    """Threads for requests that shall wait while the test goes on."""
    with ThreadPoolExecutor(8) as pool:
        yield pool
