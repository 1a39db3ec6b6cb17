"""Options: groups of optional fields, where None means "not said", and the one operation on them.

`over(base, top)` lays one set of options on another, field by field. Defaults, the ConfigMap, a parent and a
child: every kind of inheritance is that one operation. Rows in `dialects` make options, `translate` lays
them over each other, templates print them.
"""

from enum import Enum
from functools import cache
from typing import TypeVar

import msgspec
from msgspec import Struct

from headgate.model.values import BufferCount, Duration, Header, LogLevel, Size


class Proxy(Struct, frozen=True, gc=False):
    """How a request travels to the backend."""

    connect_timeout: Duration | None = None
    read_timeout: Duration | None = None
    send_timeout: Duration | None = None
    set_headers: tuple[Header, ...] | None = None
    hide_headers: tuple[str, ...] | None = None


class Buffers(Struct, frozen=True, gc=False):
    """What nginx keeps of a response while a slow client reads it."""

    enabled: bool | None = None
    buffers: BufferCount | None = None
    size: Size | None = None


class Body(Struct, frozen=True, gc=False):
    """What a client may send."""

    max_size: Size | None = None


class Method(Struct, frozen=True, gc=False):
    """A balancing method: words of nginx's own, and the key of `hash`, which may hold variables."""

    words: tuple[str, ...] = ()
    key: str | None = None
    consistent: bool = False


class Balancing(Struct, frozen=True, gc=False):
    """How requests are spread over the endpoints of a Service."""

    method: Method | None = None
    keepalive: int | None = None
    max_fails: int | None = None
    fail_timeout: Duration | None = None
    max_conns: int | None = None


class Redirects(Struct, frozen=True, gc=False):
    """Sending plain HTTP to HTTPS."""

    plain: bool | None = None  # a request that came to us in clear text
    forwarded: bool | None = None  # a request that a load balancer in front took in clear text


class Hsts(Struct, frozen=True, gc=False):
    """Strict-Transport-Security."""

    enabled: bool | None = None
    max_age: int | None = None
    include_subdomains: bool | None = None
    behind_proxy: bool | None = None


class PathRegex(Enum):
    CASE_SENSITIVE = "case_sensitive"
    CASE_INSENSITIVE = "case_insensitive"
    EXACT = "exact"


class Rewrite(Struct, frozen=True, gc=False):
    """Requests to this Service have the matched part of their path replaced."""

    service: str
    target: str


class Routing(Struct, frozen=True, gc=False):
    """What an object says about its paths and its Services."""

    path_regex: PathRegex | None = None
    rewrites: tuple[Rewrite, ...] | None = None
    websocket_services: tuple[str, ...] | None = None
    grpc_services: tuple[str, ...] | None = None
    ssl_services: tuple[str, ...] | None = None


class Identity(Struct, frozen=True, gc=False):
    """What nginx says about itself."""

    server_tokens: bool | None = None


class Snippets(Struct, frozen=True, gc=False):
    """Text as a user wrote it; `translate` turns it into a `Snippet` that knows whose it is."""

    main: str | None = None
    server: str | None = None
    location: str | None = None


class Globals(Struct, frozen=True, gc=False):
    """What only the ConfigMap can say."""

    log_format: tuple[str, ...] | None = None
    error_log_level: LogLevel | None = None
    http2: bool | None = None
    worker_processes: int | None = None  # 0 is "auto"
    external_status_address: str | None = None  # empty is "none after all"


class Options(Struct, frozen=True, gc=False):
    """Everything that can be said, by group."""

    proxy: Proxy = Proxy()
    buffers: Buffers = Buffers()
    body: Body = Body()
    balancing: Balancing = Balancing()
    redirects: Redirects = Redirects()
    hsts: Hsts = Hsts()
    routing: Routing = Routing()
    identity: Identity = Identity()
    snippets: Snippets = Snippets()
    globals: Globals = Globals()


T = TypeVar("T", bound=Struct)


def over(base: T, top: T) -> T:
    """`top` laid on `base`: what top says stands, what it does not say shows the base."""
    if base is top:
        return base
    laid = {}
    for name, empty, is_group in _fields(type(top)):
        said = getattr(top, name)
        if is_group:
            if said != empty:
                laid[name] = over(getattr(base, name), said)
        elif said is not None:
            laid[name] = said
    return msgspec.structs.replace(base, **laid) if laid else base


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, object, bool], ...]:
    return tuple((f.name, f.default, isinstance(f.default, Struct)) for f in msgspec.structs.fields(kind))
