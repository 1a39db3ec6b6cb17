"""Hostile text in every field of every object, through the front door: nginx reads what was meant, or the object is refused."""

from random import Random

import pytest
from hypothesis import Phase, find, given, settings

from headgate.api import Ref
from headgate.model.finding import Severity
from headgate.model.translation import Translation
from headgate.translate import translate
from tests.safety.amounts import STEADY, Part, parts
from tests.safety.fields import FIELDS, FREE
from tests.safety.judgement import judge
from tests.safety.tally import Tally
from tests.safety.worlds import World, Written, snapshot_of, worlds

_VALUES_IN_A_WORLD = 9


@pytest.mark.parametrize("part", parts(0.3), ids=lambda part: str(part.number))
def test_nginx_reads_of_hostile_objects_what_was_meant(part: Part, tally: Tally) -> None:
    served: list[bool] = []

    @part.tried(at_a_time=_VALUES_IN_A_WORLD)
    @given(worlds())
    def holds(world: World) -> None:
        translation = translated(world)
        rendering = judge(translation.model, world.settings.capabilities)
        assert not rendering.unprintable, "what our parsers accept, our printer prints"
        _hold_sentences(translation)
        if not world.settings.snippets:
            _hold_no_snippets(translation)
        served.append(bool(translation.model.shape.sites))
        for each in world.written:
            tally.note(each.field, accepted=_is_accepted(each, translation))

    holds()
    assert sum(served) > len(served) * 0.4, "hostile text that nobody accepts proves nothing"
    assert tally.accepted.total() > tally.tried.total() * 0.1


@pytest.mark.parametrize("field", sorted(FREE))
def test_where_any_text_may_stand_hostile_text_is_served(field: str) -> None:
    def is_served(world: World) -> bool:
        translation = translated(world)
        return any(each.field == field and _is_accepted(each, translation) for each in world.written)

    searched = settings(STEADY, max_examples=500, phases=(Phase.generate,))
    found = find(worlds(field), is_served, settings=searched, random=Random(1))
    judge(translated(found).model, found.settings.capabilities)


@pytest.mark.parametrize("field", sorted(FIELDS - FREE))
def test_where_only_some_text_may_stand_hostile_text_is_tried(field: str) -> None:
    """What is hostile there is refused, or is what it should be, as `5s` is in whatever stands around it."""

    @settings(STEADY, max_examples=4)
    @given(worlds(field))
    def holds(world: World) -> None:
        assert field in {each.field for each in world.written}
        judge(translated(world).model, world.settings.capabilities)

    holds()


def translated(world: World) -> Translation:
    return translate(snapshot_of(world.manifests), world.settings)


def _hold_no_snippets(translation: Translation) -> None:
    """Without the switch, no tenant's snippet comes as far as the model; the ConfigMap's may."""
    for server in (server for site in translation.model.shape.sites for server in site.servers):
        assert (server.said.snippets.server, server.said.snippets.location) == (None, None)


def _hold_sentences(translation: Translation) -> None:
    """What is said about hostile text is one line, and nothing that a terminal would obey."""
    for finding in translation.findings:
        assert finding.sentence().isprintable(), finding.sentence()


def _is_accepted(each: Written, translation: Translation) -> bool:
    model = translation.model
    meta = each.of["metadata"]
    if each.of["kind"] == "Ingress":
        source = Ref("Ingress", meta.get("namespace") or "default", meta["name"])
        return any(site.source == source for site in model.shape.sites)
    if each.of["kind"] == "ConfigMap":
        key = each.text if each.field == "config key" else each.field.removeprefix("config ")
        wrong = {finding.field for finding in translation.findings if finding.severity is Severity.ERROR}
        return f"data[{key}]" not in wrong
    return bool(model.shape.sites)
