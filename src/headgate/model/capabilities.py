"""What the nginx at hand can do: read once from `nginx -V` (see `nginx/capabilities`), or said by `--nginx 1.22.1`.

Templates ask these questions and never compare versions themselves.
"""

from msgspec import Struct

Version = tuple[int, int, int]

OLDEST: Version = (1, 22, 1)


class Capabilities(Struct, frozen=True, gc=False):
    version: Version = OLDEST
    http2: bool = True  # built with the HTTP/2 module
    ssl: bool = True
    grpc: bool = True
    ipv6: bool = True

    @property
    def http2_directive(self) -> bool:
        """`http2 on;` from 1.25.1; before, a word of `listen`."""
        return self.http2 and self.version >= (1, 25, 1)

    @property
    def http2_listen_word(self) -> bool:
        return self.http2 and self.version < (1, 25, 1)

    @property
    def keepalive_min_timeout(self) -> bool:
        """Old workers may leave idle connections a moment during a reload, from 1.27.4."""
        return self.version >= (1, 27, 4)
