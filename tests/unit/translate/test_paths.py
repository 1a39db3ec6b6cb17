"""From paths to locations: which location answers is computed here the way nginx does it, and compared with Kubernetes' words.

`nginx_picks` is nginx's rule for plain locations: an exact one, else the longest prefix; a location that proxies and ends in a slash also
redirects the path without the slash. So these tests hold what locations mean, not how they are written.
"""

import random
import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.model.options import PathRegex
from headgate.model.server import Answer, Match, Path
from headgate.model.settings import Semantics
from headgate.translate.paths import (
    NO_PATH,
    PathType,
    Placed,
    Route,
    parse_path,
    parse_type,
    place,
    place_patterns,
    too_long,
)
from tests.unit.worlds import steady

EXACT, PREFIX, SPECIFIC = PathType.EXACT, PathType.PREFIX, PathType.IMPLEMENTATION_SPECIFIC
REDIRECT = "redirect"


def placed(
    *routes: tuple[str, PathType], semantics: Semantics = Semantics.KUBERNETES, default: int | None = None
) -> list[Placed]:
    numbered = [Route(text, kind, at) for at, (text, kind) in enumerate(routes)]
    return place(numbered, semantics=semantics, default=default)


def nginx_picks(locations: list[Placed], path: str) -> int | str | None:
    exact = {each.path.text: each for each in locations if each.path.match is Match.EXACT}
    prefix = {each.path.text: each for each in locations if each.path.match is Match.PREFIX}
    proxied = {text for text, each in {**prefix, **exact}.items() if not isinstance(each.backend, Answer)}
    if path in exact:
        found = exact[path]
    elif f"{path}/" in proxied:
        return REDIRECT
    else:
        found = prefix[max((text for text in prefix if path.startswith(text)), key=len)]
    return None if isinstance(found.backend, Answer) else found.backend


def kubernetes_picks(routes: list[tuple[str, PathType]], path: str) -> int | None:
    """The documentation's rule: an Exact path that is equal, else the longest Prefix by elements."""
    for at, (text, kind) in enumerate(routes):
        if kind is EXACT and text == path:
            return at
    matching = [
        (len(_elements(text)), -at)
        for at, (text, kind) in enumerate(routes)
        if kind is PREFIX and _is_under(path, text)
    ]
    return -max(matching)[1] if matching else None


def _elements(text: str) -> list[str]:
    return [element for element in text.split("/") if element]


def _is_under(path: str, prefix: str) -> bool:
    elements = _elements(prefix)
    return _elements(path)[: len(elements)] == elements


@pytest.mark.parametrize(
    ("prefix", "path", "answers"),
    [
        # The table of the Kubernetes documentation.
        ("/", "/any/thing", True),
        ("/foo", "/foo", True),
        ("/foo", "/foo/", True),
        ("/foo/", "/foo", True),
        ("/foo/", "/foo/", True),
        ("/aaa/bb", "/aaa/bbb", False),
        ("/aaa/bbb", "/aaa/bbb", True),
        ("/aaa/bbb/", "/aaa/bbb", True),
        ("/aaa/bbb", "/aaa/bbb/", True),
        ("/aaa/bbb", "/aaa/bbb/ccc", True),
        ("/aaa/bbb", "/aaa/bbbxyz", False),
    ],
)
def test_prefix_by_element(prefix: str, path: str, answers: object) -> None:
    assert (nginx_picks(placed((prefix, PREFIX)), path) == 0) is answers


@pytest.mark.parametrize(("text", "path", "answers"), [("/foo", "/foo", True), ("/foo", "/bar", False)])
def test_exact(text: str, path: str, answers: object) -> None:
    assert (nginx_picks(placed((text, EXACT)), path) == 0) is answers


def test_exact_does_not_ignore_a_slash() -> None:
    assert nginx_picks(placed(("/foo", EXACT)), "/foo/") is None
    assert nginx_picks(placed(("/foo/", EXACT)), "/foo") is None
    assert nginx_picks(placed(("/foo/", EXACT)), "/foo/") == 0


def test_exact_comes_before_prefix() -> None:
    locations = placed(("/foo", PREFIX), ("/foo", EXACT))
    assert nginx_picks(locations, "/foo") == 1
    assert nginx_picks(locations, "/foo/") == 0


def test_implementation_specific_is_a_plain_prefix() -> None:
    locations = placed(("/foo", SPECIFIC))
    assert nginx_picks(locations, "/foobar") == 0
    assert nginx_picks(locations, "/fo") is None


def test_what_nobody_claims_goes_to_the_default() -> None:
    assert nginx_picks(placed(("/foo", EXACT), default=7), "/bar") == 7


def test_there_is_always_a_location_for_everything() -> None:
    (only,) = placed()
    assert only == Placed(Path("/"), NO_PATH, subtree=True)


_SEGMENTS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3)
_PATHS = st.builds(
    lambda segments, end: "/" + "/".join(segments) + (end if segments else ""), _SEGMENTS, st.sampled_from(["", "/"])
)
_ROUTES = st.lists(st.tuples(_PATHS, st.sampled_from([EXACT, PREFIX])), max_size=6)


def _unlike(routes: list[tuple[str, PathType]]) -> list[tuple[str, PathType]]:
    """Without repetitions, which are told apart before they come here."""
    return list({(text if kind is EXACT else text.rstrip("/"), kind): (text, kind) for text, kind in routes}.values())


@steady
@given(_ROUTES.map(_unlike), _PATHS)
def test_nginx_picks_what_kubernetes_means(routes: list[tuple[str, PathType]], path: str) -> None:
    assert nginx_picks(placed(*routes), path) == kubernetes_picks(routes, path)


