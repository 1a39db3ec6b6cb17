"""Statuses of Ingresses: our own addresses while something of the object serves, and none of ours otherwise.

Entries that are not ours are other controllers' business and stay as they are. Ours are those that we have, or have had since we
started (`Told.own`): an address that changed is replaced, not joined by the new one.
"""

from typing import TypeAlias

from headgate.api import LoadBalancerIngress, Ref
from headgate.model.report import StatusPatch
from headgate.status.seen import Seen, Shown, sites_of
from headgate.status.told import Told, key

Entries: TypeAlias = tuple[LoadBalancerIngress, ...]


def patches(seen: Seen, shown: Shown, told: Told) -> tuple[StatusPatch, ...]:
    if seen.addresses is None and not told.own:
        return ()
    ours = frozenset(key(each) for each in (*told.own, *(seen.addresses or ())))
    serving = sites_of(seen.live)
    addresses = seen.addresses or ()
    spoken = {finding.ref for finding in seen.findings if finding.ref.kind == "Ingress"}
    made = [_patch(ref, now, ours, addresses) for ref in serving if (now := shown(ref)) != addresses]
    made += [_patch(ref, shown(ref), ours, ()) for ref in sorted((spoken | told.marked) - serving.keys())]
    return tuple(patch for patch in made if patch is not None and seen.snapshot.get(patch.ref) is not None)


def _patch(ref: Ref, now: Entries, ours: frozenset[tuple[str, str]], addresses: Entries) -> StatusPatch | None:
    """None where nothing differs; the order of entries is nobody's concern."""
    wish = (*(each for each in now if key(each) not in ours), *addresses)
    return StatusPatch(ref, wish) if sorted(map(key, now)) != sorted(map(key, wish)) else None
