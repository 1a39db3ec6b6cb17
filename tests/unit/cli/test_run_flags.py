"""The table against the facts: every flag of F5's controller, its type, its default; and what its manifests say."""

import typing
from pathlib import Path
from typing import Any

import pytest
import yaml

from headgate.cli.run_flags import GROUPS, Flag, Later, Moot, Refused, RunFlags, Works, flags
from headgate.cli.run_reading import read_flags

FACTS: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "nic_flags.yaml").read_text())
EVERY_FLAG = pytest.mark.parametrize("fact", FACTS["flags"], ids=lambda fact: str(fact["flag"]))


def test_there_are_71_and_they_come_first() -> None:
    names = [fact["flag"] for fact in FACTS["flags"]]
    assert len(names) == 71
    assert list(flags())[:71] == names
    assert all(row.edition == "headgate" for row in list(flags().values())[71:])


@EVERY_FLAG
def test_every_flag_has_its_type_default_and_edition(fact: dict[str, Any]) -> None:
    row = flags()[fact["flag"]]
    assert (row.kind.name, row.kind.read(row.default), row.edition) == (fact["type"], fact["default"], fact["edition"])


@EVERY_FLAG
def test_saying_a_default_changes_nothing_and_is_no_reason_to_talk(fact: dict[str, Any]) -> None:
    spelled = str(fact["default"]).lower() if fact["type"] == "bool" else fact["default"]
    assert read_flags([f"-{fact['flag']}={spelled}"]) == read_flags([])


@pytest.mark.parametrize("name", FACTS["manifests"])
def test_arguments_of_manifests_are_read_without_a_word(name: str) -> None:
    assert read_flags(FACTS["manifests"][name]).warnings == ()


def test_every_check_returns_the_type_of_its_field() -> None:
    for field, hint in typing.get_type_hints(RunFlags).items():
        check = flags()[field.replace("_", "-")].check
        assert typing.get_type_hints(check)["return"] == hint, field


@pytest.mark.parametrize("row", flags().values(), ids=lambda row: row.name)
def test_every_row_is_told_in_sentences(row: Flag) -> None:
    assert row.group in GROUPS
    assert row.doc.endswith(".")
    assert row.kind.is_bool != bool(row.value)
    assert isinstance(row.verdict, Works | Later | Moot | Refused)
    assert not isinstance(row.verdict, Moot) or row.verdict.beside in flags()


def test_the_debug_binary_is_looked_for_unless_another_is_named() -> None:
    assert read_flags([]).flags.binary == "nginx"
    assert read_flags(["-nginx-debug"]).flags.binary == "nginx-debug"
    assert read_flags(["-nginx-debug", "-nginx-binary=/opt/nginx"]).flags.binary == "/opt/nginx"
