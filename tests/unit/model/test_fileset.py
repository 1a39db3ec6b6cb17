"""From a line of a file to the object to blame."""

import pytest

from headgate.api import Ref
from headgate.model.fileset import Block, file_of

SHOP = Ref("Ingress", "default", "shop")
SETTINGS = Ref("ConfigMap", "headgate", "settings")
FILE = file_of(
    Block(None, "# a heading\n"),
    Block(SHOP, "server {\n    listen 80;\n"),
    Block(SETTINGS, "add_header X-A b;\nadd_header X-B c;\n"),
    Block(SHOP, "}\n"),
    source=SHOP,
)


@pytest.mark.parametrize(("line", "source"), [(1, None), (2, SHOP), (3, SHOP), (4, SETTINGS), (5, SETTINGS), (6, SHOP)])
def test_every_line_knows_whose_it_is(line: int, source: Ref | None) -> None:
    assert FILE.source_of_line(line) == source


def test_a_line_behind_the_end_is_the_files_own() -> None:
    """nginx names the line after the last one when a block is never closed."""
    assert FILE.source_of_line(7) == SHOP
    assert FILE.source_of_line(99) == SHOP


def test_the_blocks_are_the_text() -> None:
    assert FILE.text == "".join(block.text for block in FILE.blocks)
    assert FILE.text.splitlines()[3] == "add_header X-A b;"


def test_a_secret_file_is_never_shown() -> None:
    secret = file_of(Block(SHOP, "the key\n"), source=SHOP, secret=True)
    assert "the key" not in repr(secret)
