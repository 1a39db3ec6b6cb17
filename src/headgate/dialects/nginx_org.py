"""The annotations of F5's controller on an Ingress: `nginx.org/*` and their relatives.

To add one: add the row here, a golden case, and run `make docs`. A later one leaves the list at the bottom.
"""

from headgate.dialects.table import Dialect, Later, Row, dialect, row
from headgate.dialects.values import (
    balancing_method,
    boolean,
    buffer_count,
    duration,
    header_names,
    header_settings,
    idle_connections,
    integer,
    offset,
    path_regex,
    rewrites,
    services,
    size,
    snippet,
    unsigned,
    whole_seconds,
)
from headgate.model.options import (
    Balancing,
    Body,
    Buffers,
    Hsts,
    Identity,
    Options,
    Proxy,
    Redirects,
    Routing,
    Snippets,
)

PREFIX = "nginx.org/"

# Leaving these out would open what their author closed, or route what must be merged: such objects are refused.
_GUARDS = (
    "mergeable-ingress-type",
    "basic-auth-secret",
    "basic-auth-realm",
    "policies",
    "limit-req-rate",
)
_LATER = (
    "upstream-zone-size",
    "use-cluster-ip",
    "sticky-cookie-services",
    "proxy-next-upstream",
    "proxy-next-upstream-timeout",
    "proxy-next-upstream-tries",
    "proxy-busy-buffers-size",
    "proxy-max-temp-file-size",
    "client-body-buffer-size",
    "proxy-pass-headers",
    "add-header",
    "add-header-inherit",
    "proxy-redirect-from",
    "proxy-redirect-to",
    "custom-http-errors",
    "rewrite-target",
    "app-root",
    "listen-ports",
    "listen-ports-ssl",
    "http-redirect-code",
    "ssl-ciphers",
    "ssl-prefer-server-ciphers",
    "limit-req-key",
    "limit-req-zone-size",
    "limit-req-delay",
    "limit-req-no-delay",
    "limit-req-burst",
    "limit-req-dry-run",
    "limit-req-log-level",
    "limit-req-reject-code",
    "limit-req-scale",
)

