"""Statuses: our own addresses while something is served, nobody else's touched, only differences."""

from headgate.api import LoadBalancerIngress, Ref
from headgate.api.status import PortStatus
from headgate.model.outcome import Blame, Unreachable
from headgate.model.report import StatusPatch
from tests.support.manifests import ingress_class, route
from tests.unit.status.scenes import OURS, Scene, edited

SHOP = Ref("Ingress", "default", "shop")
OTHERS = LoadBalancerIngress(hostname="other.example.com", ports=(PortStatus(80, "TCP"),))
NEW = LoadBalancerIngress(ip="203.0.113.8")


def _shop(**annotations: str) -> dict[str, object]:
    return edited(route("shop", "shop.test", "web"), **annotations)


def test_what_is_served_gets_our_addresses() -> None:
    assert Scene().put(_shop()).go().patches == (StatusPatch(SHOP, (OURS,)),)


def test_only_differences_are_written() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.go().patches == ()
    assert scene.another_leader().go().patches == ()


def test_the_order_of_entries_is_no_difference() -> None:
    scene = Scene(addresses=(OURS, NEW)).put(_shop())
    scene.shown[SHOP] = (NEW, OTHERS, OURS)
    assert scene.go().patches == ()


def test_entries_of_others_stay_with_their_ports() -> None:
    scene = Scene().put(_shop())
    scene.shown[SHOP] = (OTHERS,)
    assert scene.go().patches == (StatusPatch(SHOP, (OTHERS, OURS)),)


def test_an_address_that_changed_is_replaced() -> None:
    scene = Scene().put(_shop())
    scene.shown[SHOP] = (OTHERS,)
    scene.go()
    scene.addresses = (NEW,)
    assert scene.go().patches == (StatusPatch(SHOP, (OTHERS, NEW)),)


def test_addresses_that_are_gone_are_taken_out() -> None:
    scene = Scene().put(_shop())
    scene.go()
    scene.addresses = ()
    assert scene.go().patches == (StatusPatch(SHOP, ()),)


def test_a_source_that_is_gone_leaves_no_address_behind() -> None:
    scene = Scene().put(_shop())
    scene.go()
    scene.addresses = None
    assert scene.go().patches == (StatusPatch(SHOP, ()),)


def test_nothing_is_touched_before_an_address_is_known() -> None:
    scene = Scene(addresses=None).put(_shop())
    scene.shown[SHOP] = (OTHERS,)
    assert scene.go().patches == ()


def test_nothing_is_written_when_statuses_are_not_ours_to_write() -> None:
    scene = Scene(statuses=False).put(_shop(proxy_buffering="perhaps"))
    scene.shown[SHOP] = (OURS,)
    assert scene.go().patches == ()


def test_an_object_that_was_never_served_and_shows_our_address_loses_it() -> None:
    scene = Scene().put(_shop(proxy_buffering="perhaps"))
    scene.shown[SHOP] = (OTHERS, OURS)
    assert scene.go().patches == (StatusPatch(SHOP, (OTHERS,)),)


def test_a_rejected_edit_keeps_its_address_since_the_version_before_serves() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.put(_shop(proxy_buffering="perhaps")).go().patches == ()


def test_an_object_that_nginx_never_took_gets_none() -> None:
    scene = Scene().put(_shop())
    assert scene.go(blame=[Blame(SHOP, "it is bad")]).patches == ()


def test_an_object_whose_hosts_are_all_taken_gets_none() -> None:
    older = route("first", "shop.test", "web", created="2026-01-01T00:00:00Z")
    later = route("shop", "shop.test", "web", created="2026-02-01T00:00:00Z")
    (patch,) = Scene().put(older, later).go().patches
    assert patch.ref.name == "first"


def test_an_object_that_left_our_class_loses_our_address_and_nothing_else() -> None:
    mine = route("shop", "shop.test", "web", class_name="nginx")
    scene = Scene().put(ingress_class("other", "example.com/other"), mine)
    scene.shown[SHOP] = (OTHERS,)
    scene.go()
    scene.put(route("shop", "shop.test", "web", class_name="other"))
    assert scene.go().patches == (StatusPatch(SHOP, (OTHERS,)),)
    assert scene.go().patches == ()


def test_that_loss_is_tried_again_until_the_cluster_shows_it() -> None:
    scene = Scene().put(route("shop", "shop.test", "web", class_name="nginx"))
    scene.go()
    scene.put(route("shop", "shop.test", "web", class_name="other"))
    assert scene.go().patches == (StatusPatch(SHOP, ()),)
    scene.shown[SHOP] = (OURS,)  # it was not written after all
    assert scene.go().patches == (StatusPatch(SHOP, ()),)


def test_an_object_of_another_class_is_none_of_our_business() -> None:
    scene = Scene().put(route("shop", "shop.test", "web", class_name="other"))
    scene.shown[SHOP] = (OURS,)
    assert scene.go().patches == ()


def test_a_deleted_object_has_no_status() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.drop(SHOP).go().patches == ()


def test_what_is_not_live_yet_has_no_address_yet() -> None:
    scene = Scene().put(_shop())
    assert scene.go(Unreachable("nginx is away")).patches == ()


def test_what_goes_on_serving_keeps_its_address_when_nginx_is_away() -> None:
    scene = Scene().put(_shop())
    scene.go()
    assert scene.drop(SHOP).put(_shop(keepalive="5")).go(Unreachable("nginx is away")).patches == ()
