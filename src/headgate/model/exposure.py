"""What nginx shows about itself beside serving: its counters, how long backends took, that it is alive. Off unless flags ask for it."""

from msgspec import Struct


class Exposure(Struct, frozen=True, gc=False):
    status_socket: bool = False  # /stub_status on a unix socket, for our own metrics
    status_port: int = 0  # the same for whoever is allowed; 0 is nowhere
    status_allow: tuple[str, ...] = ()
    latency: bool = False  # a line about each answer of a backend, to our own socket
    health_uri: str = ""  # where the default server answers that it is alive; empty is nowhere
