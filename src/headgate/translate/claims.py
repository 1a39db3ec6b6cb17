"""What one source object asks for, before anyone decided who gets it.

A `Claim` is made by `ingress.claim`, judged by `settle` and built into the model by `assemble`. It knows nothing of other
objects, so it can be remembered until something that it looked at changes.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from headgate.api import Meta, Ref
from headgate.model.certificate import Certificate
from headgate.model.finding import Finding
from headgate.model.server import Endpoint, Host, Site
from headgate.model.values import UpstreamName


class Claim(Struct, frozen=True):
    source: Ref
    meta: Meta
    site: Site  # everything, as if every host were won
    endpoints: Mapping[UpstreamName, tuple[Endpoint, ...]] = field(default_factory=dict)
    certificates: tuple[Certificate, ...] = ()
    findings: tuple[Finding, ...] = ()
    rejected: frozenset[Ref] = frozenset()

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(server.host for server in self.site.servers)
