"""Every row of the dialect by itself: a value that its parser accepts is printed, and nginx reads it as it was meant."""

from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.api import Ref
from headgate.dialects import read_annotations, read_configmap
from headgate.model.options import Options, over
from headgate.model.server import Location, Server
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.model.values import Snippet
from headgate.translate import translate
from tests.safety.amounts import Part, parts
from tests.safety.hostile import moulded
from tests.safety.judgement import judge
from tests.safety.rows import ANNOTATION_NAMES, CONFIGMAP_NAMES, PREFIX, SPELLINGS, moulds_of, with_needed
from tests.safety.tally import Tally
from tests.safety.worlds import all_settings, snapshot_of
from tests.support.manifests import behind, external_name, ingress, path, rule

_AT_A_TIME = 5
_NAMES = tuple((table, name) for table, names in (("", CONFIGMAP_NAMES), (PREFIX, ANNOTATION_NAMES)) for name in names)
_SAID = st.sampled_from(_NAMES).flatmap(
    lambda row: st.tuples(st.just(row), moulded(moulds_of(row[1]))),
)


def test_every_spelling_is_of_a_row() -> None:
    assert set(SPELLINGS) <= {*ANNOTATION_NAMES, *CONFIGMAP_NAMES}


@pytest.mark.parametrize(("table", "name"), [row for row in _NAMES if row[1] in SPELLINGS])
def test_what_is_right_is_accepted(table: str, name: str) -> None:
    assert _accepted(table, name, SPELLINGS[name].right) is not None


@pytest.mark.parametrize("part", parts(0.1), ids=lambda part: str(part.number))
def test_a_value_that_is_accepted_is_read_as_it_was_meant(part: Part, tally: Tally) -> None:
    @part.tried(at_a_time=_AT_A_TIME)
    @given(st.lists(_SAID, min_size=_AT_A_TIME, max_size=_AT_A_TIME))
    def holds(said: list[tuple[tuple[str, str], str]]) -> None:
        for (table, name), text in said:
            options = _accepted(table, name, text)
            tally.note(table + name, accepted=options is not None)
            if options is not None:
                model = _in_config(options) if not table else _in_ingress(options)
                assert not judge(model, all_settings()[0].capabilities).unprintable, (
                    "what our parsers accept, our printer prints"
                )

    holds()
    assert tally.accepted.total() > tally.tried.total() * 0.05


def _accepted(table: str, name: str, text: str) -> Options | None:
    raw = {table + key: value for key, value in {**with_needed(name), name: text}.items()}
    reading = read_annotations(raw, snippets=True) if table else read_configmap(raw)
    return None if reading.problems else reading.options


@cache
def _model() -> Model:
    """One Ingress of our own: a path for each way to a backend."""
    manifests = [
        ingress("web", rule("web.test", path("/a", "web"), path("/b", "ext"), path("/c", "grpc", kind="Exact"))),
        *behind("web", 8080),
        *behind("grpc", 8080, speaks="grpc"),
        external_name("ext", "backend.example.com", 80),
    ]
    return translate(snapshot_of(manifests), Settings(resolver=("127.0.0.1",))).model


def _in_config(said: Options) -> Model:
    model = _model()
    main = msgspec.structs.replace(
        model.shape.main, options=over(model.shape.main.options, said), source=Ref("ConfigMap", "a", "b")
    )
    return msgspec.structs.replace(model, shape=msgspec.structs.replace(model.shape, main=main))


def _in_ingress(said: Options) -> Model:
    model = _model()
    (site,) = model.shape.sites
    options = over(model.shape.main.options, said)
    upstreams = tuple(msgspec.structs.replace(each, balancing=options.balancing) for each in site.upstreams)
    servers = tuple(_saying(each, said, options) for each in site.servers)
    sites = (msgspec.structs.replace(site, servers=servers, upstreams=upstreams),)
    return msgspec.structs.replace(model, shape=msgspec.structs.replace(model.shape, sites=sites))


def _saying(server: Server, said: Options, options: Options) -> Server:
    locations = tuple(_with(each, options) for each in server.locations)
    return msgspec.structs.replace(server, said=said, options=options, locations=locations)


def _with(location: Location, options: Options) -> Location:
    text, rewrites = options.snippets.location, options.routing.rewrites or ()
    snippet = Snippet(text, location.source) if text and text.strip() else None
    changed = msgspec.structs.replace(location, snippet=snippet)
    if not rewrites or not hasattr(location.target, "rewrite"):
        return changed
    return msgspec.structs.replace(changed, target=msgspec.structs.replace(location.target, rewrite=rewrites[0].target))
