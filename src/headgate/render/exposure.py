"""What nginx shows about itself, in a file of our own: a fault in it is never blamed on the ConfigMap, whose text `nginx.conf` is."""

from jinja2 import Environment

from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.fileset import Block, File, file_of
from headgate.model.layout import Layout
from headgate.model.server import Listener
from headgate.model.values import Expression
from headgate.render.site import addresses

FILE = "conf.d/_exposure.conf"
# F5's fields: who answered, how long it took, for which upstream, and what was said.
_LATENCY = (
    '{"upstreamAddress":"$upstream_addr","upstreamResponseTime":"$upstream_response_time",',
    '"proxyHost":"$proxy_host","upstreamStatus":"$upstream_status"}',
)


def exposure_file(exposure: Exposure, can: Capabilities, layout: Layout, environment: Environment) -> File | None:
    """None where nothing is shown."""
    if not (exposure.status_socket or exposure.status_port or exposure.latency):
        return None
    text = environment.get_template("exposure.conf.j2").render(
        latency=[Expression(piece) for piece in _LATENCY] if exposure.latency else [],
        syslog=f"syslog:server=unix:{layout.syslog_socket},nohostname,tag=nginx",
        socket=f"unix:{layout.status_socket}" if exposure.status_socket else None,
        listens=addresses(Listener(exposure.status_port), can) if exposure.status_port else [],
        allow=exposure.status_allow,
    )
    return file_of(Block(None, text))
