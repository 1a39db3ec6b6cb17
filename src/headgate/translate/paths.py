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
from headgate.translate.names import shown

LONGEST = (
    255  # nginx cuts longer locations in its lookup tree without a word: a 300-byte location caught a 101-byte URI
)
LONGEST_PATTERN = 2000
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class PathType(Enum):
    EXACT = "Exact"
    PREFIX = "Prefix"
    IMPLEMENTATION_SPECIFIC = "ImplementationSpecific"


_RANK = {PathType.EXACT: 0, PathType.PREFIX: 1, PathType.IMPLEMENTATION_SPECIFIC: 2}


class Route(Struct, frozen=True, gc=False):
    """A path of a rule, and which backend it leads to (`backend` is an index into a list of the caller's)."""

    path: str
    type: PathType
    backend: int


class Placed(Struct, frozen=True, gc=False):
    """A location and the backend behind it; `Answer` where no backend is.

    `subtree` is true for the `/foo/` half of a Prefix: a rewrite then replaces `/foo/`.
    """

    path: Path
    backend: int | Answer
    subtree: bool = False


NO_PATH = Answer(404, "no-path")


def parse_path(text: str, path_type: str, *, regex: bool) -> tuple[str, PathType]:
    """The decoded path; raises ValueError saying what would be right."""
    try:
        kind = PathType(path_type or "ImplementationSpecific")
    except ValueError:
        raise ValueError(f"pathType {shown(path_type)}: write Exact, Prefix or ImplementationSpecific") from None
    if not text and kind is PathType.IMPLEMENTATION_SPECIFIC:
        return "/", kind
    if not text.startswith("/"):
        raise ValueError(
            f"{shown(text)} does not begin with /: write an absolute path, such as /{text.lstrip('/')[:40]}"
        )
    return (_pattern(text) if regex else _decoded(text)), kind


def _pattern(text: str) -> str:
    if any(not c.isprintable() and c != " " for c in text):
        raise ValueError(f"{shown(text)} holds a control character")
    if len(text.encode()) > LONGEST_PATTERN:
        raise ValueError(f"{shown(text)} is longer than {LONGEST_PATTERN} bytes")
    return text


def _decoded(text: str) -> str:
    """nginx matches locations against the decoded, normalised path: so that is what we print."""
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
    except UnicodeDecodeError:
        raise ValueError(f"{shown(text)} is not UTF-8 when decoded: write the path in UTF-8") from None
    if any(ord(c) < 32 or ord(c) == 127 for c in path):
        raise ValueError(f"{shown(text)} holds a control character, which no request can carry safely: take it out")
    if "//" in path:
        raise ValueError(f"{shown(text)} holds //, which nginx merges into one /: no request would match")
    if any(segment in (".", "..") for segment in path.split("/")):
        raise ValueError(
            f"{shown(text)} has a . or .. element, which nginx resolves before matching: write the path without it"
        )
    if len(path.encode()) > LONGEST:
        raise ValueError(
            f"{shown(text)} is longer than {LONGEST} bytes, beyond which nginx would match other paths too"
        )
    return path


def place(routes: list[Route], *, semantics: Semantics, default: int | None) -> list[Placed]:
    """Locations for plain paths, with one for `/` always among them."""
    spread = _by_element if semantics is Semantics.KUBERNETES else _as_nginx
    exact, prefix = spread(sorted(routes, key=lambda route: _RANK[route.type]))
    if semantics is Semantics.KUBERNETES:
        _guard_exact(exact, prefix, default)
    if "/" not in prefix:
        prefix["/"] = (default if default is not None else NO_PATH, semantics is Semantics.KUBERNETES)
    placed = [Placed(Path(text, Match.EXACT), backend) for text, (backend, _) in exact.items()]
    placed += [Placed(Path(text, Match.PREFIX), backend, subtree) for text, (backend, subtree) in prefix.items()]
    return sorted(placed, key=lambda each: (each.path.text, each.path.match.value))


_Places = dict[str, tuple[int | Answer, bool]]


def _by_element(routes: list[Route]) -> tuple[_Places, _Places]:
    exact: _Places = {}
    prefix: _Places = {}
    for route in routes:
        stem = route.path.rstrip("/")
        if route.type is PathType.EXACT:
            exact.setdefault(route.path, (route.backend, False))
        elif route.type is PathType.PREFIX:
            if stem:
                exact.setdefault(stem, (route.backend, False))
            prefix.setdefault(stem + "/", (route.backend, True))
        else:
            prefix.setdefault(route.path, (route.backend, False))
    return exact, prefix


def _as_nginx(routes: list[Route]) -> tuple[_Places, _Places]:
    exact: _Places = {}
    prefix: _Places = {}
    for route in routes:
        (exact if route.type is PathType.EXACT else prefix).setdefault(route.path, (route.backend, False))
    return exact, prefix


def _guard_exact(exact: _Places, prefix: _Places, default: int | None) -> None:
    """`location = /foo/` with a proxy_pass makes nginx redirect /foo to /foo/: say what /foo itself means."""
    for text in [text for text in exact if len(text) > 1 and text.endswith("/")]:
        bare = text[:-1]
        if bare in exact or text in prefix:
            continue
        longest = max((known for known in prefix if bare.startswith(known)), key=len, default=None)
        fallback = default if default is not None else NO_PATH
        exact[bare] = (prefix[longest][0] if longest else fallback, False)


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
    """The `/foo/` half of a Prefix is a byte longer than what the user wrote."""
    return placed.path.match in (Match.EXACT, Match.PREFIX) and len(placed.path.text.encode()) > LONGEST
