"""Every golden case: the command answers as it did, and the real nginx takes the answer without a word."""

from pathlib import Path

import pytest

from headgate.dialects import ANNOTATIONS, CONFIGMAP
from tests.golden.cases import Case, all_cases
from tests.golden.trial import complaints

CASES = all_cases()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_the_command_answers_as_it_did(case: Case) -> None:
    answer = case.run()
    assert answer.out == case.out.read_text()
    assert answer.findings == (case.findings.read_text() if case.findings.exists() else "")
    assert answer.code == any(line.startswith("error: ") for line in answer.findings.splitlines())


@each_case
def test_nginx_takes_it_without_a_word(case: Case, tmp_path: Path) -> None:
    assert complaints(case.out.read_text(), tmp_path) == []


def test_no_case_is_an_empty_promise() -> None:
    """A findings file without a finding, or a folder that lost its manifest, would be compared with nothing."""
    folders = {
        file.parent for name in ("out.conf", "findings.txt", "flags.txt") for file in _here().glob(f"*/*/{name}")
    }
    assert folders <= {case.folder for case in CASES}
    assert all(file.read_text().strip() for file in _here().glob("*/*/findings.txt"))


@pytest.mark.parametrize("name", ANNOTATIONS.rows)
def test_every_annotation_has_a_case(name: str) -> None:
    assert any(f"\n    {name}: " in case.manifest and "\nkind: Ingress\n" in case.manifest for case in CASES)


@pytest.mark.parametrize("key", CONFIGMAP.rows)
def test_every_configmap_key_has_a_case(key: str) -> None:
    assert any(f"\n  {key}: " in case.manifest and "--configmap" in case.flags for case in CASES)


def _here() -> Path:
    return Path(__file__).parent
