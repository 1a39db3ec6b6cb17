"""From the paths of a rule to nginx locations that mean the same.

Routes go in, in the order of the object; locations come out, and the order of the object no longer matters, except for
regular expressions, which nginx tries in order. Under Kubernetes' reading a `Prefix` goes by elements of the path, which
takes two locations: `= /foo` and `/foo/`.
"""

import re
from enum import Enum
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from headgate.model.options import PathRegex
from headgate.model.server import Answer, Match, Path
from headgate.model.settings import Semantics
from headgate.model.values import trouble_in
from headgate.translate.names import shown

LONGEST = (
    255  # nginx cuts longer locations in its lookup tree without a word: a 300-byte location caught a 101-byte URI
)
LONGEST_PATTERN = 2000
_PLAIN = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?", re.ASCII)  # what most paths are: nothing to look into
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NAMED_GROUP = re.compile(r"\(\?(P<|<(?![=!])|')")


class PathType(Enum):
    EXACT = "Exact"
    PREFIX = "Prefix"
    IMPLEMENTATION_SPECIFIC = "ImplementationSpecific"


_TYPES = {kind.value: kind for kind in PathType} | {"": PathType.IMPLEMENTATION_SPECIFIC}
_RANK = {PathType.EXACT: 0, PathType.PREFIX: 1, PathType.IMPLEMENTATION_SPECIFIC: 2}


class Route(Struct, frozen=True, gc=False):
    """A path of a rule, and which backend it leads to (`backend` is an index into a list of the caller's)."""

    path: str
    type: PathType
    backend: int


class Placed(Struct, frozen=True, gc=False):
    """A location and the backend behind it; `Answer` where no backend is.

    `subtree` is true for the `/foo/` half of a Prefix: a rewrite then replaces `/foo/`. `stands_for` is the prefix location of which
    this one is a part: a rewrite replaces that one's path.
    """

    path: Path
    backend: int | Answer
    subtree: bool = False
    stands_for: str = ""


NO_PATH = Answer(404, "no-path")
PATTERNS = frozenset({PathRegex.CASE_SENSITIVE, PathRegex.CASE_INSENSITIVE})


def parse_type(text: str) -> PathType:
    """The type of a path; raises ValueError saying what would be right."""
    if (kind := _TYPES.get(text)) is None:
        raise ValueError(f"{shown(text)}: write Exact, Prefix or ImplementationSpecific")
    return kind


def parse_path(text: str, kind: PathType, *, regex: bool) -> str:
    """The decoded path; raises ValueError saying what would be right."""
    if not text and kind is PathType.IMPLEMENTATION_SPECIFIC:
        return "/"
    if not text.startswith("/"):
        raise ValueError(
            f"{shown(text)} does not begin with /: write an absolute path, such as /{text.lstrip('/')[:40]}"
        )
    return _pattern(text) if regex else _decoded(text)


def _pattern(text: str) -> str:
    if any(not c.isprintable() and c != " " for c in text):
        raise ValueError(f"{shown(text)} holds a control character")
    if len(text.encode()) > LONGEST_PATTERN:
        raise ValueError(f"{shown(text)} is longer than {LONGEST_PATTERN} bytes")
    if _NAMED_GROUP.search(text):
        raise ValueError(
            f"{shown(text)} names a group, which in nginx sets a variable of that name for everybody: write (…) instead of (?<name>…)"
        )
    return text


