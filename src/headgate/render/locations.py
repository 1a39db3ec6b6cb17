"""What a location needs printed: a `Location` of the model in, a `PrintedLocation` out, as data for the template.

Nearly all locations are plain: a path and where to pass it. They are the bulk of what is printed, so they are told apart first.
"""

import re

from msgspec import Struct

from headgate.model.server import Answer, Location, Match, Pass, PassByName, Path, Server
from headgate.model.values import Expression, Pattern, Snippet
from headgate.render.headers import Setting, sent


class PrintedLocation(Struct, frozen=True, gc=False):
    path: Path
    route: str  # empty where the server has said it
    url: str | Expression = ""
    is_plain: bool = False  # nothing else to say
    host: str = ""  # of a name to resolve: host:port
    name: str = ""  # the bare name, for TLS
    pattern: Pattern | None = None
    replacement: Expression | None = None
    is_grpc: bool = False
    is_tls: bool = False
    code: int = 0
    reason: str = ""
    headers: tuple[Setting, ...] = ()
    snippet: Snippet | None = None
    own_headers: bool = False  # its snippet adds headers, and so drops those that it would have inherited


def printed_locations(server: Server, *, but: Path | None) -> tuple[str, list[PrintedLocation]]:
    """All locations but one, and the route that the server says for them: that of all which proxy, if they have the same."""
    routes = [(_route(each), each) for each in server.locations if each.path != but]
    proxied = {route for route, each in routes if not isinstance(each.target, Answer)}
    said = proxied.pop() if len(proxied) == 1 else ""
    return said, [_printed(each, server, "" if route == said else route) for route, each in routes]


def _printed(location: Location, server: Server, route: str) -> PrintedLocation:
    target = location.target
    if isinstance(target, Answer):
        return PrintedLocation(location.path, route, code=target.code, reason=target.reason)
    if isinstance(target, PassByName):
        return _by_name(location, target, route, _upgrade(target, server))
    if not target.websocket and not target.replaced and location.snippet is None and not target.protocol.is_grpc:
        url = f"{target.protocol.value}://{target.upstream}{target.rewrite or ''}"
        return PrintedLocation(location.path, route, url, is_plain=True)
    return _by_upstream(location, target, route, _upgrade(target, server))


def adds_headers(snippet: Snippet | None) -> bool:
    return snippet is not None and "add_header" in snippet.text


def _route(location: Location) -> str:
    source = location.source
    return f"{source.kind.lower()}/{source.namespace}/{source.name}/{location.service or '-'}"


def _upgrade(target: Pass | PassByName, server: Server) -> tuple[Setting, ...]:
    """A location that lets WebSocket through sets headers of its own, and so all of them."""
    if not target.websocket:
        return ()
    forwarded = bool(server.options.redirects.forwarded)
    return sent(server.options.proxy.set_headers, forwarded_tls=forwarded, websocket=True)


def _by_upstream(location: Location, target: Pass, route: str, headers: tuple[Setting, ...]) -> PrintedLocation:
    grpc = target.protocol.is_grpc
    by_itself = not grpc and not target.replaced
    pattern, replacement = (None, None) if by_itself else _replacing(location.path, target)
    return PrintedLocation(
        location.path,
        route,
        f"{target.protocol.value}://{target.upstream}{target.rewrite or '' if by_itself else ''}",
        pattern=pattern,
        replacement=replacement,
        is_grpc=grpc,
        headers=headers,
        snippet=location.snippet,
        own_headers=adds_headers(location.snippet),
    )


def _by_name(location: Location, target: PassByName, route: str, headers: tuple[Setting, ...]) -> PrintedLocation:
    pattern, replacement = _replacing(location.path, target)
    return PrintedLocation(
        location.path,
        route,
        Expression(f"{target.protocol.value}://$headgate_name"),
        host=f"{target.host}:{target.port}",
        name=target.host,
        pattern=pattern,
        replacement=replacement,
        is_grpc=target.protocol.is_grpc,
        is_tls=target.protocol.value.endswith("s"),
        headers=headers,
        snippet=location.snippet,
        own_headers=adds_headers(location.snippet),
    )


def _replacing(path: Path, target: Pass | PassByName) -> tuple[Pattern | None, Expression | None]:
    """A proxy_pass to a variable replaces nothing by itself, and grpc_pass takes no path: say it as a rewrite."""
    if target.rewrite is None:
        return None, None
    if path.match is Match.EXACT and not target.replaced:
        return Pattern("^"), Expression(target.rewrite)
    return Pattern(f"(?s)^{re.escape(target.replaced or path.text)}(.*)$"), Expression(f"{target.rewrite}$1")
