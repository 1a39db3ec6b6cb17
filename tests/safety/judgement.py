"""Judge a rendering: the model in, and an assertion for everything that nginx must and must not read in the files of it."""

import re

from headgate.api import Ref
from headgate.model.capabilities import Capabilities
from headgate.model.fileset import File
from headgate.model.layout import Layout
from headgate.model.server import Site
from headgate.model.shape import Model
from headgate.render import Rendering, render
from tests.safety.twins import Twins, closed, read_cached, without_computed
from tests.support.nginx_tokens import Broken

LAYOUT = Layout(tree="/state/nginx", run="/state/run", temp="/state/tmp", access_log="/state/log/access.log")
_MAIN, _DEFAULT = "nginx.conf", "conf.d/_default-server.conf"
_PATH = re.compile(r"(conf\.d/[A-Za-z0-9.-]{1,240}\.conf|secrets/[A-Za-z0-9.-]{1,240})", re.ASCII)


def judge(model: Model, can: Capabilities, layout: Layout = LAYOUT) -> Rendering:
    """Holds that nginx reads of this model what it reads of its harmless twin, with every word as the model has it."""
    rendering = render(model, can, layout)
    twins = Twins(model)
    harmless = render(twins.twin, can, layout)
    blamed = {blame.ref for blame in rendering.unprintable}
    files, others = dict(rendering.files.files), dict(harmless.files.files)
    for ref, twin_ref in zip(model.shape.certificates, twins.twin.shape.certificates, strict=True):
        path, file = _take(files, ref)
        assert file.secret
        twins.files[f"{layout.tree}/{_take(others, twin_ref)[0]}"] = f"{layout.tree}/{path}"
    for site, twin in zip(model.shape.sites, twins.twin.shape.sites, strict=True):
        if site.source not in blamed:
            _hold(_take(files, site.source)[1], _take(others, twin.source)[1], twins, snippets_of(site))
    if model.shape.main.source not in blamed:
        _hold(files.pop(_MAIN), others[_MAIN], twins, [closed(model.shape.main.options.snippets.main or "")])
    _hold_default_server(files.pop(_DEFAULT, None), model, blamed)
    assert not files, f"nobody asked for {list(files)}"
    return rendering


def _take(files: dict[str, File], source: Ref) -> tuple[str, File]:
    """The one file of an object, and where it is."""
    (path,) = (path for path, file in files.items() if file.source == source and path != _MAIN)
    assert _PATH.fullmatch(path)
    return path, files.pop(path)


def _hold(file: File, twin: File, twins: Twins, snippets: list[str]) -> None:
    """The same reading; a text that nginx cannot read at all is the fault of a snippet."""
    assert "".join(block.text for block in file.blocks) == file.text
    assert all(block.text.endswith("\n") for block in file.blocks)
    if any(_is_broken(text) for text in snippets):
        assert _is_broken(file.text), "a snippet that nginx cannot read has become one that it can"
        return
    assert without_computed(read_cached(file.text)) == without_computed(twins.expected(read_cached(twin.text)))


def _is_broken(text: str) -> bool:
    try:
        read_cached(text)
    except Broken:
        return True
    return False


def _hold_default_server(file: File | None, model: Model, blamed: set[Ref]) -> None:
    """Names that nobody has are never left to a tenant's server."""
    served = (server for site in model.shape.sites if site.source not in blamed for server in site.servers)
    assert (file is None) == any(not server.host.text for server in served)


def snippets_of(site: Site) -> list[str]:
    texts = [server.options.snippets.server for server in site.servers]
    texts += [location.snippet.text for server in site.servers for location in server.locations if location.snippet]
    return [closed(text) for text in texts if text]
