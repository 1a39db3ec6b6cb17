"""One source object's file: its upstreams, then its servers, as blocks that know whose they are.

A snippet of the ConfigMap stands in every tenant's file and is the ConfigMap's all the same, so servers are printed in pieces
around such text. What a template needs computed is computed here, as data.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from jinja2 import Environment
from msgspec import Struct

from headgate.api import Ref
from headgate.model.capabilities import Capabilities
from headgate.model.certificate import Certificate
from headgate.model.fileset import Block, File, file_of
from headgate.model.options import Options
from headgate.model.server import (
    Endpoint,
    Host,
    HostKind,
    Listener,
    Match,
    Path,
    Server,
    Site,
    Upstream,
)
from headgate.model.shape import Main
from headgate.model.values import Comment, Expression, Pattern, Snippet, UpstreamName, Word
from headgate.render.headers import Setting, sent, sent_grpc
from headgate.render.locations import PrintedLocation, adds_headers, printed_locations

_NOTHING = Options()
GRPC_ERRORS = (400, 401, 403, 404, 405, 408, 414, 426, 500, 501, 502, 503, 504)


class Surroundings(Struct, frozen=True, gc=False):
    """What every site is printed against."""

    main: Main
    can: Capabilities
    tree: str


class PrintedUpstream(Struct, frozen=True, gc=False):
    name: str
    method: tuple[Word | Expression, ...]
    endpoints: tuple[Endpoint, ...]
    parameters: tuple[Word, ...]
    keepalive: int


def site_file(
    site: Site,
    around: Surroundings,
    environment: Environment,
    *,
    endpoints: Mapping[UpstreamName, tuple[Endpoint, ...]],
    certificates: Mapping[Ref, tuple[str, Certificate]],
) -> File:
    heading = environment.get_template("heading.conf.j2").render(source=Comment(str(site.source)))
    blocks = [Block(None, heading)]
    if site.upstreams:
        printed = [_upstream(each, endpoints.get(each.name, ())) for each in site.upstreams]
        text = environment.get_template("upstream.conf.j2").render(upstreams=printed)
        blocks.append(Block(site.source, text))
    for server in site.servers:
        blocks.extend(server_blocks(server, around, environment, certificates))
    return file_of(*merged(blocks), source=site.source)


def merged(blocks: Iterable[Block]) -> Iterator[Block]:
    """Neighbours of one source are one block."""
    kept: Block | None = None
    for block in blocks:
        if kept is not None and kept.source == block.source:
            kept = Block(kept.source, kept.text + block.text)
            continue
        if kept is not None:
            yield kept
        kept = block
    if kept is not None:
        yield kept


def server_blocks(
    server: Server, around: Surroundings, environment: Environment, certificates: Mapping[Ref, tuple[str, Certificate]]
) -> Iterator[Block]:
    health = health_path(around.main) if not server.host.text else None
    route, locations = printed_locations(server, but=health)
    grpc = any(each.is_grpc for each in locations)
    facts = _server_facts(server, around, certificates)
    yield Block(
        server.source,
        environment.get_template("server.conf.j2").render(route=route, grpc=grpc, **facts),
    )
    if (snippet := _server_snippet(server, around)) is not None:
        if adds_headers(snippet) and facts["hsts"] is None:
            yield Block(server.source, environment.get_template("reason_header.conf.j2").render())
        yield Block(snippet.source, environment.get_template("snippet.conf.j2").render(snippet=snippet))
    if health is not None:
        yield Block(None, environment.get_template("health.conf.j2").render(health=health))
    yield from _location_blocks(server, locations, environment, hsts=facts["hsts"] is not None, grpc=grpc)


def _server_facts(
    server: Server, around: Surroundings, certificates: Mapping[Ref, tuple[str, Certificate]]
) -> dict[str, object]:
    listeners = around.main.listeners if server.host.text else default_listeners(around.main)
    tls_on = server.tls is not None or not server.host.text
    pair = server.tls.certificate if server.tls is not None else None
    redirect_port = next((each.port for each in listeners if each.tls), 443)
    hsts = server.options.hsts
    return {
        "listens": [listen for each in listeners if not each.tls or tls_on for listen in addresses(each, around.can)],
        "names": _names(server.host),
        "hostless": not server.host.text,
        "health": around.main.exposure.health_uri if not server.host.text else "",
        "http2_word": bool(around.can.http2_listen_word and around.main.options.globals.http2),
        "tls": tls_on,
        "pair": f"{around.tree}/{certificates[pair][0]}" if pair is not None and pair in certificates else None,
        "redirect": _https(redirect_port) if server.tls is not None and server.options.redirects.plain else None,
        "forwarded": Expression("https://$host$request_uri") if server.options.redirects.forwarded else None,
        "said": server.said if server.said != _NOTHING else None,
        "headers": _own_headers(server),
        "grpc_headers": sent_grpc(forwarded_tls=True) if server.options.redirects.forwarded else (),
        "hsts": _hsts_value(server.options) if hsts.enabled and (server.tls is not None or hsts.behind_proxy) else None,
        "behind_proxy": bool(hsts.behind_proxy),
        "hidden": _hidden(server),
    }


def default_listeners(main: Main) -> tuple[Listener, ...]:
    """Where the server for names that nobody has listens."""
    return (*main.listeners, *main.default_listeners)


def health_path(main: Main) -> Path | None:
    """Where that server says that nginx is alive; an operator's wish, which beats any Ingress."""
    return Path(main.exposure.health_uri, Match.EXACT) if main.exposure.health_uri else None


