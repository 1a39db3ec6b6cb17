"""Worlds for unit tests: manifests as a user writes them in, typed objects and snapshots out. No disk, no nginx."""

from collections.abc import Iterable
from typing import TypeAlias

from hypothesis import settings

from headgate.api import Known, Malformed, Object, Snapshot
from headgate.api.decode import decode
from headgate.cluster.store import Store
from tests.support.manifests import Manifest

Said: TypeAlias = Manifest | Iterable[Manifest]

# The same examples each time: what a run finds, the next one finds too. `tests/safety` is where luck is wanted.
steady = settings(deadline=None, derandomize=True, max_examples=60)


def objects(*said: Said) -> list[Object]:
    """Manifests or lists of them, decoded."""
    manifests = [each for part in said for each in ([part] if isinstance(part, dict) else part)]
    found = [decode(manifest) for manifest in manifests]
    return [each for each in found if each is not None]


def known(manifest: Manifest) -> Known:
    (found,) = objects(manifest)
    assert not isinstance(found, Malformed), found
    return found


def store_of(*said: Said) -> Store:
    store = Store()
    store.put(objects(*said))
    return store


def world(*said: Said) -> Snapshot:
    return store_of(*said).snapshot()
