"""Safe by construction: even a model that no translation would make is printed as it is, or blamed on its source.

The strings of a sound model are replaced by hostile ones, whatever they are: names, addresses, headers, patterns, reasons.
"""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headgate.api import Ref
from headgate.cli.flags import layout_of
from headgate.errors import Unusable
from headgate.model.capabilities import Capabilities
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.nginx.verify import version_file
from headgate.render import render
from headgate.translate import translate
from tests.safety.amounts import Part, parts
from tests.safety.hostile import moulded
from tests.safety.judgement import LAYOUT, judge
from tests.safety.rows import PREFIX, SPELLINGS
from tests.safety.tally import Tally
from tests.safety.twins import mapped
from tests.safety.worlds import snapshot_of
from tests.support.certificates import pair
from tests.support.manifests import (
    behind,
    configmap,
    endpoints,
    external_name,
    ingress,
    path,
    rule,
    tls_for,
    tls_secret,
    to,
)
from tests.support.nginx_tokens import read

_CAN = Capabilities()
_CONFIG = Ref("ConfigMap", "nginx", "config")


@cache
def _model() -> Model:
    """Something of everything that the model can say."""
    said = {
        name: SPELLINGS[name].right
        for name in ("proxy-set-headers", "proxy-hide-headers", "rewrites", "websocket-services", "hsts")
    }
    annotations = {PREFIX + key: value for key, value in said.items()} | {
        PREFIX + "lb-method": "hash $request_uri consistent"
    }
    config = {"log-format": "$status\n$request", "proxy-hide-headers": "X-Hidden"}
    manifests = [
        ingress(
            "web",
            rule("web.test", path("/a", "web"), path("/b", "ext")),
            annotations=annotations,
            tls=[tls_for("pair", "web.test")],
        ),
        ingress(
            "wild", rule("*.wild.test", path("/a/[b]", "web")), annotations={PREFIX + "path-regex": "case_sensitive"}
        ),
        ingress("last", default=to("web")),
        *behind("web", 8080),
        endpoints("web", "fd00::1", port=8080, suffix="2"),
        external_name("ext", "backend.example.com", 443, speaks="https"),
        tls_secret("pair", pair("web.test")),
        configmap(_CONFIG.name, config, namespace=_CONFIG.namespace),
    ]
    return translate(snapshot_of(manifests), Settings(resolver=("127.0.0.1",), configmap=_CONFIG)).model


@cache
def _strings() -> tuple[str, ...]:
    """Every string of the model that may be printed, in a fixed order. A kind becomes a word in lower case, and is never a user's."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found[text] = None
        return text

    mapped(_model().shape.sites, note, note, {})
    mapped(_model().shape.main, note, note, {})
    mapped(_model().table, note, note, {})
    return tuple(text for text in found if text and text not in ("Ingress", "ConfigMap"))


@pytest.mark.parametrize("part", parts(0.05), ids=lambda part: str(part.number))
def test_a_hostile_model_is_printed_as_it_is_or_blamed(part: Part, tally: Tally) -> None:
    replaced = st.dictionaries(
        st.sampled_from(_strings()), moulded(("{}", "/{}", "a{}", "{}a")), min_size=2, max_size=2
    )

    @part.tried(at_a_time=2)
    @given(replaced)
    def holds(instead: dict[str, str]) -> None:
        assume(len({*instead.values(), *_strings()}) == len(instead) + len(_strings()))  # two names stay two
        model: Model = mapped(_model(), lambda text: instead.get(text, text), lambda text: text, {})
        rendering = judge(model, _CAN)
        blamed = {blame.ref for blame in rendering.unprintable}
        assert blamed <= {site.source for site in model.shape.sites} | {model.shape.main.source}
        for text in instead:
            tally.note(text, accepted=not blamed)

    holds()
    assert tally.accepted.total() > tally.tried.total() * 0.1


def test_one_that_cannot_be_printed_does_not_stop_the_others() -> None:
    model: Model = mapped(_model(), lambda text: "/a\n}" if text == "/b" else text, lambda text: text, {})
    rendering = render(model, _CAN, LAYOUT)
    assert [blame.ref.name for blame in rendering.unprintable] == ["web"]
    assert {"nginx.conf", "conf.d/default-wild.conf", "conf.d/default-last.conf"} <= rendering.files.files.keys()


def test_a_configmap_that_cannot_be_printed_is_blamed_and_not_everybody() -> None:
    model: Model = mapped(_model(), lambda text: "a\n}" if text == "$status" else text, lambda text: text, {})
    rendering = render(model, _CAN, LAYOUT)
    assert [blame.ref for blame in rendering.unprintable] == [_CONFIG]
    assert {"conf.d/default-web.conf", "conf.d/default-wild.conf"} <= rendering.files.files.keys()


def test_names_that_nobody_has_are_not_left_to_a_tenant_when_the_server_of_last_resort_cannot_be_printed() -> None:
    instead = {"ingress/default/last/web": "a\n", "last": "last\n"}
    model: Model = mapped(_model(), lambda text: instead.get(text, text), lambda text: text, {})
    assert "conf.d/_default-server.conf" in judge(model, _CAN).files.files


@pytest.mark.parametrize(
    "folder", ["/srv/my state", "/srv/it's", '/srv/"a"', "/srv/a;b", "/srv/{a}", "/srv/a#b", "/srv/é", "/srv/a\\b"]
)
def test_a_state_folder_of_any_name_is_read_as_it_is(folder: str) -> None:
    layout = layout_of(Path(folder))
    files = judge(_model(), _CAN, layout).files.files
    assert ("pid", f"{folder}/run/nginx.pid") in {each.words for each in read(files["nginx.conf"].text)}
    (server,) = read(version_file(layout, 7).text)
    assert server.block is not None
    assert server.block[0].words == ("listen", f"unix:{folder}/run/nginx-config-version.sock")


@pytest.mark.parametrize("folder", ["/srv/$host", "/srv/a\nb", "/srv/a\x1bb", "/srv/" + "a" * 3000])
def test_a_state_folder_that_nginx_would_misread_is_refused_at_the_start(folder: str) -> None:
    with pytest.raises(Unusable):
        layout_of(Path(folder))
