"""The memo compiles again only what looked at something that changed: seen by identity, since equal would prove nothing."""

from headgate.api import Ref
from headgate.cluster.store import Store
from headgate.model.server import Site
from headgate.model.settings import Settings
from headgate.translate import Memo, translate
from tests.support.certificates import pair
from tests.support.manifests import behind, configmap, endpoints, ingress_class, route, tls_for, tls_secret
from tests.unit.worlds import Said, objects, store_of

SETTINGS = Settings(configmap=Ref("ConfigMap", "default", "settings"))


class Passes:
    """A store and a memo, pass after pass."""

    def __init__(self, *said: Said) -> None:
        self.store: Store = store_of(*said)
        self.memo = Memo()
        self.stale: frozenset[Ref] | None = None

    def sites(self) -> dict[str, Site]:
        found = translate(self.store.snapshot(), SETTINGS, memo=self.memo, stale=self.stale)
        self.stale = frozenset()
        return {site.source.name: site for site in found.model.shape.sites}

    def put(self, *said: Said) -> None:
        self.stale = (self.stale or frozenset()) | self.store.put(objects(*said))

    def drop(self, kind: str, name: str) -> None:
        self.stale = (self.stale or frozenset()) | self.store.drop([Ref(kind, "default", name)])


def rebuilt(passes: Passes, *said: Said) -> set[str]:
    """Which sites are not the very same values after this change."""
    before = passes.sites()
    passes.put(*said)
    after = passes.sites()
    return {name for name in before.keys() | after.keys() if before.get(name) is not after.get(name)}


def two_shops() -> Passes:
    shops = [route(name, f"{name}.test", name, tls=[tls_for(name, f"{name}.test")]) for name in ("tea", "coffee")]
    return Passes(shops, behind("tea", 80, "10.0.0.1"), behind("coffee", 80, "10.0.0.2"))


def test_nothing_changed_nothing_built() -> None:
    assert rebuilt(two_shops()) == set()


def test_an_edited_ingress_is_built_and_no_other() -> None:
    assert rebuilt(two_shops(), route("tea", "green.test", "tea")) == {"tea"}


def test_an_equal_ingress_is_not() -> None:
    passes = two_shops()
    assert rebuilt(passes, route("tea", "tea.test", "tea", tls=[tls_for("tea", "tea.test")])) == set()


def test_a_changed_service_builds_those_that_use_it() -> None:
    assert rebuilt(two_shops(), behind("tea", 81, "10.0.0.1", speaks="https")) == {"tea"}


def test_moved_endpoints_do_so_too() -> None:
    assert rebuilt(two_shops(), endpoints("tea", "10.0.0.9", port=80)) == {"tea"}


def test_a_slice_that_nobody_uses_builds_nobody() -> None:
    assert rebuilt(two_shops(), endpoints("milk", "10.0.0.9", port=80)) == set()


def test_creating_the_missing_secret_changes_the_answer() -> None:
    """A miss is a look too."""
    assert rebuilt(two_shops(), tls_secret("tea", pair("tea.test"))) == {"tea"}


def test_creating_the_missing_service_changes_the_answer() -> None:
    passes = Passes(route("tea", "tea.test", "tea"), route("milk", "milk.test", "milk"))
    assert rebuilt(passes, behind("milk", 80, "10.0.0.1", speaks="https")) == {"milk"}


def test_what_everybody_is_read_against_builds_everybody() -> None:
    assert rebuilt(two_shops(), configmap("settings", {"keepalive": "3"})) == {"tea", "coffee"}


def test_a_class_that_takes_us_away_takes_the_site_away() -> None:
    passes = Passes(route("tea", "tea.test", "tea"))
    assert rebuilt(passes, ingress_class("foreign", "example.com/other", is_default=True)) == {"tea"}
    assert passes.sites() == {}


def test_a_deleted_ingress_is_forgotten() -> None:
    passes = two_shops()
    passes.sites()
    passes.drop("Ingress", "tea")
    assert set(passes.sites()) == {"coffee"}
    assert ("default", "tea") not in passes.memo.compiled
    assert Ref("Service", "default", "tea") not in passes.memo.readers


def test_a_loser_gets_its_host_when_the_winner_goes() -> None:
    passes = Passes(route("a", "shop.test", "web"), route("b", "shop.test", "web"))
    assert set(passes.sites()) == {"a"}
    passes.drop("Ingress", "a")
    assert set(passes.sites()) == {"b"}


def test_what_is_left_of_a_loser_is_the_same_value_each_time() -> None:
    passes = Passes(route("a", "shop.test", "web"), two_hosts := _two_hosts())
    first = passes.sites()["b"]
    assert [server.host.text for server in first.servers] == ["own.test"]
    passes.put(two_hosts)
    assert passes.sites()["b"] is first


def _two_hosts() -> dict[str, object]:
    made = route("b", "shop.test", "web")
    made["spec"]["rules"].append({**made["spec"]["rules"][0], "host": "own.test"})
    return made
