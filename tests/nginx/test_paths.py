"""Which path of a host gets the request: Exact, Prefix by element, ImplementationSpecific, and the odd characters."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.support.backends import Backends
from tests.support.gate import Gate
from tests.support.manifests import Manifest, ingress, path, route, rule
from tests.support.site import Site

# The table of the Kubernetes documentation, row by row: (paths of the Ingress, request, who gets it).
DOCUMENTED: list[tuple[list[tuple[str | None, str]], str, str | None]] = [
    ([("Prefix", "/")], "/any/path", "0"),
    ([("Exact", "/foo")], "/foo", "0"),
    ([("Exact", "/foo")], "/bar", None),
    ([("Exact", "/foo")], "/foo/", None),
    ([("Exact", "/foo/")], "/foo", None),
    ([("Exact", "/foo/")], "/foo/", "0"),
    ([("Prefix", "/foo")], "/foo", "0"),
    ([("Prefix", "/foo")], "/foo/", "0"),
    ([("Prefix", "/foo/")], "/foo", "0"),
    ([("Prefix", "/foo/")], "/foo/", "0"),
    ([("Prefix", "/foo")], "/foobar", None),
    ([("Prefix", "/foo/")], "/foobar", None),
    ([("Prefix", "/foo")], "/foo/bar", "0"),
    ([("Prefix", "/aaa/bb")], "/aaa/bbb", None),
    ([("Prefix", "/aaa/bbb")], "/aaa/bbb", "0"),
    ([("Prefix", "/aaa/bbb/")], "/aaa/bbb", "0"),
    ([("Prefix", "/aaa/bbb")], "/aaa/bbb/", "0"),
    ([("Prefix", "/aaa/bbb")], "/aaa/bbb/ccc", "0"),
    ([("Prefix", "/aaa/bbb")], "/aaa/bbbxyz", None),
    ([("Prefix", "/"), ("Prefix", "/aaa")], "/aaa/ccc", "1"),
    ([("Prefix", "/aaa"), ("Prefix", "/")], "/aaa/ccc", "0"),
    ([("Prefix", "/"), ("Prefix", "/aaa")], "/ccc", "0"),
    ([("Prefix", "/"), ("Prefix", "/aaa"), ("Prefix", "/aaa/bbb")], "/aaa/bbb", "2"),
    ([("Prefix", "/aaa")], "/ccc", None),
    ([("Prefix", "/foo"), ("Exact", "/foo")], "/foo", "1"),
    ([("Exact", "/foo"), ("Prefix", "/foo")], "/foo", "0"),
    ([("Exact", "/foo"), ("Prefix", "/foo")], "/foo/bar", "1"),
    ([("Exact", "/foo"), ("Prefix", "/foo")], "/foo/", "1"),
    ([("Prefix", "/foo/"), ("Exact", "/foo")], "/foo", "1"),
    ([("Exact", "/"), ("Prefix", "/a")], "/", "0"),
    ([("Exact", "/")], "/x", None),
    ([("Prefix", "/foo")], "/Foo", None),
    ([("ImplementationSpecific", "/foo")], "/foobar", "0"),
    ([("ImplementationSpecific", "/foo")], "/foo", "0"),
    ([("ImplementationSpecific", "/foo")], "/fo", None),
    ([("ImplementationSpecific", "/foo"), ("Prefix", "/foo")], "/foobar", "0"),
    ([("ImplementationSpecific", "/foo"), ("Prefix", "/foo")], "/foo/bar", "1"),
    ([("ImplementationSpecific", "/foo"), ("Prefix", "/foo/bar")], "/foo/barn", "0"),
    ([("ImplementationSpecific", "")], "/anything", "0"),
    ([(None, "/foo")], "/foobar", "0"),
]


def _host(number: int) -> str:
    return f"row-{number}.test"


@pytest.fixture(scope="module")
def documented(common: Site) -> Site:
    """Every row as an Ingress with a host of its own; the backends are named after their place in the row."""
    rows = [
        ingress(
            f"row-{number}",
            rule(_host(number), *(path(text, f"p{i}", kind=kind) for i, (kind, text) in enumerate(said))),
        )
        for number, (said, _, _) in enumerate(DOCUMENTED)
    ]
    common.apply(common.echoes("p0", "p1", "p2"), rows)
    return common


@pytest.mark.parametrize("number", range(len(DOCUMENTED)), ids=[f"{s} {t} {w}" for s, t, w in DOCUMENTED])
def test_the_table_of_the_documentation(documented: Site, number: int) -> None:
    _, target, wins = DOCUMENTED[number]
    answer = documented.ask(target, host=_host(number))
    if wins is None:
        # Above all no redirect to the same path with a slash, which nginx makes by itself.
        assert (answer.status, answer.reason) == (404, "no-path")
    else:
        assert answer.backend == f"p{wins}"
        assert answer.json["target"] == target


ORDERED = [
    ("Exact", "/a"),
    ("Prefix", "/a"),
    ("Prefix", "/a/b"),
    ("ImplementationSpecific", "/a/bc"),
    ("Exact", "/a/b/"),
]
ASKED = ["/a", "/a/", "/a/x", "/a/b", "/a/b/", "/a/b/c", "/a/bc", "/a/bcd", "/ab", "/"]


def test_the_order_of_paths_does_not_matter(site: Site) -> None:
    paths = [path(text, f"p{number}", kind=kind) for number, (kind, text) in enumerate(ORDERED)]
    site.apply(
        site.echoes(*(f"p{number}" for number in range(len(ORDERED)))),
        ingress("forwards", rule("forwards.test", *paths)),
        ingress("backwards", rule("backwards.test", *reversed(paths))),
    )
    forwards, backwards = (
        [site.ask(target, host=host).backend for target in ASKED] for host in ("forwards.test", "backwards.test")
    )
    assert forwards == ["p0", "p1", "p1", "p2", "p4", "p2", "p3", "p3", None, None]
    assert backwards == forwards


# As written in the manifest, and as a browser would ask for it.
ODD = [
    ("/with space", "/with%20space"),
    ('/double"quote', "/double%22quote"),
    ("/single'quote", "/single'quote"),
    ("/curly{brace}", "/curly%7Bbrace%7D"),
    ("/closing}", "/closing}"),
    ("/semi;colon", "/semi;colon"),
    ("/$host", "/$host"),
    ("/${uri}", "/$%7Buri%7D"),
    ("/dollar$", "/dollar$"),
    ("/back\\slash", "/back%5Cslash"),
    ("/ends-with\\", "/ends-with%5C"),
    ("/ha%23sh", "/ha%23sh"),
    ("/que%3Fstion", "/que%3Fstion"),
    ("/caf\u00e9", "/caf%C3%A9"),
    ("/\u6771\u4eac", "/%E6%9D%B1%E4%BA%AC"),
    ("/\U0001f375", "/%F0%9F%8D%B5"),
    ("/plus+sign", "/plus+sign"),
    ("/star*", "/star*"),
    ("/(round)", "/(round)"),
    ("/[square]", "/[square]"),
    ("/~tilde", "/~tilde"),
    ("/=equals", "/=equals"),
    ("/@at", "/@at"),
    ("/^caret", "/%5Ecaret"),
    ("/pipe|", "/pipe%7C"),
    ("/encoded%20space", "/encoded%20space"),
    ("/encoded%7Bbrace", "/encoded{brace"),
    ("/caf%C3%A9-encoded", "/caf\u00e9-encoded"),
    ("/100%25", "/100%25"),
    ("/dot.dot", "/dot.dot"),
    ("/...", "/..."),
]


@pytest.fixture(scope="module")
def odd(common: Site) -> Site:
    """Every odd path once as Exact, Prefix and ImplementationSpecific, on a host for each kind."""

    def of(kind: str) -> Manifest:
        paths = [path(text, f"odd-{number}", kind=kind) for number, (text, _) in enumerate(ODD)]
        return ingress(kind.lower(), rule(f"{kind.lower()}.odd.test", *paths))

    common.apply(
        common.echoes(*(f"odd-{number}" for number in range(len(ODD)))),
        [of(kind) for kind in ("Exact", "Prefix", "ImplementationSpecific")],
    )
    return common


@pytest.mark.parametrize("kind", ["exact", "prefix", "implementationspecific"])
@pytest.mark.parametrize("number", range(len(ODD)), ids=[quote(text) for text, _ in ODD])
def test_odd_characters_are_served_right(odd: Site, number: int, kind: str) -> None:
    _, target = ODD[number]
    answer = odd.ask(target, host=f"{kind}.odd.test")
    assert answer.backend == f"odd-{number}"
    assert answer.json["target"] == target.encode().decode("latin-1"), "the backend gets the target as it was sent"


@pytest.mark.parametrize("number", range(len(ODD)), ids=[quote(text) for text, _ in ODD])
def test_below_odd_characters(odd: Site, number: int) -> None:
    _, target = ODD[number]
    assert odd.ask(f"{target}/below", host="prefix.odd.test").backend == f"odd-{number}"
    assert odd.ask(f"{target}x", host="prefix.odd.test").backend is None


def test_the_query_is_no_part_of_the_path(site: Site) -> None:
    site.apply(site.echoes("web"), ingress("web", rule("query.test", path("/foo", "web", kind="Exact"))))
    answer = site.ask("/foo?a=/bar&b=%2F", host="query.test")
    assert answer.json["target"] == "/foo?a=/bar&b=%2F"


@pytest.mark.parametrize("target", ["/foo%2Fbar", "/foo//bar", "/foo/./bar", "/foo/x/../bar"])
def test_the_backend_gets_the_path_as_the_client_wrote_it(site: Site, target: str) -> None:
    site.apply(site.echoes("web"), route("web", "raw.test", "web", text="/foo"))
    assert site.ask(target, host="raw.test").json["target"] == target


REFUSED = {
    "an encoded slash": "/a%2Fb",
    "an encoded slash in small letters": "/a%2fb",
    "an encoded NUL": "/a%00b",
    "two slashes": "/a//b",
    "two dots": "/a/../b",
    "encoded dots": "/a/%2e%2e/b",
    "256 bytes": "/" + "x" * 255,
    "more bytes than letters": "/" + "\u00e9" * 200,
    "no slash in front": "a/b",
    "a line end": "/a\nb",
    "a question mark": "/a?b",
    "half an escape": "/100%",
    "bytes that are no UTF-8": "/a%FFb",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_path_that_cannot_be_served_is_refused_with_a_sentence(site: Site, text: str) -> None:
    web = site.echoes("web")
    site.apply(
        web,
        ingress("bad", rule("bad.test", path(text, "web"), path("/good", "web"))),
        route("good", "good.test", "web"),
    )
    site.says("Ingress", "bad", "path")
    assert site.ask("/good", host="bad.test").backend is None, "a rejected object has no version to serve"
    assert site.ask(host="good.test").backend == "web", "nobody else is touched"


@pytest.mark.parametrize(("kind", "length"), [("Exact", 255), ("Prefix", 254), ("ImplementationSpecific", 255)])
def test_the_longest_path_is_still_told_from_its_neighbours(site: Site, kind: str, length: int) -> None:
    text = "/" + "x" * (length - 1)
    site.apply(
        site.echoes("long", "rest"),
        ingress("long", rule("long.test", path(text, "long", kind=kind), path("/", "rest"))),
    )
    assert [site.ask(asked, host="long.test").backend for asked in (text, text[:-1], text[:100])] == [
        "long",
        "rest",
        "rest",
    ]


def test_the_same_path_twice_does_not_stop_anything(site: Site) -> None:
    site.apply(
        site.echoes("first", "second"),
        ingress("twice", rule("twice.test", path("/x", "first"), path("/x", "second"), path("/y", "second"))),
        route("other", "other.test", "first"),
    )
    site.says("Ingress", "twice", "/x")
    assert site.ask(host="other.test").backend == "first"


@pytest.fixture(scope="module")
def nic(backends: Backends) -> Iterator[Site]:
    gate = Gate("--ingress-semantics", "nic")
    try:
        site = Site(gate.start(), backends)
        site.apply(
            site.echoes("prefix", "exact", "slash"),
            ingress(
                "web",
                rule(
                    "nic.test",
                    path("/foo", "prefix"),
                    path("/exact", "exact", kind="Exact"),
                    path("/slash/", "slash"),
                ),
            ),
        )
        yield site
    finally:
        gate.close()


@pytest.mark.parametrize(
    ("target", "wins"),
    [
        ("/foo", "prefix"),
        ("/foo/bar", "prefix"),
        ("/foobar", "prefix"),
        ("/exact", "exact"),
        ("/exact/", None),
        ("/slash/x", "slash"),
        ("/slash", None),
        ("/slashed", None),
    ],
)
def test_in_nic_semantics_a_prefix_is_what_nginx_means_by_it(nic: Site, target: str, wins: str | None) -> None:
    assert nic.ask(target, host="nic.test").backend == wins
