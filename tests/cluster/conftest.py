"""A control plane per worker, a namespace per test, and a hand in it.

Outside the namespace of `python -m tests.cluster` nothing here is collected: a plain `pytest` runs the other tiers, and
one that names this folder is told how to run it.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.environment import ControlPlane
from tests.cluster.hand import Hand, hand_in
from tests.cluster.namespace import is_inside

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if is_inside() or collection_path == HERE:
        return None
    named = [Path(each.partition("::")[0]).resolve() for each in config.args]
    if any(each == HERE or HERE in each.parents for each in named):
        pytest.exit(f"these tests run in a namespace: python -m tests.cluster {' '.join(config.args)}", returncode=4)
    return True


@pytest.fixture(scope="session")
def plane() -> Iterator[ControlPlane]:
    """The API server that the tests of a worker share. Who kills something starts it again."""
    made = ControlPlane()
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def own_plane() -> Iterator[Callable[..., ControlPlane]]:
    """Control planes of the test's own, with more flags for the API server."""
    made: list[ControlPlane] = []

    def one(*flags: str) -> ControlPlane:
        made.append(ControlPlane(*flags))
        return made[-1].start()

    yield one
    for each in made:
        each.close()


@pytest.fixture
async def hand(plane: ControlPlane) -> AsyncIterator[Hand]:
    """An administrator's hand, in a namespace that is the test's own."""
    async with hand_in(plane) as made:
        yield made
