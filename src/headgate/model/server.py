"""What nginx should do, in nginx's nouns: listeners, servers, locations, upstreams.

Made by `translate`, printed by `render`, compared by `diff`. Nothing here knows of Kubernetes but `source`, the
`Ref` that says whom to blame and whom to tell.
"""

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from headgate.api import Ref
from headgate.model.options import Balancing, Options
from headgate.model.values import Protocol, Snippet, UpstreamName


class Listener(Struct, frozen=True, gc=False):
    """An address that servers listen on; an empty address is every address."""

    port: int
    address: str = ""
    tls: bool = False


class Match(Enum):
    EXACT = "="
    PREFIX = ""
    REGEX = "~"
    REGEX_ANY_CASE = "~*"


class Path(Struct, frozen=True, gc=False):
    """The text is decoded; for a regular expression it is the pattern."""

    text: str
    match: Match = Match.PREFIX


class Pass(Struct, frozen=True, gc=False):
    """Proxy to an upstream."""

    upstream: UpstreamName
    protocol: Protocol = Protocol.HTTP
    websocket: bool = False
    rewrite: str | None = None  # replaces the matched part of the path
    replaced: str = ""  # that part, where it is not all of the location's path


class PassByName(Struct, frozen=True, gc=False):
    """Proxy to a DNS name that nginx resolves while it runs, never while it loads."""

    host: str
    port: int
    protocol: Protocol = Protocol.HTTP
    websocket: bool = False
    rewrite: str | None = None
    replaced: str = ""


class Answer(Struct, frozen=True, gc=False):
    """Answer ourselves, and say why."""

    code: int
    reason: str


Target: TypeAlias = Pass | PassByName | Answer


class Location(Struct, frozen=True, gc=False):
    path: Path
    target: Target
    source: Ref
    service: str = ""
    snippet: Snippet | None = None


class HostKind(Enum):
    EXACT = "exact"
    ONE_LABEL = "one-label"  # a wildcard as Kubernetes means it
    ANY_DEPTH = "any-depth"  # a wildcard as nginx means it


class Host(Struct, frozen=True, gc=False, order=True):
    """A name that a server answers to; for wildcards the text after `*.`; empty text is the host of last resort."""

    text: str
    kind: HostKind = HostKind.EXACT


class Tls(Struct, frozen=True, gc=False):
    """Serve TLS with this pair; without one every handshake is refused."""

    certificate: Ref | None = None


class Server(Struct, frozen=True, gc=False):
    host: Host
    source: Ref
    locations: tuple[Location, ...] = ()
    tls: Tls | None = None
    said: Options = Options()  # what differs from the http level
    options: Options = Options()  # all of it


class Upstream(Struct, frozen=True, gc=False):
    """A named group of endpoints; who they are stands in `Table`, not here."""

    name: UpstreamName
    balancing: Balancing


class Endpoint(Struct, frozen=True, gc=False, order=True):
    address: str
    port: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


class Site(Struct, frozen=True, gc=False):
    """Everything that one source object asks of nginx: one file."""

    source: Ref
    servers: tuple[Server, ...] = ()
    upstreams: tuple[Upstream, ...] = ()
