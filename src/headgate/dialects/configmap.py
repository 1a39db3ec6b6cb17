"""The keys of the main ConfigMap: those that an Ingress can say too, and those that only it can say.

A key that is wrong is left out with a finding, and the others stand: one ConfigMap speaks for everybody.
"""

from headgate.dialects import nginx_org
from headgate.dialects.table import Dialect, Later, Row, dialect, row
from headgate.dialects.values import address_or_name, boolean, log_format, log_level, snippet, worker_processes
from headgate.model.options import Globals, Options, Snippets

# Annotations that have no ConfigMap key of the same name.
_ONLY_ON_INGRESS = frozenset(
    {
        "proxy-set-headers",
        "max-conns",
        "rewrites",
        "path-regex",
        "websocket-services",
        "grpc-services",
        "ssl-services",
    }
)

_LATER = (
    "proxy-pass-headers", "add-header", "add-header-inherit", "disable-forwarded-headers",
    "client-body-buffer-size", "server-names-hash-bucket-size", "server-names-hash-max-size", "map-hash-bucket-size",
    "map-hash-max-size", "variables-hash-bucket-size", "variables-hash-max-size", "http-redirect-code", "proxy-protocol",
    "real-ip-header", "set-real-ip-from", "real-ip-recursive", "ssl-protocols", "ssl-prefer-server-ciphers", "ssl-ciphers",
    "ssl-dhparam-file", "access-log", "access-log-off", "default-server-access-log-off", "default-server-return",
    "log-format-escaping", "stream-log-format", "stream-log-format-escaping", "proxy-busy-buffers-size",
    "proxy-max-temp-file-size", "http-snippets", "stream-snippets", "worker-cpu-affinity", "worker-shutdown-timeout",
    "worker-connections", "worker-rlimit-nofile", "keepalive-timeout", "keepalive-requests", "upstream-zone-size",
    "main-template", "ingress-template", "virtualserver-template", "transportserver-template", "resolver-addresses",
    "resolver-ipv6", "resolver-valid", "resolver-timeout", "zone-sync", "otel-exporter-endpoint", "otel-service-name",
    "otel-trace-in-http", "otel-exporter-header-name", "otel-exporter-header-value",
)  # fmt: skip

OWN: tuple[Row, ...] = (
    row("external-status-address", address_or_name, lambda v: Options(globals=Globals(external_status_address=v)),
        doc="The address that `headgate run` writes into the statuses of Ingresses, before that of any Service."),
    row("log-format", log_format, lambda v: Options(globals=Globals(log_format=v)),
        doc="The line that the access log gets for each request."),
    row("error-log-level", log_level, lambda v: Options(globals=Globals(error_log_level=v)), default="notice",
        doc="How much nginx writes to its error log."),
    row("http2", boolean, lambda v: Options(globals=Globals(http2=v)), default="true",
        doc="HTTP/2 on TLS listeners. gRPC needs it."),
    row("worker-processes", worker_processes, lambda v: Options(globals=Globals(worker_processes=v)), default="auto",
        doc="How many worker processes nginx runs."),
    row("main-snippets", snippet, lambda v: Options(snippets=Snippets(main=v)),
        doc="Lines of configuration for the main context."),
)  # fmt: skip


def configmap() -> Dialect:
    """Every key that the main ConfigMap may have. Its snippets need no switch: who writes it runs the controller."""
    shared = [_unswitched(each) for each in nginx_org.ROWS if each.name not in _ONLY_ON_INGRESS]
    return dialect("", [*shared, *OWN], [Later(name) for name in _LATER])


def _unswitched(each: Row) -> Row:
    return Row(
        name=each.name, read=each.read, value=each.value, doc=each.doc, default=each.default, needs=each.needs
    )  # fmt: skip
