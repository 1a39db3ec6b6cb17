"""What is wrong with a file, and where: `Flaw`. It becomes a `Finding` in `files`, which knows the file's name."""

from msgspec import Struct

UNPARSABLE = "Unparsable"
UNREADABLE = "Unreadable"


class Flaw(Struct, frozen=True, gc=False):
    """Lines and columns count from 1; 0 is nowhere in particular."""

    message: str
    line: int = 0
    column: int = 0
    reason: str = UNPARSABLE

    @property
    def place(self) -> str:
        if not self.line:
            return ""
        return f"line {self.line}, column {self.column}" if self.column else f"line {self.line}"


class ManifestError(ValueError):
    """Leads out of a parser when the whole text cannot be read."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.flaw = Flaw(message, line, column)


def place_of(offset: int, text: bytes) -> tuple[int, int]:
    """Line and column of a byte."""
    before = text[:offset]
    return before.count(b"\n") + 1, len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
