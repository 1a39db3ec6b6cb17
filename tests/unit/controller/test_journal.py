"""Accepted versions on disk: what was appended is read again, whatever a crash left behind; and nobody else may read it."""

from pathlib import Path

import pytest

from headgate.api import Known, Ref
from headgate.controller.held import Accepted, Held
from headgate.controller.journal import Journal
from tests.support.certificates import pair
from tests.support.manifests import configmap, route, tls_for, tls_secret
from tests.unit.worlds import known

SHOP = known(
    route(
        "shop",
        "café.test",
        "web",
        annotations={"nginx.org/server-snippets": "a;\n# \u2028 b"},
        tls=[tls_for("p", "x")],
        uid="1",
    )
)
PAIR = known(tls_secret("pair", pair("shop.test")))
MAP = known(configmap("settings", {"log-format": "$a\n$b"}))


def remember(journal: Journal, *found: Known, generation: int = 1, gone: tuple[Ref, ...] = ()) -> None:
    accepted = {each.ref: Accepted(each, generation) for each in found}
    journal.append(Held(accepted), accepted, gone)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "accepted.log"


def test_no_file_is_an_empty_memory(path: Path) -> None:
    assert Journal(path).read() == {}
    assert not path.exists()


def test_what_was_appended_is_read_again(path: Path) -> None:
    remember(Journal(path), SHOP, PAIR, MAP, generation=7)
    assert Journal(path).read() == {each.ref: Accepted(each, 7) for each in (SHOP, PAIR, MAP)}


def test_the_last_word_counts(path: Path) -> None:
    newer = known(route("shop", "newer.test", "web"))
    remember(Journal(path), SHOP, generation=1)
    remember(Journal(path), newer, generation=2)
    assert Journal(path).read() == {SHOP.ref: Accepted(newer, 2)}


def test_what_is_gone_is_gone(path: Path) -> None:
    remember(Journal(path), SHOP, PAIR)
    remember(Journal(path), gone=(SHOP.ref,))
    assert list(Journal(path).read()) == [PAIR.ref]


def test_gone_and_accepted_again_in_one_pass(path: Path) -> None:
    remember(Journal(path), SHOP, generation=1)
    remember(Journal(path), SHOP, generation=2, gone=(SHOP.ref,))
    assert Journal(path).read() == {SHOP.ref: Accepted(SHOP, 2)}


def test_nothing_to_say_writes_nothing(path: Path) -> None:
    remember(Journal(path))
    assert not path.exists()


def test_an_object_is_one_line_whatever_it_holds(path: Path) -> None:
    remember(Journal(path), SHOP, MAP)
    assert len(path.read_bytes().splitlines()) == 2


def test_a_last_line_that_was_cut_is_dropped(path: Path) -> None:
    remember(Journal(path), SHOP, MAP)
    whole = path.read_bytes()
    for cut in range(len(whole.splitlines(keepends=True)[0]), len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert list(Journal(path).read()) == [SHOP.ref]


def test_what_is_appended_after_a_cut_line_is_not_lost(path: Path) -> None:
    remember(Journal(path), SHOP)
    path.write_bytes(path.read_bytes() + b'{"kind":"Ingr')
    journal = Journal(path)
    journal.read()
    remember(journal, MAP)
    assert set(Journal(path).read()) == {SHOP.ref, MAP.ref}


@pytest.mark.parametrize(
    "line", [b"", b"null", b"[]", b"{}", b'{"kind":"Pod","object":{}}', b'{"kind":"Ingress","object":5}', b"\xff\xfe"]
)
def test_lines_that_nobody_understands_are_passed_over(path: Path, line: bytes) -> None:
    remember(Journal(path), SHOP)
    path.write_bytes(line + b"\n" + path.read_bytes() + line + b"\n")
    assert list(Journal(path).read()) == [SHOP.ref]


def test_a_long_history_is_made_short(path: Path) -> None:
    for generation in range(150):
        remember(Journal(path), SHOP, generation=generation)
    remember(Journal(path), PAIR, generation=150)
    assert len(path.read_bytes().splitlines()) == 151
    assert Journal(path).read() == {SHOP.ref: Accepted(SHOP, 149), PAIR.ref: Accepted(PAIR, 150)}
    assert len(path.read_bytes().splitlines()) == 2
    assert Journal(path).read() == {SHOP.ref: Accepted(SHOP, 149), PAIR.ref: Accepted(PAIR, 150)}
    assert [file.name for file in path.parent.iterdir()] == ["accepted.log"]


def test_a_short_history_is_left_alone(path: Path) -> None:
    for generation in range(50):
        remember(Journal(path), SHOP, generation=generation)
    Journal(path).read()
    assert len(path.read_bytes().splitlines()) == 50


def test_only_we_may_read_it(path: Path) -> None:
    remember(Journal(path), PAIR)
    assert path.stat().st_mode & 0o777 == 0o600
    for generation in range(150):
        remember(Journal(path), SHOP, generation=generation)
    Journal(path).read()
    assert path.stat().st_mode & 0o777 == 0o600
