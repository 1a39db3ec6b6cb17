"""One tenant never stops another: neither by a name, nor by a number, nor by a text that takes for ever to read."""

import hashlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.api import Ref
from headgate.dialects import read_annotations, read_configmap
from headgate.model.capabilities import Capabilities
from headgate.model.finding import Severity
from headgate.model.server import Site
from headgate.model.settings import Settings
from headgate.model.shape import Model, Shape
from headgate.render import render
from headgate.render.names import file_names
from headgate.translate import translate
from tests.safety import oracle
from tests.safety.amounts import STEADY
from tests.safety.hostile import hostile
from tests.safety.judgement import LAYOUT
from tests.safety.rows import ANNOTATION_NAMES, PREFIX, SPELLINGS, moulds_of, with_needed
from tests.safety.worlds import all_settings, snapshot_of
from tests.support.manifests import Manifest, behind, ingress, path, rule

_WEB = behind("web", 8080)


def _with_pattern(text: str) -> Manifest:
    return ingress("web", rule("web.test", path(text, "web")), annotations={PREFIX + "path-regex": "case_sensitive"})


@pytest.mark.parametrize(
    "text", ["/(?<headgate_upgrade>x)", "/(?P<http_upgrade>x)", "/(?'args'x)", "/\\(?<a>", "/a|(?:b(?<c>d))"]
)
def test_a_pattern_that_would_set_a_variable_for_everybody_is_refused(text: str) -> None:
    translation = translate(snapshot_of([_with_pattern(text), *_WEB]), Settings())
    assert not translation.model.shape.sites
    assert any("names a group" in each.message for each in translation.findings if each.severity is Severity.ERROR)


@pytest.mark.parametrize("text", ["/(a)", "/(?:a)", "/a(?=b)", "/(?<=a)b", "/(?<!a)b", "/(?i)a", "/(?>a)"])
def test_a_pattern_without_names_is_served(text: str) -> None:
    assert translate(snapshot_of([_with_pattern(text), *_WEB]), Settings()).model.shape.sites


_NAMES = st.lists(st.sampled_from(["a", "b", "-", "a-b", "x" * 60]), min_size=1, max_size=5).map("".join)


def test_two_objects_never_have_one_file() -> None:
    @settings(STEADY, max_examples=200)
    @given(st.sets(st.builds(Ref, st.just("Ingress"), _NAMES | hostile(), _NAMES | hostile()), max_size=12))
    def holds(refs: set[Ref]) -> None:
        names = file_names(refs)
        assert len(set(names.values())) == len(refs)
        assert all(len(name) <= 240 and name.isprintable() and "/" not in name for name in names.values())

    holds()


def test_a_name_that_imitates_the_hash_of_another_does_not_take_its_file() -> None:
    first, second = Ref("Ingress", "a", "b-c"), Ref("Ingress", "a-b", "c")
    digest = hashlib.blake2b(str(second).encode(), digest_size=4).hexdigest()
    imitation = Ref("Ingress", "a", f"b-c-{digest}")
    names = file_names([first, second, imitation])
    assert names[first] == "a-b-c"
    assert names[imitation] == f"a-b-c-{digest}"
    assert names[second].startswith("a-b-c-")
    assert len(set(names.values())) == 3


def test_the_heading_of_a_file_is_one_line() -> None:
    source = Ref("Ingress", "shop", "web\nserver { listen 1; }\n#")
    main = translate(snapshot_of([]), Settings()).model.shape.main
    rendering = render(Model(Shape(main, sites=(Site(source),))), Capabilities(), LAYOUT)
    assert [blame.ref for blame in rendering.unprintable] == [source]


# Each repeats something that a careless pattern can match in more than one way.
_ENDLESS = (
    "1y" + " " * 5_000 + "x",
    "1" * 20_000,
    "$aaaaaaaa" * 2_000 + "!",
    "a," * 5_000 + "!",
    "a-" * 5_000 + "!",
    "\\\\" * 5_000 + '"',
    "{" * 5_000,
)


@pytest.mark.parametrize("name", list(SPELLINGS))
def test_no_value_takes_for_ever_to_read(name: str) -> None:
    for text in (mould.replace("{}", endless) for mould in moulds_of(name) for endless in _ENDLESS):
        read_annotations({PREFIX + name: text}, snippets=True)
        read_configmap({name: text})


def _greatest(name: str) -> list[str]:
    """The greatest numbers that the row accepts, one for each way to write them."""
    found = []
    for unit in ("", "s", "y", "k", "m", "g", " 8k", " 999999m"):
        for digits in range(19, 0, -1):
            said = {PREFIX + key: value for key, value in {**with_needed(name), name: "9" * digits + unit}.items()}
            if not read_annotations(said, snippets=False).problems:
                found.append("9" * digits + unit)
                break
    return found


@pytest.mark.nginx
@pytest.mark.parametrize("name", [name for name in ANNOTATION_NAMES if _greatest(name)])
def test_no_number_is_too_much_for_nginx(name: str) -> None:
    """nginx allocates for some of them while it reads: it must neither crash nor take all memory."""
    for text in _greatest(name):
        said = {PREFIX + key: value for key, value in {**with_needed(name), name: text}.items()}
        manifests = [ingress("web", rule("web.test", path("/", "web")), annotations=said), *_WEB]
        settled = msgspec.structs.replace(all_settings()[0], snippets=False)
        translation = translate(snapshot_of(manifests), settled)
        with oracle.folder() as home:
            told = oracle.refusals(translation, settled, home)
        assert all(b"alloc" not in words for words in told)
