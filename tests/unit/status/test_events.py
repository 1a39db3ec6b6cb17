"""Events: what is said about objects, by which reason, and never twice."""

from headgate.api import Ref
from headgate.model.outcome import Blame, Refused, Unreachable
from headgate.model.report import EventType
from tests.support.certificates import mismatched, pair
from tests.support.manifests import Manifest, behind, configmap, ingress, path, route, rule, tls_for, tls_secret
from tests.unit.status.scenes import OURS, POD, SPECIAL, Scene, edited, only, spoken

SHOP = Ref("Ingress", "default", "shop")
AWAY = Unreachable("nginx did not answer with generation 2 within 60 s")


def _shop(**annotations: str) -> Manifest:
    return edited(route("shop", "shop.test", "web", uid="shop-uid"), **annotations)


def test_what_is_served_is_said_once() -> None:
    scene = Scene().put(_shop())
    event = only(scene.go())
    assert (event.ref, event.uid, event.type, event.reason) == (SHOP, "shop-uid", EventType.NORMAL, "AddedOrUpdated")
    assert event.message == "nginx serves it for shop.test"
    assert scene.go().events == ()


def test_many_hosts_are_not_all_named() -> None:
    many = ingress("shop", *(rule(f"{name}.test", path("/", "web")) for name in "abcde"))
    assert only(Scene().put(many).go()).message == "nginx serves it for a.test, b.test, c.test and 2 more"


def test_every_edit_that_goes_live_is_acknowledged() -> None:
    scene = Scene().put(_shop())
    first = only(scene.go())
    assert only(scene.put(_shop(keepalive="5")).go()) == first


def test_endpoints_that_move_are_nothing_to_talk_about() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.put(*behind("web", 8080, "10.0.0.2")).go().events == ()


def test_a_warning_is_said_and_so_is_its_end() -> None:
    scene = Scene().put(edited(route("shop", "shop.test", "cart")))
    event = only(scene.go())
    assert (event.type, event.reason) == (EventType.WARNING, "AddedOrUpdatedWithWarning")
    assert "Service default/cart does not exist" in event.message
    assert spoken(scene.put(*behind("cart", 8080, "10.0.0.3")).go()) == [
        ("Ingress default/shop", "Normal", "AddedOrUpdated")
    ]


def test_a_rejected_object_is_told_what_is_wrong_and_that_nothing_serves() -> None:
    event = only(Scene().put(_shop(proxy_buffering="perhaps")).go())
    assert (event.type, event.reason) == (EventType.WARNING, "Rejected")
    assert "annotation nginx.org/proxy-buffering" in event.message
    assert event.message.endswith("Nothing of it is served")


def test_a_rejected_edit_is_told_what_serves_instead_once_for_several_mistakes() -> None:
    scene = Scene().put(_shop())
    scene.go()
    event = only(scene.put(_shop(proxy_buffering="perhaps", keepalive="many")).go())
    assert event.reason == "Rejected"
    assert event.message.count("The version accepted at generation 1 keeps serving") == 1
    assert "proxy-buffering" in event.message
    assert "keepalive" in event.message


def test_what_nginx_refuses_was_understood_and_is_not_live() -> None:
    scene = Scene().put(_shop())
    scene.go()
    event = only(scene.put(_shop(keepalive="5")).go(blame=[Blame(SHOP, "unknown directive")]))
    assert (event.type, event.reason) == (EventType.WARNING, "AddedOrUpdatedWithError")
    assert event.message.startswith("It was understood, but is not live: nginx refuses it: unknown directive")
    assert event.message.endswith("The version accepted at generation 1 keeps serving")


def test_what_nginx_never_took_says_that_nothing_of_it_serves() -> None:
    event = only(Scene().put(_shop()).go(blame=[Blame(SHOP, "unknown directive")]))
    assert event.reason == "AddedOrUpdatedWithError"
    assert event.message.endswith("nothing of it is served")


def test_accepted_and_live_are_two_truths() -> None:
    scene = Scene().put(_shop())
    event = only(scene.go(AWAY))
    assert event.reason == "AddedOrUpdatedWithError"
    assert event.message == f"It was understood, but is not live: {AWAY.message}. Nothing of it is served"
    assert only(scene.go()).reason == "AddedOrUpdated"


def test_an_edit_that_is_not_live_yet_says_that_the_version_before_goes_on() -> None:
    scene = Scene().put(_shop(), route("other", "other.test", "web"))
    scene.go()
    event = only(scene.put(_shop(keepalive="5")).go(Refused((), "nobody can be blamed")))
    assert event.ref == SHOP
    assert event.message.endswith("What was served of it before goes on")


