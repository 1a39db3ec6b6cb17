"""`headgate docs`: every row on its page, and the committed page is the one that is printed."""

from pathlib import Path

import pytest

from headgate.cli import main
from headgate.cli.docs import page
from headgate.dialects import ANNOTATIONS, CONFIGMAP, Dialect

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize(("name", "table"), [("annotations", ANNOTATIONS), ("configmap", CONFIGMAP)])
def test_every_key_is_on_its_page(name: str, table: Dialect, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", name]) == 0
    printed = capsys.readouterr().out
    for row in table.rows.values():
        assert f"| `{row.name}` | {row.value} |" in printed
    for key in table.later:
        assert f"`{key}`" in printed


def test_a_table_has_as_many_cells_in_every_line() -> None:
    for name in ("annotations", "configmap"):
        lines = [line for line in page(name).splitlines() if line.startswith("|")]
        assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_what_a_row_asks_for_is_said() -> None:
    lines = {line.split("`")[1]: line for line in page("annotations").splitlines() if line.startswith("| `")}
    assert "Needs `nginx.org/hsts`." in lines["nginx.org/hsts-max-age"]
    assert "Needs `--enable-snippets`." in lines["nginx.org/server-snippets"]
    assert "| `keepalive` |" in lines["nginx.org/keepalive"]
    assert "| – | Replace" in lines["nginx.org/rewrites"]


def test_a_committed_page_is_the_printed_one() -> None:
    for file in REFERENCE.glob("*.md"):
        assert file.read_text() == page(file.stem), f"{file.name} does not say what the code says: run make docs"
