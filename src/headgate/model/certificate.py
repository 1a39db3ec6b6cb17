"""A TLS pair, checked and ready to be written: certificate chain and key as PEM in one text.

It shows only its digest: neither a log line nor a traceback may ever hold a key.
"""

from msgspec import Struct

from headgate.api import Ref


class Certificate(Struct, frozen=True, gc=False):
    source: Ref
    pem: str
    digest: str
    names: tuple[str, ...] = ()
    not_after: str = ""  # ISO 8601 in UTC, so that text order is time order

    def __repr__(self) -> str:
        return f"Certificate({self.source}, sha256:{self.digest[:12]})"
