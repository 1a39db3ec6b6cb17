"""Every row of the dialect: a value that is right, and the shapes in which hostile text has a chance to pass its parser.

A row that is not here is tried all the same, with hostile text as it stands.
"""

from typing import NamedTuple

from headgate.dialects import ANNOTATIONS, CONFIGMAP


class Spelling(NamedTuple):
    right: str
    moulds: tuple[str, ...]


def _spelled(right: str, *moulds: str) -> Spelling:
    """Hostile text alone, and around what is right."""
    return Spelling(right, ("{}", right + "{}", "{}" + right, *moulds))


_TIME = _spelled("5s", "{}s", "1m {}")
_COUNT = _spelled("3", "+{}", "0{}")
_FLAG = _spelled("true", "{}true")
_SERVICES = _spelled("web", "web,{}", "{},api")
_SNIPPET = _spelled(
    "default_type text/plain;", "default_type {};", 'default_type "{}";', "default_type '{}';", "add_header X {};",
    'add_header X "{}";', "set $a {};\nset $b {};", "if ($a) { set $b {}; }", "# {}", "# {}\nset $a b;", "set $a b; {}", "{};",
)  # fmt: skip

SPELLINGS: dict[str, Spelling] = {
    "proxy-connect-timeout": _TIME,
    "proxy-read-timeout": _TIME,
    "proxy-send-timeout": _TIME,
    "client-max-body-size": _spelled("8m", "{}m", "1{}"),
    "proxy-buffering": _FLAG,
    "proxy-buffers": _spelled("8 8k", "8 {}", "{} 8k", "8 8k {}"),
    "proxy-buffer-size": _spelled("8k", "{}k"),
    "proxy-set-headers": _spelled("X-A: b", "X-A: {}", "X-A: b{}c", "X-A: {}, X-B: {}", "{}: b", "X{}: b", "X-A,{}", "Host: {}"),
    "proxy-hide-headers": _spelled("X-A", "X-A,{}", "{},X-A", "X{}"),
    "server-tokens": _FLAG,
    "lb-method": _spelled("least_conn", "hash {}", "hash $request_uri{}", "hash ${{}}", "hash {} consistent", "hash a{}"),
    "keepalive": _COUNT,
    "max-fails": _COUNT,
    "fail-timeout": _TIME,
    "max-conns": _COUNT,
    "redirect-to-https": _FLAG,
    "ssl-redirect": _FLAG,
    "hsts": _FLAG,
    "hsts-max-age": _COUNT,
    "hsts-include-subdomains": _FLAG,
    "hsts-behind-proxy": _FLAG,
    "rewrites": _spelled("serviceName=web rewrite=/x", "serviceName=web rewrite=/{}", "serviceName={} rewrite=/", "serviceName=web rewrite=/;{}"),
    "path-regex": _spelled("case_sensitive"),
    "websocket-services": _SERVICES,
    "grpc-services": _SERVICES,
    "ssl-services": _SERVICES,
    "server-snippets": _SNIPPET,
    "location-snippets": _SNIPPET,
    "log-format": _spelled("$remote_addr $status", "'{}'", "a\n{}", "$status{}$status", "${status}{}"),
    "error-log-level": _spelled("warn"),
    "http2": _FLAG,
    "worker-processes": _spelled("2"),
    "main-snippets": _spelled("worker_rlimit_nofile 1000;", "env {};", 'env "{}";', "# {}"),
}  # fmt: skip

PREFIX = ANNOTATIONS.prefix
ANNOTATION_NAMES: tuple[str, ...] = tuple(key.removeprefix(PREFIX) for key in ANNOTATIONS.rows)
CONFIGMAP_NAMES: tuple[str, ...] = tuple(CONFIGMAP.rows)


def moulds_of(name: str) -> tuple[str, ...]:
    return SPELLINGS[name].moulds if name in SPELLINGS else ("{}",)


def with_needed(name: str) -> dict[str, str]:
    """What else must be said for the row to count."""
    needed = ANNOTATIONS.rows[PREFIX + name].needs.removeprefix(PREFIX) if PREFIX + name in ANNOTATIONS.rows else ""
    return {needed: SPELLINGS[needed].right} if needed else {}
