"""Which nginx can do what; templates ask these questions and never compare versions."""

import pytest

from headgate.model.capabilities import Capabilities, Version


def abilities(can: Capabilities) -> set[str]:
    names = ("http2_listen_word", "http2_directive", "keepalive_min_timeout")
    return {name for name in names if getattr(can, name)}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((1, 22, 1), {"http2_listen_word"}),
        ((1, 25, 0), {"http2_listen_word"}),
        ((1, 25, 1), {"http2_directive"}),
        ((1, 27, 3), {"http2_directive"}),
        ((1, 27, 4), {"http2_directive", "keepalive_min_timeout"}),
        ((1, 31, 0), {"http2_directive", "keepalive_min_timeout"}),
    ],
)
def test_by_version(version: Version, expected: set[str]) -> None:
    assert abilities(Capabilities(version)) == expected


def test_without_the_module_http2_is_said_in_neither_way() -> None:
    assert abilities(Capabilities((1, 22, 1), http2=False)) == set()
    assert abilities(Capabilities((1, 25, 1), http2=False)) == set()
