"""What holds for every world: order means nothing, memos are invisible, and a model does not differ from itself."""

import random

import pytest

from headgate.api import Ref
from headgate.cluster.store import Store
from headgate.model.change import Unchanged, diff
from headgate.model.layout import Layout
from headgate.model.shape import Model
from headgate.model.translation import Translation
from headgate.render import RenderMemo, render
from headgate.translate import Memo, translate
from tests.support.manifests import Manifest
from tests.unit.translate.random_worlds import SETTINGS, Maker, shuffled
from tests.unit.worlds import objects, world

SEEDS = range(40)
LAYOUT = Layout()


def printed(model: Model, memo: RenderMemo | None = None) -> dict[str, str]:
    rendering = render(model, SETTINGS.capabilities, LAYOUT, memo=memo)
    assert rendering.unprintable == ()
    return {name: file.text for name, file in rendering.files.files.items()}


def read(*made: Manifest) -> Translation:
    return translate(world(made), SETTINGS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_objects_means_nothing(seed: int) -> None:
    made = Maker(seed).world()
    mixed = random.Random(seed).sample(made, len(made))
    first, second = read(*made), read(*mixed)
    assert first == second
    assert printed(first.model) == printed(second.model)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rules_and_paths_means_nothing(seed: int) -> None:
    made = [_once(each) for each in Maker(seed).world()]
    dice = random.Random(seed)
    assert printed(read(*made).model) == printed(read(*(shuffled(each, dice) for each in made)).model)


def _once(made: Manifest) -> Manifest:
    """With each host said in one rule only: of two equal paths for one host the first counts, and a finding says so."""
    rules = {each.get("host", ""): each for each in made.get("spec", {}).get("rules", ())}
    return {**made, "spec": {**made["spec"], "rules": list(rules.values())}} if rules else made


@pytest.mark.parametrize("seed", SEEDS)
def test_a_model_does_not_differ_from_itself(seed: int) -> None:
    made = Maker(seed).world()
    one, other = read(*made).model, read(*made).model
    assert diff(one, one) == Unchanged()
    assert diff(one, other) == Unchanged()


def edit(store: Store, maker: Maker) -> frozenset[Ref]:
    """A few objects come, change or go; the names that the store gives out."""
    fresh = objects([maker.any_object() for _ in range(maker.dice.randint(0, 2))])
    there = [each.ref for kind in store.snapshot().objects.values() for each in kind.values()]
    gone = maker.dice.sample(there, min(len(there), maker.dice.randint(0, 1)))
    return store.drop(gone) | store.put(fresh)


@pytest.mark.parametrize("seed", range(12))
def test_memos_are_invisible(seed: int) -> None:
    """Thirty edits; after each one the remembering answer is the fresh answer, translated and printed."""
    maker, store, memo, print_memo = Maker(seed), Store(), Memo(), RenderMemo()
    store.put(objects(maker.world(12)))
    stale: frozenset[Ref] | None = None
    for _ in range(30):
        snapshot = store.snapshot()
        remembered = translate(snapshot, SETTINGS, memo=memo, stale=stale)
        fresh = translate(snapshot, SETTINGS)
        assert remembered == fresh
        assert printed(remembered.model, print_memo) == printed(fresh.model)
        stale = edit(store, maker)


@pytest.mark.parametrize("seed", range(4))
def test_memos_are_invisible_when_nobody_knows_what_changed(seed: int) -> None:
    maker, store, memo = Maker(seed), Store(), Memo()
    for _ in range(20):
        edit(store, maker)
        snapshot = store.snapshot()
        assert translate(snapshot, SETTINGS, memo=memo, stale=None) == translate(snapshot, SETTINGS)
