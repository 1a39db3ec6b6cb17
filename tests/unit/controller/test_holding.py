"""Translating with stand-ins: what is served, what is said, and that a lifted hold is forgotten."""

from headgate.api import Ref, Snapshot
from headgate.cluster.store import Store
from headgate.controller.held import Held
from headgate.controller.holding import Wanted, translate_holding
from headgate.model.settings import Settings
from headgate.translate import Memo
from tests.support.certificates import mismatched, pair
from tests.support.manifests import Manifest, behind, configmap, route, tls_for, tls_secret
from tests.unit.worlds import objects

SETTINGS = Settings(configmap=Ref("ConfigMap", "default", "settings"))
WEB = behind("web", 8080, "10.0.0.1")
TLS = [tls_for("pair", "shop.test")]


class Passes:
    """Passes of which each is accepted, as if nginx took everything."""

    def __init__(self) -> None:
        self.store, self.held, self.memo = Store(), Held(), Memo()
        self.stale: frozenset[Ref] | None = None
        self.generation = 0
        self.put(*WEB, configmap("settings", {}))

    def put(self, *said: Manifest) -> "Passes":
        names = self.store.put(objects(said))
        self.stale = (self.stale or frozenset()) | names if self.generation else None
        return self

    def drop(self, kind: str, name: str) -> "Passes":
        self.stale = (self.stale or frozenset()) | self.store.drop([Ref(kind, "default", name)])
        return self

    def go(self) -> Wanted:
        snapshot: Snapshot = self.store.snapshot()
        self.generation += 1
        self.held.forget_gone(snapshot)
        wanted = translate_holding(snapshot, self.held, SETTINGS, memo=self.memo, stale=self.stale)
        assert wanted == translate_holding(snapshot, self.held, SETTINGS, memo=Memo(), stale=None)
        self.held.accept(wanted.translation.model, wanted.served, self.generation)
        self.stale = frozenset()
        return wanted


def hosts(wanted: Wanted) -> list[str]:
    return [server.host.text for site in wanted.translation.model.shape.sites for server in site.servers]


def told(wanted: Wanted) -> list[str]:
    return [finding.sentence() for finding in wanted.findings]


def test_the_last_accepted_version_serves_while_the_new_one_is_wrong() -> None:
    passes = Passes().put(route("shop", "old.test", "web"))
    assert hosts(passes.go()) == ["old.test"]
    wanted = passes.put(route("shop", "Wrong.test", "web")).go()
    assert hosts(wanted) == ["old.test"]
    (sentence,) = told(wanted)
    assert 'write it in lower case, "wrong.test". The version accepted at generation 1 keeps serving' in sentence


def test_it_goes_on_serving_pass_after_pass_and_its_endpoints_move() -> None:
    passes = Passes().put(route("shop", "old.test", "web"))
    passes.go()
    passes.put(route("shop", "Wrong.test", "web")).go()
    wanted = passes.put(*behind("web", 8080, "10.0.0.9")).go()
    assert hosts(wanted) == ["old.test"]
    ((endpoint,),) = wanted.translation.model.table.endpoints.values()
    assert endpoint.address == "10.0.0.9"
    assert len(told(wanted)) == 1


def test_mending_it_lifts_the_hold() -> None:
    passes = Passes().put(route("shop", "old.test", "web"))
    passes.go()
    passes.put(route("shop", "Wrong.test", "web")).go()
    wanted = passes.put(route("shop", "new.test", "web")).go()
    assert hosts(wanted) == ["new.test"]
    assert told(wanted) == []


def test_a_first_version_that_is_wrong_is_left_out_and_says_so_itself() -> None:
    wanted = Passes().put(route("shop", "Wrong.test", "web"), route("tea", "tea.test", "web")).go()
    assert hosts(wanted) == ["tea.test"]
    (sentence,) = told(wanted)
    assert sentence.endswith('write it in lower case, "wrong.test"')


def test_a_malformed_version_is_held_too() -> None:
    passes = Passes().put(shop := route("shop", "old.test", "web"))
    passes.go()
    wanted = passes.put({**shop, "spec": {"rules": "none"}}).go()
    assert hosts(wanted) == ["old.test"]
    assert "must be a list, not text. The version accepted at generation 1" in told(wanted)[0]


def test_a_broken_renewal_keeps_the_old_pair() -> None:
    first = pair("shop.test")
    passes = Passes().put(route("shop", "shop.test", "web", tls=TLS), tls_secret("pair", first))
    passes.go()
    wanted = passes.put(tls_secret("pair", mismatched("shop.test"))).go()
    (certificate,) = wanted.translation.model.shape.certificates.values()
    assert certificate.pem.startswith(first.crt)
    (sentence,) = told(wanted)
    assert sentence.startswith("Secret default/pair: data[tls.key]: the key does not belong to the certificate")
    assert "keeps serving" in sentence


def test_the_next_renewal_is_taken() -> None:
    second = pair("shop.test")
    passes = Passes().put(route("shop", "shop.test", "web", tls=TLS), tls_secret("pair", pair("shop.test")))
    passes.go()
    passes.put(tls_secret("pair", mismatched("shop.test"))).go()
    wanted = passes.put(tls_secret("pair", second)).go()
    (certificate,) = wanted.translation.model.shape.certificates.values()
    assert certificate.pem.startswith(second.crt)
    assert told(wanted) == []


def test_deleting_a_held_secret_does_not_keep_its_old_pair() -> None:
    passes = Passes().put(route("shop", "shop.test", "web", tls=TLS), tls_secret("pair", pair("shop.test")))
    passes.go()
    passes.put(tls_secret("pair", mismatched("shop.test"))).go()
    wanted = passes.drop("Secret", "pair").go()
    assert wanted.translation.model.shape.certificates == {}
    assert "does not exist" in told(wanted)[0]


def test_a_malformed_configmap_keeps_its_last_accepted_words() -> None:
    passes = Passes().put(configmap("settings", {"keepalive": "3"}))
    passes.go()
    wanted = passes.put({**configmap("settings", {}), "data": {"keepalive": 4}}).go()
    assert wanted.translation.model.shape.main.options.balancing.keepalive == 3


def test_several_are_held_in_one_pass() -> None:
    names = ["a", "b", "c"]
    passes = Passes().put(*(route(name, f"{name}.test", "web") for name in names))
    passes.go()
    wanted = passes.put(*(route(name, f"{name.upper()}.test", "web") for name in names[:2])).go()
    assert hosts(wanted) == ["a.test", "b.test", "c.test"]
    assert len(told(wanted)) == 2


def test_a_held_version_still_loses_its_host_to_an_older_object() -> None:
    passes = Passes().put(route("young", "shop.test", "web", created="2024-02-01T00:00:00Z"))
    passes.go()
    passes.put(route("young", "Wrong.test", "web", created="2024-02-01T00:00:00Z")).go()
    wanted = passes.put(route("old", "shop.test", "web", created="2024-01-01T00:00:00Z")).go()
    assert [site.source.name for site in wanted.translation.model.shape.sites] == ["old"]
