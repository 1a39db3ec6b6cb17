"""Two objects want one host: the oldest wins, then the greater UID, then the name; the loser hears who has it."""

import pytest

from tests.support.manifests import Manifest, ingress, path, route, rule
from tests.support.site import Site

HOST = "wanted.test"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


def _want(name: str, **meta: str) -> Manifest:
    return route(name, HOST, name, **meta)


# (what makes the first differ, what makes the second differ): the first wins, whatever their order.
DECIDED = {
    "the older": ({"created": OLD, "uid": "1"}, {"created": NEW, "uid": "2"}),
    "the greater UID at one age": ({"created": OLD, "uid": "2"}, {"created": OLD, "uid": "1"}),
    "the greater UID without ages": ({"uid": "b"}, {"uid": "a"}),
    "the greater UID when one age is missing": ({"uid": "2"}, {"created": OLD, "uid": "1"}),
    "one with a UID": ({"uid": "1"}, {}),
}


@pytest.mark.parametrize(("first", "second"), DECIDED.values(), ids=DECIDED)
@pytest.mark.parametrize("names", [("a", "z"), ("z", "a")], ids=["named first", "named last"])
def test_who_wins(site: Site, names: tuple[str, str], first: dict[str, str], second: dict[str, str]) -> None:
    winner, loser = names
    site.apply(site.echoes("a", "z"), _want(winner, **first), _want(loser, **second))
    assert site.ask(host=HOST).backend == winner
    site.says("Ingress", loser, HOST, f"Ingress {site.namespace}/{winner}")


def test_all_else_equal_the_name_decides(site: Site) -> None:
    site.apply(site.echoes("a", "z"), _want("z"), _want("a"))
    assert site.ask(host=HOST).backend == "a"
    site.says("Ingress", "z", HOST, f"Ingress {site.namespace}/a")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_in_the_folder_does_not_matter(site: Site, order: tuple[int, ...]) -> None:
    rivals = [_want("a", uid="1"), _want("b", uid="3"), _want("c", uid="2")]
    site.apply(site.echoes("a", "b", "c"), [rivals[number] for number in order])
    assert site.ask(host=HOST).backend == "b"


def test_the_loser_gets_the_host_when_the_winner_goes(site: Site) -> None:
    both = site.echoes("winner", "loser")
    site.apply(both, _want("winner", created=OLD), _want("loser", created=NEW))
    assert site.ask(host=HOST).backend == "winner"
    site.apply(both, _want("loser", created=NEW))
    assert site.ask(host=HOST).backend == "loser"


def test_an_older_one_that_comes_later_takes_the_host(site: Site) -> None:
    both = site.echoes("old", "new")
    site.apply(both, _want("new", created=NEW))
    assert site.ask(host=HOST).backend == "new"
    site.apply(both, _want("new", created=NEW), _want("old", created=OLD))
    assert site.ask(host=HOST).backend == "old"


def test_the_loser_keeps_its_other_hosts(site: Site) -> None:
    site.apply(
        site.echoes("winner", "loser"),
        _want("winner", created=OLD),
        ingress("loser", rule(HOST, path("/", "loser")), rule("free.test", path("/", "loser")), created=NEW),
    )
    assert [site.ask(host=host).backend for host in (HOST, "free.test")] == ["winner", "loser"]


def test_paths_of_the_loser_are_not_mixed_in(site: Site) -> None:
    site.apply(
        site.echoes("winner", "loser"),
        route("winner", HOST, "winner", text="/mine", created=OLD),
        route("loser", HOST, "loser", text="/yours", created=NEW),
    )
    assert site.ask("/yours", host=HOST).reason == "no-path"


def test_a_wildcard_and_an_exact_host_do_not_collide(site: Site) -> None:
    site.apply(
        site.echoes("exact", "wild"),
        route("wild", "*.both.test", "wild", created=OLD),
        route("exact", "a.both.test", "exact", created=NEW),
    )
    assert [site.ask(host=host).backend for host in ("a.both.test", "b.both.test")] == ["exact", "wild"]


def test_hostless_ingresses_collide_by_the_same_rule(site: Site) -> None:
    site.apply(site.echoes("old", "new"), route("new", "", "new", created=NEW), route("old", "", "old", created=OLD))
    assert site.ask(host="any.test").backend == "old"
    site.says("Ingress", "new", f"Ingress {site.namespace}/old")


def test_a_rejected_rival_does_not_take_the_host(site: Site) -> None:
    broken = route("broken", HOST, "new", created=OLD, annotations={"nginx.org/proxy-read-timeout": "soon"})
    site.apply(site.echoes("new"), broken, _want("new", created=NEW))
    assert site.ask(host=HOST).backend == "new"


def test_names_that_would_share_a_file_are_both_served(site: Site) -> None:
    """a-b/c and a/b-c are both a-b-c.conf elsewhere."""
    site.apply(
        [
            {**each, "metadata": {**each["metadata"], "namespace": namespace}}
            for namespace in ("a-b", "a")
            for each in site.echoes(f"from-{namespace}")
        ],
        route("c", "one.test", "from-a-b", namespace="a-b"),
        route("b-c", "two.test", "from-a", namespace="a"),
    )
    assert [site.ask(host=host).backend for host in ("one.test", "two.test")] == ["from-a-b", "from-a"]
