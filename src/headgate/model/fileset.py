"""`FileSet`: one self-contained configuration tree, path → file; every line of it knows whose it is.

A `File` is a sequence of `Block(source, text)`. Made by `render`, written by `nginx/tree`; when nginx refuses a line,
`source_of_line` leads from file and line to the object to blame. Comments in the text are for people only: a snippet
could forge them.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from headgate.api import Ref


class Block(Struct, frozen=True, gc=False):
    """Lines that belong to one object; `None` is text of our own. Always ends with a line end."""

    source: Ref | None
    text: str


class File(Struct, frozen=True, gc=False):
    """`secret` files are written for our eyes only, and their text is never shown."""

    text: str
    blocks: tuple[Block, ...]
    source: Ref | None = None  # the object the file belongs to
    secret: bool = False

    def source_of_line(self, line: int) -> Ref | None:
        """Whose line is it (the first is 1)? Our own text gives None."""
        for block in self.blocks:
            line -= block.text.count("\n")
            if line <= 0:
                return block.source
        return self.source

    def __repr__(self) -> str:
        return f"File({self.source}, {len(self.text)} characters)"


def file_of(*blocks: Block, source: Ref | None = None, secret: bool = False) -> File:
    text = blocks[0].text if len(blocks) == 1 else "".join(block.text for block in blocks)
    return File(text=text, blocks=blocks, source=source, secret=secret)


class FileSet(Struct, frozen=True):
    """Paths are relative to the tree: `nginx.conf`, `conf.d/default-cafe.conf`, `secrets/default-cafe-tls`."""

    files: Mapping[str, File] = field(default_factory=dict)
