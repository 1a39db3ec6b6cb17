"""Fixtures for every tier; those that start nothing cost nothing."""

from collections.abc import Iterator

import pytest

from tests.support.backends import Backends


@pytest.fixture(scope="session")
def backends() -> Iterator[Backends]:
    """Starts backends on loopback; they live as long as the session."""
    made = Backends()
    yield made
    made.close()
