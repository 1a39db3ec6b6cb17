"""Configurations to compare ours with: numbers in, the text of an nginx.conf out.

`usual` is the shape that ingress controllers print: headers and timeouts again in every location, a zone for every upstream,
long names that begin alike. `by_hand` is what a good engineer writes for the same routes: everything common said once,
connections to backends kept, the access log buffered. Locations are those that our own configuration has, or one a path.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path

from msgspec import Struct

from bench.folders import PATHS, PORT, addresses, host, namespace


class Places(Enum):
    """How many locations a `Prefix` path takes."""

    BY_ELEMENT = "two locations a path"
    ONE = "one location a path"


class Route(Struct, frozen=True):
    """A host and its backends; `server_name` may be a pattern."""

    server_name: str
    upstream: str
    endpoints: tuple[str, ...]
    pair: str = ""  # the file of certificate and key


class Ground(Struct, frozen=True):
    """Where an nginx of the benchmark lives and listens."""

    folder: Path
    port: int
    tls_port: int

    @property
    def conf(self) -> Path:
        return self.folder / "nginx.conf"


_HEADERS = (
    ("Host", "$host"),
    ("X-Real-IP", "$remote_addr"),
    ("X-Forwarded-For", "$proxy_add_x_forwarded_for"),
    ("X-Forwarded-Host", "$host"),
    ("X-Forwarded-Port", "$server_port"),
    ("X-Forwarded-Proto", "$scheme"),
    ("Connection", '""'),
)
_COMMON = (
    "proxy_http_version 1.1;",
    "proxy_connect_timeout 60s;",
    "proxy_read_timeout 60s;",
    "proxy_send_timeout 60s;",
    "client_max_body_size 1m;",
    "proxy_buffering on;",
    *(f"proxy_set_header {name} {value};" for name, value in _HEADERS),
)


def routes(pairs: Sequence[str]) -> Iterator[Route]:
    """Hosts of `folders`, one for each file of a pair (empty: no TLS), under the long upstream names that are customary."""
    for number, pair in enumerate(pairs):
        name = f"app-{number:05}"
        upstream = f"{namespace(number)}-{name}-{host(number)}-{name}-80"
        yield Route(host(number), upstream, tuple(f"{address}:{PORT}" for address in addresses(number)), pair)


def locations(places: Places) -> list[str]:
    if places is Places.ONE:
        return list(PATHS)
    stems = sorted(path.rstrip("/") for path in PATHS)
    return [text for stem in stems for text in ((f"= {stem}", f"{stem}/") if stem else ("/",))]


def usual(wanted: Iterable[Route], ground: Ground, places: Places) -> Iterator[str]:
    """The shape that ingress controllers print."""
    yield _main(ground, names=1 << 14)
    for route in wanted:
        yield f"upstream {route.upstream} {{\n    zone {route.upstream} 256k;\n    random two least_conn;\n"
        yield from (
            f"    server {endpoint} max_fails=1 fail_timeout=10s max_conns=0;\n" for endpoint in route.endpoints
        )
        yield "    keepalive 16;\n}\n"
        yield _opened(route, ground)
        for text in locations(places):
            yield f"    location {text} {{\n"
            yield from (f"        {line}\n" for line in _COMMON)
            yield f"        proxy_pass http://{route.upstream};\n    }}\n"
        yield "}\n"
    yield "}\n"


def by_hand(wanted: Iterable[Route], ground: Ground, places: Places, *, names: int = 1 << 12) -> Iterator[str]:
    """What a good engineer writes for the same routes."""
    yield _main(ground, names=names)
    yield from (f"{line}\n" for line in _COMMON)
    for route in wanted:
        yield f"upstream {route.upstream} {{\n    zone {route.upstream} 64k;\n    random two least_conn;\n"
        yield from (f"    server {endpoint};\n" for endpoint in route.endpoints)
        yield "    keepalive 16;\n}\n"
        yield _opened(route, ground)
        for text in locations(places):
            yield f"    location {text} {{\n        proxy_pass http://{route.upstream};\n    }}\n"
        yield "}\n"
    yield "}\n"


def backend(ground: Ground) -> str:
    """The backend of all: it answers at once, and keeps every connection."""
    return f"""\
daemon off;
worker_processes 1;
pid {ground.folder}/nginx.pid;
error_log stderr error;
events {{
worker_connections 8192;
}}
http {{
{_temp(ground)}
access_log off;
keepalive_requests 1000000000;
keepalive_timeout 1h;
server {{
    listen 0.0.0.0:{ground.port} backlog=4096;
    location / {{
        return 200 "ok\\n";
    }}
}}
}}
"""


def _temp(ground: Ground) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "\n".join(f"{kind}_temp_path {ground.folder}/{kind};" for kind in kinds)


def _main(ground: Ground, *, names: int) -> str:
    return f"""\
daemon off;
worker_processes 1;
pcre_jit on;
pid {ground.folder}/nginx.pid;
error_log stderr notice;
events {{
worker_connections 1024;
}}
http {{
default_type application/octet-stream;
sendfile on;
tcp_nopush on;
{_temp(ground)}
server_names_hash_bucket_size 128;
server_names_hash_max_size {names};
log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
                '"$http_referer" "$http_user_agent" "$http_x_forwarded_for"';
access_log {ground.folder}/access.log main buffer=64k flush=1s;
server {{
    listen 127.0.0.1:{ground.port} default_server;
    listen 127.0.0.1:{ground.tls_port} ssl default_server;
    ssl_reject_handshake on;
    return 404;
}}
"""


def _opened(route: Route, ground: Ground) -> str:
    lines = [f"listen 127.0.0.1:{ground.port};"]
    if route.pair:
        lines += [
            f"listen 127.0.0.1:{ground.tls_port} ssl http2;",
            f"ssl_certificate {route.pair};",
            f"ssl_certificate_key {route.pair};",
        ]
    body = "".join(f"    {line}\n" for line in (*lines, f"server_name {route.server_name};"))
    return f"server {{\n{body}"
