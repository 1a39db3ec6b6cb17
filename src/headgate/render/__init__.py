"""Model in, `FileSet` out. Pure: templates are loaded once, nothing else touches the disk.

One file per source object, what is common said once in `nginx.conf`. What cannot be printed is our own mistake; it is left out
and blamed on its source, an Ingress or the ConfigMap, which is then held like any refused object, while everybody else goes live.
"""

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from headgate.api import Ref
from headgate.errors import Bug
from headgate.model.capabilities import Capabilities
from headgate.model.certificate import Certificate
from headgate.model.fileset import Block, File, FileSet, file_of
from headgate.model.layout import Layout
from headgate.model.outcome import Blame
from headgate.model.server import Endpoint, Site
from headgate.model.shape import Model
from headgate.render.exposure import FILE as EXPOSURE_FILE
from headgate.render.exposure import exposure_file
from headgate.render.main import default_server_file, main_file
from headgate.render.names import file_names
from headgate.render.printer import emit
from headgate.render.site import Surroundings, site_file

__all__ = ["RenderMemo", "Rendering", "render"]


class Rendering(Struct, frozen=True):
    files: FileSet
    unprintable: tuple[Blame, ...] = ()


class _Printed(Struct):
    """A file and what it was printed from; compared by identity."""

    site: Site
    endpoints: list[tuple[Endpoint, ...] | None]
    paths: list[str]  # of its certificates
    file: File


class RenderMemo:
    def __init__(self) -> None:
        self.around: Surroundings | None = None
        self.sites: dict[Ref, _Printed] = {}
        self.secrets: dict[Ref, tuple[Certificate, File]] = {}


def render(model: Model, can: Capabilities, layout: Layout, *, memo: RenderMemo | None = None) -> Rendering:
    memo = memo or RenderMemo()
    shape = model.shape
    around = Surroundings(shape.main, can, layout.tree)
    if memo.around != around:
        memo.around = around
        memo.sites.clear()
    secret_names = {ref: f"secrets/{name}" for ref, name in file_names(shape.certificates).items()}
    files: dict[str, File] = {}
    blamed: list[Blame] = []
    try:
        files["nginx.conf"] = main_file(model, around, layout, environment())
    except Bug as why:
        blamed.append(_blame(shape.main.source, why))
    pairs = {ref: (secret_names[ref], each) for ref, each in shape.certificates.items()}
    names = file_names(site.source for site in shape.sites)
    hostless = False
    for site in shape.sites:
        try:
            files[f"conf.d/{names[site.source]}.conf"] = _site(site, model, around, pairs, memo)
        except Bug as why:
            blamed.append(_blame(site.source, why))
        else:
            hostless = hostless or any(not server.host.text for server in site.servers)
    if not hostless:
        files["conf.d/_default-server.conf"] = default_server_file(around, pairs, environment())
    if (shown := exposure_file(shape.main.exposure, can, layout, environment())) is not None:
        files[EXPOSURE_FILE] = shown
    for ref, certificate in shape.certificates.items():
        files[secret_names[ref]] = _secret(certificate, memo)
    _forget(memo, shape.sites, shape.certificates)
    return Rendering(FileSet(files), tuple(blamed))


def _site(
    site: Site, model: Model, around: Surroundings, pairs: Mapping[Ref, tuple[str, Certificate]], memo: RenderMemo
) -> File:
    endpoints = [model.table.endpoints.get(upstream.name) for upstream in site.upstreams]
    paths = [pairs[s.tls.certificate][0] for s in site.servers if s.tls is not None and s.tls.certificate is not None]
    known = memo.sites.get(site.source)
    if known is not None and known.endpoints == endpoints and known.paths == paths and _same(known.site, site):
        return known.file
    file = site_file(site, around, environment(), endpoints=model.table.endpoints, certificates=pairs)
    memo.sites[site.source] = _Printed(site, endpoints, paths, file)
    return file


def _blame(source: Ref | None, why: Bug) -> Blame:
    if source is None:
        raise why
    return Blame(source, f"Headgate cannot print this object ({why}); please report it")


def _same(one: Site, other: Site) -> bool:
    return one is other or one == other


def _secret(certificate: Certificate, memo: RenderMemo) -> File:
    known = memo.secrets.get(certificate.source)
    if known is None or known[0] is not certificate:
        file = file_of(Block(certificate.source, certificate.pem), source=certificate.source, secret=True)
        known = memo.secrets[certificate.source] = (certificate, file)
    return known[1]


def _forget(memo: RenderMemo, sites: tuple[Site, ...], certificates: Mapping[Ref, Certificate]) -> None:
    """What no longer exists need not be remembered."""
    if len(memo.sites) > len(sites):
        living = {site.source for site in sites}
        for ref in [ref for ref in memo.sites if ref not in living]:
            del memo.sites[ref]
    for ref in [ref for ref in memo.secrets if ref not in certificates]:
        del memo.secrets[ref]


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("headgate.render"),
        finalize=emit,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # otherwise each use of a template looks at its file again
        autoescape=False,  # noqa: S701 - nginx's syntax, not HTML: `emit` quotes every value
    )
    made.globals.clear()  # `range`, `lipsum` and so on: templates do not compute, and each rendering would copy them
    return made
