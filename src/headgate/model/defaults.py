"""What holds when nobody says anything. The ConfigMap is laid over this, an object over that.

Values are F5's, but for two that cost its users dearly: connections to backends are kept (more than three times less CPU
a request, measured) and HTTP/2 is on.
"""

from headgate.model.options import (
    Balancing,
    Body,
    Buffers,
    Globals,
    Hsts,
    Identity,
    Method,
    Options,
    Proxy,
    Redirects,
)
from headgate.model.values import Duration, LogLevel, Size

DEFAULTS = Options(
    proxy=Proxy(connect_timeout=Duration(60_000), read_timeout=Duration(60_000), send_timeout=Duration(60_000)),
    buffers=Buffers(enabled=True),
    body=Body(max_size=Size(1 << 20)),
    balancing=Balancing(
        method=Method(words=("random", "two", "least_conn")),
        keepalive=16,
        max_fails=1,
        fail_timeout=Duration(10_000),
        max_conns=0,
    ),
    redirects=Redirects(plain=True, forwarded=False),
    hsts=Hsts(enabled=False, max_age=2_592_000, include_subdomains=False, behind_proxy=False),
    identity=Identity(server_tokens=True),
    globals=Globals(error_log_level=LogLevel.NOTICE, http2=True, worker_processes=0),
)
