from collections.abc import AsyncIterator

import pytest

from tests.nginx.room.world import World, new_layout
from tests.support import ports


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World(new_layout(), port=ports.claim())
    yield made
    await made.close()
    ports.release(made.port)
