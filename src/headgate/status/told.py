"""`Told`: what was said last, so that nothing is said twice. A value; the caller keeps it from one report to the next."""

from collections.abc import Mapping

from msgspec import Struct, field

from headgate.api import LoadBalancerIngress, Object, Ref
from headgate.model.finding import Finding
from headgate.model.report import EventNote
from headgate.model.server import Site
from headgate.status.seen import Seen, Shown, sites_of


class Saying(Struct, frozen=True):
    """The notes about an object, and what they were made from."""

    notes: tuple[EventNote, ...]
    of: Object | None = None
    site: Site | None = None
    findings: tuple[Finding, ...] = ()
    settled: bool = False  # made while everything was live: it stands until its object, site or findings change

    def stands(self, of: Object, wanted: Site | None, live: Site | None, findings: tuple[Finding, ...]) -> bool:
        """By identity, so that asking ten thousand times costs little."""
        return self.settled and self.of is of and self.site is wanted is live and self.findings == findings

    def is_about(self, of: Object | None) -> bool:
        return self.of is of or self.of == of


class Told(Struct, frozen=True):
    sayings: Mapping[Ref, Saying] = field(default_factory=dict)
    own: frozenset[LoadBalancerIngress] = frozenset()  # every address that was ours
    marked: frozenset[Ref] = frozenset()  # Ingresses whose status may hold one of them

    def after(self, seen: Seen, shown: Shown, sayings: Mapping[Ref, Saying], *, statuses: bool) -> "Told":
        """Whose class changed stays marked until the cluster shows that our addresses are gone."""
        if not statuses or (seen.addresses is None and not self.own):
            return Told(sayings, self.own, self.marked)
        own = self.own | frozenset(seen.addresses or ())
        keys = {key(each) for each in own}
        serving = sites_of(seen.live).keys()
        lingering = (ref for ref in self.marked if ref not in serving and any(key(each) in keys for each in shown(ref)))
        return Told(sayings, own, frozenset(serving) | frozenset(lingering))


def key(entry: LoadBalancerIngress) -> tuple[str, str]:
    """What makes an entry this one, whatever ports somebody lists with it."""
    return entry.ip, entry.hostname
