"""Statuses of Ingresses: our own addresses while something of the object serves, and none of ours otherwise.

Entries that are not ours are other controllers' business and stay as they are. Ours are those that we have, or have had since we
started (`Told.own`): an address that changed is replaced, not joined by the new one.
"""

from headgate.api import LoadBalancerIngress
from headgate.model.report import StatusPatch
from headgate.status.seen import Seen, Shown, by_object, sites_of
from headgate.status.told import Told, key


def patches(seen: Seen, shown: Shown, told: Told) -> tuple[StatusPatch, ...]:
    if seen.addresses is None and not told.own:
        return ()
    ours = frozenset(key(each) for each in (*told.own, *(seen.addresses or ())))
    serving = sites_of(seen.live)
    spoken = {ref for ref in by_object(seen.findings) if ref.kind == "Ingress"}
    made = []
    for ref in sorted(serving.keys() | spoken | told.marked):
        if seen.snapshot.get(ref) is None:
            continue
        now = shown(ref)
        wish = wanted_entries(now, ours, seen.addresses or () if ref in serving else ())
        if sorted(map(key, now)) != sorted(map(key, wish)):
            made.append(StatusPatch(ref, wish))
    return tuple(made)


def wanted_entries(
    now: tuple[LoadBalancerIngress, ...],
    ours: frozenset[tuple[str, str]],
    addresses: tuple[LoadBalancerIngress, ...],
) -> tuple[LoadBalancerIngress, ...]:
    return (*(each for each in now if key(each) not in ours), *addresses)
