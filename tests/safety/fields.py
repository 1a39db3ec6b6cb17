"""The fields of objects that a test can make hostile, and those among them where any text may stand."""

from tests.safety.rows import ANNOTATION_NAMES, CONFIGMAP_NAMES, PREFIX

# Paths stand more than once, since most of what can go wrong goes wrong there; an empty name is an object without a hostile field.
OF_INGRESS: tuple[str, ...] = (
    "path", "pattern", "exact pattern", "path", "pattern", "path type", "host", "name", "namespace", "class", "class annotation", "service",
    "port name", "default service", "secret", "tls host", "annotation key", "foreign annotation", "label", "uid", "created", "resource",
    *(PREFIX + name for name in ANNOTATION_NAMES),
)  # fmt: skip
OF_SERVICE = (
    "service port name",
    "app protocol",
    "service type",
    "external name",
    "protocol",
    "target port",
    "cluster address",
    "",
)
OF_SLICE = ("slice address", "slice port name", "slice label", "slice name", "address type", "slice protocol", "")
OF_SECRET = ("tls.crt", "tls.key", "secret type", "secret key", "string data", "")
OF_CLASS = ("ingress class", "controller")

FIELDS = frozenset(
    {*OF_INGRESS, *OF_SERVICE, *OF_SLICE, *OF_SECRET, *OF_CLASS, "config key"}
    | {f"config {name}" for name in CONFIGMAP_NAMES}
) - {""}

# What nobody has to read to serve the object, and what may hold any text: here hostile text must come through.
FREE = frozenset(
    {
        "path", "pattern", "exact pattern", "class", "class annotation", "tls host", "annotation key", "foreign annotation", "label", "uid", "created",
        "app protocol", "service type", "protocol", "target port", "cluster address", "slice address", "slice label", "slice name", "address type",
        "slice protocol", "slice port name", "service port name", "external name", "tls.crt", "tls.key", "secret type", "secret key", "string data",
        "ingress class", "controller", "config log-format", "config main-snippets", "config server-snippets", "config location-snippets", "config key",
        PREFIX + "proxy-set-headers", PREFIX + "rewrites", PREFIX + "lb-method", PREFIX + "server-snippets", PREFIX + "location-snippets",
    }
)  # fmt: skip