def test_a_rejection_while_nginx_is_away_says_that_it_is_not_gone_yet() -> None:
    scene = Scene().put(_shop())
    scene.go()
    scene.held.forget_gone(Scene().store.snapshot())  # its accepted version is lost
    event = only(scene.put(_shop(proxy_buffering="perhaps")).go(AWAY))
    assert event.reason == "RejectedWithError"


def test_who_lost_every_host_is_rejected_and_told_by_name_to_whom() -> None:
    older = route("first", "shop.test", "web", created="2026-01-01T00:00:00Z")
    later = route("shop", "shop.test", "web", created="2026-02-01T00:00:00Z")
    made = Scene().put(older, later).go()
    (event,) = [each for each in made.events if each.ref == SHOP]
    assert event.reason == "Rejected"
    assert "taken by Ingress default/first" in event.message


def test_long_stories_are_cut_to_what_the_api_takes() -> None:
    many = ingress("shop", *(rule(f"{name}.test", path("/", f"größe-{name * 40}")) for name in "abcdefghijkl"))
    event = only(Scene().put(many).go())
    assert 900 < len(event.message.encode()) <= 1000
    assert event.message.endswith("…")


def test_a_new_leader_repeats_warnings_but_not_that_all_is_well() -> None:
    scene = Scene().put(_shop(), route("bad", "bad.test", "cart"))
    scene.go()
    assert spoken(scene.another_leader().go()) == [("Ingress default/bad", "Warning", "AddedOrUpdatedWithWarning")]


def test_a_new_leader_says_what_shows_no_address_yet() -> None:
    scene = Scene().put(_shop())
    scene.shown[SHOP] = ()
    assert only(scene.go()).reason == "AddedOrUpdated"
    quiet = Scene().put(_shop())
    quiet.shown[SHOP] = (OURS,)
    assert quiet.go().events == ()


def test_events_are_said_also_where_statuses_are_not_ours_to_write() -> None:
    assert only(Scene(statuses=False).put(_shop()).go()).reason == "AddedOrUpdated"


def test_a_deleted_object_is_forgotten_and_said_again_when_it_returns() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.drop(SHOP).go().events == ()
    scene.shown.clear()
    assert only(scene.put(_shop()).go()).reason == "AddedOrUpdated"


def test_a_configmap_that_is_in_force() -> None:
    scene = Scene().put(configmap("settings", {"http2": "true"}, uid="cm-uid"))
    event = only(scene.go())
    assert (str(event.ref), event.uid, event.reason) == ("ConfigMap default/settings", "cm-uid", "Updated")
    assert scene.go().events == ()
    assert only(scene.put(configmap("settings", {"http2": "false"})).go()).reason == "Updated"


def test_a_configmap_with_keys_that_are_wrong_says_each_and_the_whole() -> None:
    made = Scene().put(configmap("settings", {"http2": "perhaps", "keepalive": "many"})).go()
    assert [each.reason for each in made.events] == ["InvalidValue", "InvalidValue", "UpdatedWithError"]
    assert all(each.type is EventType.WARNING for each in made.events)


def test_a_configmap_that_nginx_refuses() -> None:
    scene = Scene().put(configmap("settings", {"http2": "true"}))
    scene.go()
    scene.put(configmap("settings", {"main-snippets": "nonsense;"}))
    event = only(scene.go(blame=[Blame(Ref("ConfigMap", "default", "settings"), "unknown directive")]))
    assert event.reason == "UpdatedWithError"
    assert "keeps serving" in event.message


def test_a_secret_that_is_no_pair_is_told_itself() -> None:
    shop = route("shop", "shop.test", "web", tls=[tls_for("pair", "shop.test")])
    made = Scene().put(shop, tls_secret("pair", mismatched("shop.test"), uid="secret-uid")).go()
    assert ("Secret default/pair", "Warning", "SecretInvalid") in spoken(made)
    assert "key does not belong" in next(each.message for each in made.events if each.ref.kind == "Secret")


def test_special_secrets_are_told_on_our_own_pod() -> None:
    scene = Scene().put(tls_secret("fallback", pair("shop.test")))
    assert scene.go().events == ()
    event = only(scene.put(tls_secret("fallback", pair("shop.test"))).go())
    assert (event.ref, event.uid, event.reason) == (POD, "pod-uid", "SecretUpdated")
    assert scene.go().events == ()
    event = only(scene.put(tls_secret("fallback", mismatched("shop.test"))).go())
    assert (event.ref, event.reason) == (POD, "Rejected")
    assert "keeps serving" in event.message
    assert only(scene.drop(SPECIAL).go()).reason == "SecretDeleted"
    assert scene.go().events == ()


def test_a_special_secret_that_is_not_there_at_our_start_is_no_deletion() -> None:
    assert Scene().go().events == ()