def addresses(listener: Listener, can: Capabilities) -> list[tuple[str, bool]]:
    """What `listen` names: an address is one, every address is two."""
    if listener.address:
        address = f"[{listener.address}]" if ":" in listener.address else listener.address
        return [(f"{address}:{listener.port}", listener.tls)]
    both = [(str(listener.port), listener.tls)]
    return [*both, (f"[::]:{listener.port}", listener.tls)] if can.ipv6 else both


def _names(host: Host) -> str | Pattern:
    if not host.text:
        return "_"
    if host.kind is HostKind.EXACT:
        return host.text
    if host.kind is HostKind.ANY_DEPTH:
        return f"*.{host.text}"
    # nginx's own wildcard matches several labels, Kubernetes means one.
    return Pattern(f"~^[^.]+\\.{re.escape(host.text)}$")


def _https(port: int) -> Expression:
    return Expression("https://$host$request_uri" if port == 443 else f"https://$host:{port}$request_uri")


def _own_headers(server: Server) -> tuple[Setting, ...]:
    """Header settings of the server; none when it inherits those of the http level."""
    if server.options.proxy.set_headers is None and not server.options.redirects.forwarded:
        return ()
    return sent(server.options.proxy.set_headers, forwarded_tls=bool(server.options.redirects.forwarded))


def _hsts_value(options: Options) -> str:
    subdomains = "; includeSubDomains" if options.hsts.include_subdomains else ""
    return f"max-age={options.hsts.max_age}{subdomains}; preload"


def _hidden(server: Server) -> tuple[str, ...]:
    """Hidden response headers, whole: a level that hides one drops all that it would have inherited."""
    hsts = server.options.hsts
    own = ("Strict-Transport-Security",) if hsts.enabled and (server.tls is not None or hsts.behind_proxy) else ()
    if server.said.proxy.hide_headers is None and not own:
        return ()
    return (*(server.options.proxy.hide_headers or ()), *own)


def _server_snippet(server: Server, around: Surroundings) -> Snippet | None:
    text = server.options.snippets.server
    if not text or not text.strip():
        return None
    own = server.said.snippets.server is not None or around.main.source is None
    return Snippet(text, server.source if own else around.main.source or server.source)


def _upstream(upstream: Upstream, endpoints: tuple[Endpoint, ...]) -> PrintedUpstream:
    balancing = upstream.balancing
    method: list[Word | Expression] = [Word(word) for word in balancing.method.words] if balancing.method else []
    if balancing.method and balancing.method.key is not None:
        method.append(Expression(balancing.method.key))
        if balancing.method.consistent:
            method.append(Word("consistent"))
    parameters = []
    if balancing.max_fails not in (None, 1):
        parameters.append(Word(f"max_fails={balancing.max_fails}"))
    if balancing.fail_timeout is not None and balancing.fail_timeout.milliseconds != 10_000:
        parameters.append(Word(f"fail_timeout={balancing.fail_timeout}"))
    if balancing.max_conns:
        parameters.append(Word(f"max_conns={balancing.max_conns}"))
    return PrintedUpstream(upstream.name, tuple(method), endpoints, tuple(parameters), balancing.keepalive or 0)


def _location_blocks(
    server: Server, locations: list[PrintedLocation], environment: Environment, *, hsts: bool, grpc: bool
) -> Iterator[Block]:
    """To the end of the server: all at once where every line is the object's own, one by one around foreign snippets."""
    foreign = any(each.snippet is not None and each.snippet.source != server.source for each in locations)
    template = environment.get_template("locations.conf.j2")
    facts = {"errors": GRPC_ERRORS, "hsts": hsts, "grpc": grpc}
    if not foreign:
        yield Block(server.source, template.render(locations=locations, closed=True, **facts))
        return
    for location in locations:
        yield Block(server.source, template.render(locations=[location], closed=False, **facts))
        if location.snippet is not None:
            text = environment.get_template("snippet.conf.j2").render(snippet=location.snippet)
            yield Block(location.snippet.source, text)
        yield Block(server.source, environment.get_template("location_end.conf.j2").render())
    yield Block(server.source, environment.get_template("server_end.conf.j2").render(**facts))
