"""Who gets a host: age, then UID, then name; the same answer in whatever order the rivals are seen."""

from itertools import permutations

import pytest

from headgate.api import Meta, Ref
from headgate.model.server import Host, HostKind, Server, Site
from headgate.translate.claims import Claim
from headgate.translate.settle import lost_findings, settle

SHOP = Host("shop.test")
EARLY, LATE = "2024-01-01T00:00:00Z", "2024-06-01T00:00:00Z"


def claim(name: str, *hosts: Host, created: str = "", uid: str = "", namespace: str = "default") -> Claim:
    meta = Meta(name=name, namespace=namespace, uid=uid, creation_timestamp=created)
    source = Ref("Ingress", namespace, name)
    servers = tuple(Server(host, source) for host in hosts or (SHOP,))
    return Claim(source, meta, Site(source, servers))


def winner(*rivals: Claim) -> str:
    """Of all orders in which they can be seen there must be one answer."""
    names = set()
    for order in permutations(rivals):
        lost = settle(order)
        (left,) = {rival.source for rival in rivals} - set(lost)
        assert all(taker == left for hosts in lost.values() for taker in hosts.values())
        names.add(left.name)
    (name,) = names
    return name


def test_oldest_claim_wins_even_if_seen_last() -> None:
    young, old = claim("young", created=LATE), claim("old", created=EARLY)
    assert settle([young, old]) == {young.source: {SHOP: old.source}}


def test_the_greater_uid_wins_among_equals() -> None:
    assert winner(claim("a", created=EARLY, uid="1"), claim("b", created=EARLY, uid="2")) == "b"


def test_age_comes_before_the_uid() -> None:
    assert winner(claim("a", created=EARLY, uid="1"), claim("b", created=LATE, uid="2")) == "a"


def test_the_first_name_wins_where_nothing_else_decides() -> None:
    assert winner(claim("b"), claim("a"), claim("c")) == "a"


def test_the_namespace_comes_before_the_name() -> None:
    assert winner(claim("a", namespace="z"), claim("b", namespace="a")) == "b"


def test_a_missing_time_counts_as_equal() -> None:
    assert winner(claim("dated", created=EARLY, uid="1"), claim("undated", uid="2")) == "undated"
    assert winner(claim("dated", created=EARLY, uid="2"), claim("undated", uid="1")) == "dated"


def test_one_missing_time_among_three_makes_age_silent_for_all() -> None:
    """Comparing them two by two would go round in a circle: old before young, young equal to undated, undated equal to old."""
    rivals = claim("old", created=EARLY, uid="1"), claim("young", created=LATE, uid="3"), claim("undated", uid="2")
    assert winner(*rivals) == "young"


@pytest.mark.parametrize("ages", [("", "", ""), (EARLY, EARLY, EARLY), (EARLY, LATE, LATE), ("", EARLY, LATE)])
@pytest.mark.parametrize("uids", [("", "", ""), ("1", "2", "3"), ("3", "3", "1"), ("", "1", "1")])
def test_three_rivals_always_have_one_winner(ages: tuple[str, ...], uids: tuple[str, ...]) -> None:
    rivals = [claim(name, created=age, uid=uid) for name, age, uid in zip("abc", ages, uids, strict=True)]
    assert winner(*rivals) in ("a", "b", "c")


def test_a_loser_keeps_its_other_hosts() -> None:
    first, second = claim("a", SHOP, Host("a.test")), claim("b", SHOP, Host("b.test"))
    assert settle([first, second]) == {second.source: {SHOP: first.source}}


def test_each_host_is_settled_by_itself() -> None:
    ours, theirs = Host("ours.test"), Host("theirs.test")
    old, middle, young = (
        claim("old", ours, created="1"),
        claim("middle", ours, theirs, created="2"),
        claim("young", theirs),
    )
    lost = settle([old, middle, young])
    assert lost == {middle.source: {ours: old.source}, young.source: {theirs: middle.source}}


def test_a_wildcard_and_a_name_do_not_collide() -> None:
    assert settle([claim("a", Host("test")), claim("b", Host("test", HostKind.ONE_LABEL))]) == {}


def test_no_rivals_no_losers() -> None:
    assert settle([claim("a", Host("a.test")), claim("b", Host("b.test"))]) == {}
    assert settle([]) == {}


@pytest.mark.parametrize(
    ("host", "spoken"),
    [
        (SHOP, "host shop.test is taken by Ingress default/a"),
        (Host("test", HostKind.ONE_LABEL), "host *.test is taken by Ingress default/a"),
        (Host(""), "the host of last resort (a rule without a host) is taken by Ingress default/a"),
    ],
)
def test_the_loser_is_told_by_name_who_has_its_host(host: Host, spoken: str) -> None:
    (finding,) = lost_findings(settle([claim("b", host), claim("a", host)]))
    assert finding.ref.name == "b"
    assert finding.message.startswith(spoken)
