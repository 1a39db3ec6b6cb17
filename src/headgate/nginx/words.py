"""nginx's words: a piece of its error log in, one `Complaint` out.

A complaint is what follows `[emerg] PID#PID:`, with the paths of our tree shortened, and the place when it names one.
The surprising thing: the text is partly a tenant's. A quoted argument may hold line ends and whatever looks like
another record, so a record is taken only when it carries the pid we know, and the place is read from the very end of
the text, which nginx itself writes.
"""

import re

from msgspec import Struct

from headgate.nginx.tree import TRIAL

RECORD = r"^(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[emerg\] %s#\d+: |nginx: \[emerg\] )"
PLACE = re.compile(r"([^\n]+):(\d+)\Z")
OUTCOME = re.compile(r"\nnginx: configuration file [^\n]* test failed\Z")
BIND = re.compile(r"bind\(\) to (\S+) failed \((\d+): ")
QUOTED = re.compile(r'"([^"\n]+)"')
VARIABLE = re.compile(r'unknown "(\w+)" variable')
LONGEST = 1000
IN_USE = "98"
GAVE_UP = "still could not bind()"

# Wrong wherever they stand: no file that is added can mend them. Everything else may only miss its other half.
PLAINLY_WRONG = re.compile(
    r'unknown directive|unexpected |invalid |directive "|"[^"]*" directive (is|invalid)|pcre2?_compile\(\)|too (long|many) '
)


class Complaint(Struct, frozen=True, gc=False):
    message: str
    path: str = ""  # relative to the tree; empty when it names no file of ours
    line: int = 0

    @property
    def gist(self) -> str:
        """The message without its place: two parses complain of the same thing when the gist is the same."""
        return self.message.removesuffix(f" in {self.path}:{self.line}")

    @property
    def plainly_wrong(self) -> bool:
        return PLAINLY_WRONG.match(self.message) is not None

    @property
    def bind(self) -> str | None:
        """The address that could not be had."""
        return match[1] if (match := BIND.match(self.message)) else None

    def variable(self) -> str | None:
        return match[1] if (match := VARIABLE.match(self.message)) else None

    def names(self) -> tuple[str, ...]:
        """What the message quotes: zones, paths, hosts, directives; and an address that could not be had."""
        return tuple(QUOTED.findall(self.gist)) + ((self.bind,) if self.bind else ())


def complaint_in(text: str, *, pid: int, root: str) -> Complaint | None:
    """The first emergency of this pid, to the end of the text; None while there is none.

    A port in use is tried again for 2.5 s, and may be had in the end: until nginx gives up it is no complaint.
    """
    record = re.compile(RECORD % pid, re.MULTILINE)
    if (start := record.search(text)) is None:
        return None
    body = OUTCOME.sub("", text[start.end() :].rstrip("\n"))
    first = body[: again.start()] if (again := record.search(body)) else body
    if (bind := BIND.match(first)) and bind[2] == IN_USE and GAVE_UP not in body:
        return None
    path, line = place_in(body, root)
    message = shortened(first.strip(), root)
    if path and not message.endswith(f" in {path}:{line}"):
        message = f"{message} in {path}:{line}"
    return Complaint(message=message, path=path, line=line)


def place_in(body: str, root: str) -> tuple[str, int]:
    _, found, rest = body.rpartition(f" in {root}/")
    if found and (match := PLACE.fullmatch(rest)):
        return match[1].removeprefix(f"{TRIAL}/"), int(match[2])
    return "", 0


def shortened(message: str, root: str) -> str:
    """One line, with the paths of our tree as they stand in a FileSet."""
    short = message.replace(f"{root}/{TRIAL}/", "").replace(f"{root}/", "")
    return " ".join(short.split("\n"))[:LONGEST]
