"""A control plane per worker with an audit log, and a scene in it for each test."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.cluster.environment import ControlPlane
from tests.cluster.run.audit import Audit
from tests.cluster.run.scene import Scene, scene_in
from tests.support.backends import Backends


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return Audit(tmp_path_factory.mktemp("audit"))


@pytest.fixture(scope="session")
def plane(audit: Audit) -> Iterator[ControlPlane]:
    """Like the one of the tier, but it keeps a record. Who kills something starts it again."""
    made = ControlPlane(*audit.flags)
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
async def scene(plane: ControlPlane, backends: Backends, audit: Audit) -> AsyncIterator[Scene]:
    async with scene_in(plane, backends, audit) as made:
        yield made


@pytest.fixture
def own_scene(backends: Backends, tmp_path: Path) -> Iterator[Callable[..., AbstractAsyncContextManager[Scene]]]:
    """Scenes on a control plane of the test's own: for what everybody on it would notice."""
    planes: list[ControlPlane] = []

    def one(*flags: str) -> AbstractAsyncContextManager[Scene]:
        audit = Audit(tmp_path)
        planes.append(ControlPlane(*audit.flags, *flags))
        return scene_in(planes[-1].start(), backends, audit)

    yield one
    for each in planes:
        each.close()