ROWS: tuple[Row, ...] = (
    row("proxy-connect-timeout", duration, lambda v: Options(proxy=Proxy(connect_timeout=v)), inherits=True, default="60s",
        doc="How long to wait for a backend to accept the connection."),
    row("proxy-read-timeout", duration, lambda v: Options(proxy=Proxy(read_timeout=v)), inherits=True, default="60s",
        doc="How long to wait between two reads of a backend's response."),
    row("proxy-send-timeout", duration, lambda v: Options(proxy=Proxy(send_timeout=v)), inherits=True, default="60s",
        doc="How long to wait between two writes of a request to a backend."),
    row("client-max-body-size", offset, lambda v: Options(body=Body(max_size=v)), inherits=True, default="1m",
        doc="Largest request body accepted; 0 means any. Not for gRPC."),
    row("proxy-buffering", boolean, lambda v: Options(buffers=Buffers(enabled=v)), inherits=True, default="true",
        doc="Read a response as fast as the backend gives it, or only as fast as the client takes it."),
    row("proxy-buffers", buffer_count, lambda v: Options(buffers=Buffers(buffers=v)), inherits=True,
        doc="How many buffers, of which size, hold one response."),
    row("proxy-buffer-size", size, lambda v: Options(buffers=Buffers(size=v)), inherits=True,
        doc="The buffer of the first part of a response, which must hold its headers."),
    row("proxy-set-headers", header_settings, lambda v: Options(proxy=Proxy(set_headers=v)),
        doc="Headers to set on the request to the backend. One that we send anyway, such as Host, is replaced. Not for gRPC."),
    row("proxy-hide-headers", header_names, lambda v: Options(proxy=Proxy(hide_headers=v)),
        doc="Headers of the backend's response that the client does not get."),
    row("server-tokens", boolean, lambda v: Options(identity=Identity(server_tokens=v)), default="true",
        doc="Show nginx's version in the Server header and on error pages."),
    row("lb-method", balancing_method, lambda v: Options(balancing=Balancing(method=v)), inherits=True,
        default="random two least_conn", doc="How requests are spread over endpoints."),
    row("keepalive", idle_connections, lambda v: Options(balancing=Balancing(keepalive=v)), inherits=True, default="16",
        doc="Idle connections to the endpoints of a Service that each worker keeps; 0 keeps none."),
    row("max-fails", unsigned, lambda v: Options(balancing=Balancing(max_fails=v)), inherits=True, default="1",
        doc="Failed attempts within fail-timeout after which an endpoint rests; 0 never."),
    row("fail-timeout", whole_seconds, lambda v: Options(balancing=Balancing(fail_timeout=v)), inherits=True, default="10s",
        doc="The time in which failures are counted, and for which an endpoint then rests."),
    row("max-conns", unsigned, lambda v: Options(balancing=Balancing(max_conns=v)), inherits=True, default="0",
        doc="Connections to one endpoint at a time; 0 means any number."),
    row("redirect-to-https", boolean, lambda v: Options(redirects=Redirects(forwarded=v)), default="false",
        doc="Redirect requests whose X-Forwarded-Proto is http, for a load balancer in front that ends TLS."),
    row("ssl-redirect", boolean, lambda v: Options(redirects=Redirects(plain=v)), default="true",
        doc="Redirect plain HTTP to HTTPS on hosts with TLS."),
    row("hsts", boolean, lambda v: Options(hsts=Hsts(enabled=v)), default="false",
        doc="Send Strict-Transport-Security on hosts with TLS."),
    row("hsts-max-age", integer, lambda v: Options(hsts=Hsts(max_age=max(v, 0))), default="2592000", needs="hsts",
        doc="Seconds for which a browser remembers."),
    row("hsts-include-subdomains", boolean, lambda v: Options(hsts=Hsts(include_subdomains=v)), default="false",
        needs="hsts", doc="Say the same for all subdomains."),
    row("hsts-behind-proxy", boolean, lambda v: Options(hsts=Hsts(behind_proxy=v)), default="false", needs="hsts",
        doc="Decide by X-Forwarded-Proto, for a load balancer in front that ends TLS."),
    row("rewrites", rewrites, lambda v: Options(routing=Routing(rewrites=v)),
        doc="Replace the matched part of the path in requests to a Service."),
    row("path-regex", path_regex, lambda v: Options(routing=Routing(path_regex=v)),
        doc="Read every path of the Ingress as a regular expression, or as an exact path."),
    row("websocket-services", services, lambda v: Options(routing=Routing(websocket_services=v)),
        doc="Services to which WebSocket upgrades are passed."),
    row("grpc-services", services, lambda v: Options(routing=Routing(grpc_services=v)),
        doc="Services that speak gRPC. Clients come over TLS."),
    row("ssl-services", services, lambda v: Options(routing=Routing(ssl_services=v)),
        doc="Services that want TLS from us. Their certificate is not verified."),
    row("server-snippets", snippet, lambda v: Options(snippets=Snippets(server=v)), snippet=True,
        doc="Lines of configuration for the server blocks of the Ingress."),
    row("location-snippets", snippet, lambda v: Options(snippets=Snippets(location=v)), snippet=True, inherits=True,
        doc="Lines of configuration for each location of the Ingress."),
)  # fmt: skip


def annotations() -> Dialect:
    """The rows as they are spelled on an Ingress."""
    rows = [_prefixed(each) for each in ROWS]
    later = [Later(PREFIX + name) for name in _LATER] + [Later(PREFIX + name, guards=True) for name in _GUARDS]
    return dialect(PREFIX, rows, later)


def _prefixed(each: Row) -> Row:
    return Row(
        name=PREFIX + each.name,
        read=each.read,
        value=each.value,
        doc=each.doc,
        default=each.default,
        needs=PREFIX + each.needs if each.needs else "",
        snippet=each.snippet,
        inherits=each.inherits,
    )


# Keys of F5's other prefixes: none is spoken yet, and those that guard something refuse the object.
_PLUS_GUARDS = ("jwt-key", "jwt-realm", "jwt-token", "jwt-login-url", "policies")
_PLUS = (
    "slow-start",
    "sticky-cookie-services",
    "health-checks",
    "health-checks-mandatory",
    "health-checks-mandatory-queue",
)
_APP_PROTECT = (
    "app-protect-enable",
    "app-protect-policy",
    "app-protect-security-log-enable",
    "app-protect-security-log",
    "app-protect-security-log-destination",
)

OTHERS: tuple[Dialect, ...] = (
    dialect(
        "nginx.com/",
        (),
        [Later("nginx.com/" + n) for n in _PLUS] + [Later("nginx.com/" + n, guards=True) for n in _PLUS_GUARDS],
    ),
    dialect("appprotect.f5.com/", (), [Later("appprotect.f5.com/" + name, guards=True) for name in _APP_PROTECT]),
    dialect("appprotectdos.f5.com/", (), [Later("appprotectdos.f5.com/app-protect-dos-resource", guards=True)]),
)