@steady
@given(_ROUTES.map(_unlike), st.randoms(use_true_random=False))
def test_the_order_of_paths_does_not_matter(routes: list[tuple[str, PathType]], dice: random.Random) -> None:
    numbered = [Route(text, kind, at) for at, (text, kind) in enumerate(routes)]
    shuffled = dice.sample(numbered, len(numbered))
    for semantics in Semantics:
        first, second = (place(each, semantics=semantics, default=None) for each in (numbered, shuffled))
        assert first == second


def test_a_guard_stands_for_the_location_around_it() -> None:
    """A rewrite of `/` replaces `/` in `/foo` too, although the guard for `/foo` is an exact location."""
    locations = {each.path: each for each in placed(("/foo/", EXACT), ("/", PREFIX))}
    guard = locations[Path("/foo", Match.EXACT)]
    assert (guard.backend, guard.stands_for, guard.subtree) == (1, "/", True)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("/foo", PREFIX, [("/foo", Match.PREFIX)]),
        ("/foo/", PREFIX, [("/foo/", Match.PREFIX)]),
        ("/foo", SPECIFIC, [("/foo", Match.PREFIX)]),
        ("/foo/", EXACT, [("/foo/", Match.EXACT)]),
    ],
)
def test_nic_takes_paths_as_nginx_does(text: str, kind: PathType, expected: list[tuple[str, Match]]) -> None:
    locations = placed((text, kind), semantics=Semantics.NIC)
    assert [(each.path.text, each.path.match) for each in locations] == [("/", Match.PREFIX), *expected]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (PathRegex.CASE_SENSITIVE, Path("^/a", Match.REGEX)),
        (PathRegex.CASE_INSENSITIVE, Path("^/a", Match.REGEX_ANY_CASE)),
        (PathRegex.EXACT, Path("/a", Match.EXACT)),
    ],
)
def test_patterns_keep_the_order_of_the_object(how: PathRegex, expected: Path) -> None:
    routes = [Route("/b", PREFIX, 0), Route("/a", EXACT, 1), Route("/b", SPECIFIC, 2)]
    locations = place_patterns(routes, how, default=3)
    assert [each.backend for each in locations] == [0, 1, 3]
    assert locations[1].path == expected


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("/", "/"),
        ("/foo", "/foo"),
        ("/caf%C3%A9", "/café"),
        ("/café", "/café"),
        ("/a%20b", "/a b"),
        ("/100%25", "/100%"),
        ("/a+b", "/a+b"),
        ("/q%3Fx", "/q?x"),
        ("/%23", "/#"),
        ("/$x", "/$x"),
        ("/...", "/..."),
        ("/a;b", "/a;b"),
        ("/%25%32%66", "/%2f"),  # decoded once, as nginx does
    ],
)
def test_paths_are_decoded_once(text: str, decoded: str) -> None:
    assert parse_path(text, EXACT, regex=False) == decoded


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin with /"),
        ("foo", "such as /foo"),
        ("/a%2Fb", "%2F"),
        ("/a%2fb", "%2F"),
        ("/%00", "control character"),
        ("/a\tb", "control character"),
        ("/%7f", "control character"),
        ("/a//b", "//"),
        ("//", "//"),
        ("/a/../b", ".. element"),
        ("/a/..", ".. element"),
        ("/./a", ".. element"),
        ("/%2e%2E/a", ".. element"),
        ("/a?b", "%3F"),
        ("/a#b", "%23"),
        ("/%", "%25"),
        ("/%4", "%25"),
        ("/%zz", "%25"),
        ("/%E9", "UTF-8"),
        ("/" + "x" * 255, "255 bytes"),
        ("/" + "é" * 128, "255 bytes"),
    ],
)
def test_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        parse_path(text, PREFIX, regex=False)


def test_no_path_is_every_path_where_the_type_is_ours() -> None:
    assert parse_path("", SPECIFIC, regex=False) == "/"


def test_a_pattern_is_not_decoded() -> None:
    assert parse_path("/a%20b/.*$", SPECIFIC, regex=True) == "/a%20b/.*$"


@pytest.mark.parametrize("text", ["a.*", "/a\nb", "/" + "x" * 2000])
def test_a_pattern_has_its_limits(text: str) -> None:
    with pytest.raises(ValueError, match=r"begin with|control|longer"):
        parse_path(text, SPECIFIC, regex=True)


def test_the_type_is_one_of_three() -> None:
    assert [parse_type(text) for text in ("Exact", "Prefix", "ImplementationSpecific", "")] == [
        EXACT,
        PREFIX,
        SPECIFIC,
        SPECIFIC,
    ]
    with pytest.raises(ValueError, match="write Exact, Prefix or ImplementationSpecific"):
        parse_type("prefix")


def test_the_closing_slash_may_be_one_byte_too_many() -> None:
    longest, longer = "/" + "x" * 253, "/" + "x" * 254
    assert not any(too_long(each) for each in placed((longest, PREFIX)))
    assert any(too_long(each) for each in placed((longer, PREFIX)))
    assert not any(too_long(each) for each in placed((longer, EXACT)))


@steady
@given(st.text("/ab._-%2F5", max_size=12).map("/".__add__))
def test_a_path_that_is_taken_is_what_nginx_will_compare_with(text: str) -> None:
    try:
        taken = parse_path(text, PREFIX, regex=False)
    except ValueError:
        return
    assert taken == unquote(text)
    assert "//" not in taken
    assert not {".", ".."} & set(taken.split("/"))
