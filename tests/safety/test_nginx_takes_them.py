"""Hostile objects that we accept go to the real `nginx -t`: it takes them, or refuses what they mean, and never how they are written."""

import re

import msgspec
import pytest
from hypothesis import assume, given, settings

from headgate.api import Ref
from headgate.model.translation import Translation
from headgate.translate import translate
from tests.safety import oracle
from tests.safety.amounts import IS_LONG, STEADY
from tests.safety.rows import PREFIX
from tests.safety.worlds import World, snapshot_of, worlds

pytestmark = pytest.mark.nginx

# Fields whose hostile text is printed. Snippets are not among them: what they mean is up to nginx.
_PRINTED = (
    "path",
    "pattern",
    "exact pattern",
    "config log-format",
    *(PREFIX + name for name in ("proxy-set-headers", "rewrites", "lb-method")),
)
_MEANING = re.compile(
    rb'unknown "[^"]*" variable|the closing bracket in ".*" variable is missing|invalid variable name in'
    rb'|invalid parameter "[^"]*\$|pcre2_compile\(\) failed',
    re.DOTALL,
)


@pytest.mark.parametrize("field", _PRINTED)
def test_nginx_never_complains_of_how_it_is_written(field: str) -> None:
    refused: list[bytes] = []

    @settings(STEADY, max_examples=100 if IS_LONG else 5)
    @given(worlds(field))
    def holds(world: World) -> None:
        translation = _without_snippets(world)
        assume(_is_served(world, field, translation))
        with oracle.folder() as home:
            refused.extend(oracle.refusals(translation, world.settings, home))

    holds()
    assert [words for words in refused if not _MEANING.match(words)] == []


def _without_snippets(world: World) -> Translation:
    manifests = [
        {**each, "data": {key: value for key, value in each["data"].items() if not key.endswith("-snippets")}}
        if each["kind"] == "ConfigMap"
        else each
        for each in world.manifests
    ]
    return translate(snapshot_of(manifests), msgspec.structs.replace(world.settings, snippets=False))


def _is_served(world: World, field: str, translation: Translation) -> bool:
    if field.startswith("config "):
        return translation.model.shape.main.options.globals.log_format is not None
    sources = {site.source for site in translation.model.shape.sites}
    metas = [each.of["metadata"] for each in world.written if each.field == field]
    return any(Ref("Ingress", meta["namespace"], meta["name"]) in sources for meta in metas)
