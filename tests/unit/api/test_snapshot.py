"""Stand-ins in a snapshot: what is replaced, what is left out, and what is shared with the world as it is."""

from headgate.api import EndpointSlice, Ingress, Malformed, Meta, Ref, Service, Snapshot

TEA = Ingress(Meta("tea"))
COFFEE = Ingress(Meta("coffee"))
OLDER_TEA = Ingress(Meta("tea", generation=1))
SERVICE = Service(Meta("tea"))
LABELS = {"kubernetes.io/service-name": "tea"}
BAD_SLICE = Malformed(Ref("EndpointSlice", "default", "tea-2"), "must be a list, not text")
SLICES = tuple(EndpointSlice(Meta(name, labels=LABELS)) for name in ("tea-1", "tea-3"))

WORLD = Snapshot(
    objects={
        "Ingress": {("default", "tea"): TEA, ("default", "coffee"): COFFEE},
        "Service": {("default", "tea"): SERVICE},
        "EndpointSlice": {
            ("default", "tea-1"): SLICES[0],
            ("default", "tea-2"): BAD_SLICE,
            ("default", "tea-3"): SLICES[1],
        },
    },
    slices={("default", "tea"): SLICES},
)


def test_without_stand_ins_it_is_the_same_snapshot() -> None:
    assert WORLD.replacing({}) is WORLD


def test_a_stand_in_takes_the_place_of_its_object() -> None:
    held = WORLD.replacing({TEA.ref: OLDER_TEA})
    assert held.get(TEA.ref) is OLDER_TEA
    assert held.get(COFFEE.ref) is COFFEE
    assert WORLD.get(TEA.ref) is TEA


def test_without_a_stand_in_the_object_is_left_out() -> None:
    held = WORLD.replacing({TEA.ref: None, COFFEE.ref: None})
    assert list(held.of_kind("Ingress")) == []


def test_other_kinds_are_shared() -> None:
    held = WORLD.replacing({TEA.ref: None})
    assert held.objects["Service"] is WORLD.objects["Service"]
    assert held.slices is WORLD.slices


def test_a_stand_in_for_a_slice_serves_its_service_again() -> None:
    last_good = EndpointSlice(Meta("tea-2", labels=LABELS))
    held = WORLD.replacing({BAD_SLICE.ref: last_good})
    assert [one.meta.name for one in held.endpoint_slices("default", "tea")] == ["tea-1", "tea-2", "tea-3"]
    assert WORLD.endpoint_slices("default", "tea") == SLICES


def test_a_slice_that_is_left_out_leaves_its_service() -> None:
    held = WORLD.replacing({SLICES[0].ref: None, SLICES[1].ref: None})
    assert held.endpoint_slices("default", "tea") == ()