def _decoded(text: str) -> str:
    """nginx matches locations against the decoded, normalised path: so that is what we print."""
    if len(text) <= LONGEST and _PLAIN.fullmatch(text):
        return text
    if "?" in text or "#" in text:
        raise ValueError(
            f"{shown(text)} holds a ? or #, which end the path of a request: write %3F or %23 if you mean the character"
        )
    if _ESCAPE.search(text):
        raise ValueError(f"{shown(text)} has a % without two hexadecimal digits: write %25 for the character %")
    if "%2f" in text.lower():
        raise ValueError(f"{shown(text)} holds %2F, which nginx reads as a plain /: no request would match")
    try:
        path = unquote_to_bytes(text).decode()
    except UnicodeError:
        raise ValueError(f"{shown(text)} is not UTF-8 when decoded: write the path in UTF-8") from None
    if len(path.encode()) > LONGEST:
        raise ValueError(
            f"{shown(text)} is longer than {LONGEST} bytes, beyond which nginx would match other paths too"
        )
    if "\t" in path or trouble_in(path):
        raise ValueError(f"{shown(text)} holds a control character, which no request can carry safely: take it out")
    if "//" in path:
        raise ValueError(f"{shown(text)} holds //, which nginx merges into one /: no request would match")
    if any(segment in (".", "..") for segment in path.split("/")):
        raise ValueError(
            f"{shown(text)} has a . or .. element, which nginx resolves before matching: write the path without it"
        )
    return path


def place(routes: list[Route], *, semantics: Semantics, default: int | None) -> list[Placed]:
    """Locations for plain paths, with one for `/` always among them."""
    by_element = semantics is Semantics.KUBERNETES
    placed = _Placing()
    for route in sorted(routes, key=lambda route: _RANK[route.type]):
        (placed.by_element if by_element else placed.as_nginx)(route)
    placed.prefix("/", default if default is not None else NO_PATH, subtree=by_element)
    if by_element:
        placed.guard()
    return sorted((*placed.prefixes.values(), *placed.exacts.values()), key=lambda each: each.path.text)


class _Placing:
    """Locations being placed, by their text: of two that say the same, the first counts."""

    def __init__(self) -> None:
        self.exacts: dict[str, Placed] = {}
        self.prefixes: dict[str, Placed] = {}

    def exact(self, text: str, backend: int | Answer) -> None:
        self.exacts.setdefault(text, Placed(Path(text, Match.EXACT), backend))

    def prefix(self, text: str, backend: int | Answer, *, subtree: bool = False) -> None:
        self.prefixes.setdefault(text, Placed(Path(text, Match.PREFIX), backend, subtree))

    def as_nginx(self, route: Route) -> None:
        (self.exact if route.type is PathType.EXACT else self.prefix)(route.path, route.backend)

    def by_element(self, route: Route) -> None:
        if route.type is not PathType.PREFIX:
            self.as_nginx(route)
            return
        stem = route.path.rstrip("/")
        if stem:
            self.exact(stem, route.backend)
        self.prefix(stem + "/", route.backend, subtree=True)

    def guard(self) -> None:
        """`location = /foo/` with a proxy_pass makes nginx redirect /foo to /foo/: say what /foo itself means."""
        for text in [text for text in self.exacts if text.endswith("/") and text != "/"]:
            bare = text[:-1]
            if text in self.prefixes or bare in self.exacts:
                continue
            longest = max((known for known in self.prefixes if bare.startswith(known)), key=len)
            found = self.prefixes[longest]
            self.exacts[bare] = Placed(Path(bare, Match.EXACT), found.backend, found.subtree, stands_for=longest)


def place_patterns(routes: list[Route], how: PathRegex, *, default: int | None) -> list[Placed]:
    """Locations for paths that are regular expressions: in the order of the object, which is the order nginx tries."""
    placed: dict[Path, Placed] = {}
    for route in routes:
        path = _regex_path(route.path, how)
        placed.setdefault(path, Placed(path, route.backend))
    rest = Placed(Path("/", Match.PREFIX), default if default is not None else NO_PATH)
    return [*placed.values(), rest]


def _regex_path(text: str, how: PathRegex) -> Path:
    if how is PathRegex.EXACT:
        return Path(text, Match.EXACT)
    return Path(f"^{text}", Match.REGEX if how is PathRegex.CASE_SENSITIVE else Match.REGEX_ANY_CASE)


def too_long(placed: Placed) -> bool:
    """The `/foo/` half of a Prefix is a byte longer than what the user wrote, and only that was looked at."""
    return placed.subtree and len(placed.path.text.encode()) > LONGEST
