"""A bad object keeps its last accepted self; editing it lifts the hold; each refusal holds one more, so it ends."""

from headgate.api import Ref, Snapshot
from headgate.controller.held import Accepted, Held, contributors
from headgate.model.finding import Finding, Severity
from headgate.model.outcome import Blame
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.translate import translate
from tests.support.certificates import pair
from tests.support.manifests import Manifest, configmap, route, tls_for, tls_secret
from tests.unit.worlds import known, world

SHOP, PAIR, MAP = (
    Ref("Ingress", "default", "shop"),
    Ref("Secret", "default", "pair"),
    Ref("ConfigMap", "default", "settings"),
)
SETTINGS = Settings(configmap=MAP)
GOOD, BETTER, BAD = (route("shop", host, "web") for host in ("good.test", "better.test", "BAD.test"))


def model_of(snapshot: Snapshot) -> Model:
    return translate(snapshot, SETTINGS).model


def accepting(*said: Manifest, generation: int = 1) -> Held:
    held, snapshot = Held(), world(*said)
    held.accept(model_of(snapshot), snapshot, generation)
    return held


def rejected(ref: Ref = SHOP, message: str = "it is wrong") -> Finding:
    return Finding(ref, Severity.ERROR, "Rejected", message, "spec")


def refused_by_rules(held: Held, snapshot: Snapshot, ref: Ref = SHOP) -> set[Ref]:
    return held.reject([ref], [rejected(ref)], snapshot)


def refused_by_nginx(held: Held, snapshot: Snapshot, ref: Ref = SHOP) -> set[Ref]:
    return held.hold([Blame(ref, "unknown directive")], snapshot)


def test_nothing_is_held_at_first() -> None:
    held = Held()
    assert (len(held), held.stand_ins(world(GOOD)), held.findings()) == (0, {}, [])


# --- our own rules ---


def test_the_accepted_version_stands_in_for_a_rejected_one() -> None:
    held, now = accepting(GOOD), world(BAD)
    assert refused_by_rules(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: known(GOOD)}
    assert SHOP in held


def test_a_rejected_object_without_an_accepted_version_stays_in_place() -> None:
    """Nothing of it is in the model, and its findings are told by translating it."""
    held, now = Held(), world(BAD)
    assert refused_by_rules(held, now) == set()
    assert held.stand_ins(now) == {}
    assert len(held) == 0


def test_the_same_version_cannot_stand_in_for_itself() -> None:
    """Accepted once, rejected now: what is wrong is not in it, but in what it is read against."""
    held, now = accepting(GOOD), world(GOOD)
    assert refused_by_rules(held, now) == set()
    assert held.stand_ins(now) == {}


def test_what_cannot_be_held_is_not() -> None:
    held, now = accepting(GOOD), world(BAD)
    assert refused_by_rules(held, now, Ref("Service", "default", "web")) == set()
    assert refused_by_rules(held, now, Ref("Ingress", "default", "gone")) == set()


def test_rejecting_twice_holds_once() -> None:
    held, now = accepting(GOOD), world(BAD)
    refused_by_rules(held, now)
    assert refused_by_rules(held, now) == set()
    assert len(held) == 1


def test_what_was_said_is_kept_with_what_serves_instead() -> None:
    held = accepting(GOOD, generation=7)
    refused_by_rules(held, world(BAD))
    (finding,) = held.findings()
    assert finding.message == "it is wrong. The version accepted at generation 7 keeps serving"
    assert (finding.ref, finding.field, finding.severity) == (SHOP, "spec", Severity.ERROR)


def test_a_renewal_that_failed_is_a_warning() -> None:
    shop = route("shop", "good.test", "web", tls=[tls_for("pair", "good.test")])
    held = accepting(shop, good := tls_secret("pair", pair("good.test")))
    refused_by_rules(held, world(shop, {**good, "data": {}}), PAIR)
    assert [finding.severity for finding in held.findings()] == [Severity.WARNING]


# --- lifting ---


def test_editing_lifts_the_hold() -> None:
    held = accepting(GOOD)
    refused_by_rules(held, world(BAD))
    assert held.stand_ins(world(BETTER)) == {}
    assert SHOP not in held


def test_an_equal_object_lifts_nothing() -> None:
    """A touched file is a new object with the same content."""
    held = accepting(GOOD)
    refused_by_rules(held, world(BAD))
    assert held.stand_ins(world(BAD)) == {SHOP: known(GOOD)}


def test_deleting_lifts_the_hold() -> None:
    held = accepting(GOOD)
    refused_by_rules(held, world(BAD))
    assert held.stand_ins(world()) == {}
    assert len(held) == 0


# --- nginx ---


def test_nginx_refuses_a_new_version_and_the_old_one_stands_in() -> None:
    held, now = accepting(GOOD, generation=3), world(BETTER)
    assert refused_by_nginx(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: known(GOOD)}
    (finding,) = held.findings()
    assert finding.message == "nginx refuses it: unknown directive. The version accepted at generation 3 keeps serving"


def test_nginx_refuses_a_first_version_and_it_is_left_out() -> None:
    held, now = Held(), world(GOOD)
    assert refused_by_nginx(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: None}
    assert "No version of it was ever accepted" in held.findings()[0].message


def test_nginx_refuses_the_stand_in_too_and_nothing_is_left() -> None:
    held, now = accepting(GOOD), world(BETTER)
    assert refused_by_nginx(held, now) == {SHOP}
    assert refused_by_nginx(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: None}
    assert refused_by_nginx(held, now) == set()  # so that asking nginx again ends


def test_nginx_refuses_the_stand_in_of_a_version_that_our_rules_rejected() -> None:
    held, now = accepting(GOOD), world(BAD)
    refused_by_rules(held, now)
    assert refused_by_nginx(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: None}
    assert [finding.reason for finding in held.findings()] == ["Rejected", "Refused"]


def test_nginx_refuses_the_accepted_version_because_the_world_changed() -> None:
    held, now = accepting(GOOD), world(GOOD)
    assert refused_by_nginx(held, now) == {SHOP}
    assert held.stand_ins(now) == {SHOP: None}


def test_an_object_that_is_gone_cannot_be_held() -> None:
    assert refused_by_nginx(accepting(GOOD), world()) == set()


# --- accepting ---


def test_accepting_names_what_is_new() -> None:
    held, snapshot = Held(), world(GOOD, configmap("settings", {"keepalive": "1"}))
    model = model_of(snapshot)
    assert set(held.accept(model, snapshot, 1)) == {SHOP, MAP}
    assert held.accept(model, snapshot, 2) == []


def test_a_version_keeps_the_generation_in_which_it_was_first_accepted() -> None:
    held = accepting(GOOD, generation=1)
    again = world(GOOD)
    held.accept(model_of(again), again, 5)
    assert _generation(held) == 1
    newer = world(BETTER)
    held.accept(model_of(newer), newer, 6)
    assert _generation(held) == 6


def _generation(held: Held) -> int:
    accepted = held.accepted(SHOP)
    assert accepted is not None
    return accepted.generation


def test_a_rejected_version_is_not_accepted_because_others_are_live() -> None:
    held, now = accepting(GOOD), world(BAD)
    refused_by_rules(held, now)
    served = now.replacing(held.stand_ins(now))
    assert held.accept(model_of(served), served, 2) == []
    assert held.accepted(SHOP) == Accepted(known(GOOD), 1)


def test_who_contributes_to_a_model() -> None:
    shop = route("shop", "good.test", "web", tls=[tls_for("pair", "good.test")])
    unused = tls_secret("unused", pair("good.test"))
    snapshot = world(shop, tls_secret("pair", pair("good.test")), unused, configmap("settings", {}))
    assert set(contributors(model_of(snapshot))) == {SHOP, PAIR, MAP}


def test_suspects_are_those_that_nginx_never_took_shared_ones_first() -> None:
    held = accepting(GOOD, configmap("settings", {}))
    tea = route("tea", "tea.test", "web", tls=[tls_for("pair", "tea.test")])
    now = world(GOOD, tea, tls_secret("pair", pair("tea.test")), configmap("settings", {"keepalive": "1"}))
    assert held.suspects(model_of(now), now) == (MAP, PAIR, Ref("Ingress", "default", "tea"))


# --- forgetting ---


def with_uid(uid: str) -> Manifest:
    return route("shop", f"uid-{uid}.test", "web", uid=uid)


def test_a_deleted_object_leaves_nothing_behind() -> None:
    held = accepting(GOOD)
    assert held.forget_gone(world()) == [SHOP]
    assert held.accepted(SHOP) is None


def test_only_the_names_that_changed_are_looked_at() -> None:
    held = accepting(GOOD)
    assert held.forget_gone(world(), []) == []
    assert held.forget_gone(world(), [Ref("Ingress", "default", "other"), SHOP]) == [SHOP]


def test_another_object_of_the_same_name_is_another_object() -> None:
    """Deleted and created again: what the old one had been accepted with is not its own."""
    held = accepting(with_uid("1"))
    assert held.forget_gone(world(with_uid("1"))) == []
    assert held.forget_gone(world(with_uid("2"))) == [SHOP]


def test_without_uids_a_name_is_one_life() -> None:
    assert accepting(with_uid("1")).forget_gone(world(GOOD)) == []
    assert accepting(GOOD).forget_gone(world(with_uid("1"))) == []


def test_a_malformed_version_is_the_same_object() -> None:
    assert accepting(with_uid("1")).forget_gone(world({**GOOD, "spec": {"rules": "none"}})) == []
