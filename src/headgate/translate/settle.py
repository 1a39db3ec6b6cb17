"""Decide who gets a host when several objects ask for it.

Claims come from every source kind and know nothing of each other. The oldest object wins, then the greater UID, then the
name, so that replicas agree without talking. When any of those who want a host has no creation time, age says nothing about
that host: "missing counts as equal" would otherwise depend on who is compared with whom first. Losers are not dropped silently:
each is told by name which object has its host. Winners go on to `assemble`.
"""

from collections.abc import Iterable, Mapping

from headgate.api import Ref
from headgate.model.finding import Finding, Severity
from headgate.model.server import Host, HostKind
from headgate.translate.claims import Claim

Lost = Mapping[Ref, Mapping[Host, Ref]]  # loser → host → winner


def settle(claims: Iterable[Claim]) -> Lost:
    wanted: dict[Host, Claim] = {}
    contested: dict[Host, list[Claim]] = {}
    for claim in claims:
        for server in claim.site.servers:
            first = wanted.setdefault(server.host, claim)
            if first is not claim:
                contested.setdefault(server.host, [first]).append(claim)
    lost: dict[Ref, dict[Host, Ref]] = {}
    for host, rivals in contested.items():
        winner = oldest(rivals)
        for rival in rivals:
            if rival is not winner:
                lost.setdefault(rival.source, {})[host] = winner.source
    return lost


def oldest(rivals: list[Claim]) -> Claim:
    aged = all(rival.meta.creation_timestamp for rival in rivals)
    first = min(rival.meta.creation_timestamp for rival in rivals) if aged else ""
    rivals = [rival for rival in rivals if not aged or rival.meta.creation_timestamp == first]
    greatest = max(rival.meta.uid for rival in rivals)
    return min((rival for rival in rivals if rival.meta.uid == greatest), key=lambda rival: rival.source)


def lost_findings(lost: Lost) -> list[Finding]:
    return [
        Finding(
            loser,
            Severity.WARNING,
            "HostTaken",
            f"{_spoken(host)} is taken by {winner}, which is older or comes first",
            "spec.rules",
        )
        for loser, hosts in lost.items()
        for host, winner in hosts.items()
    ]


def _spoken(host: Host) -> str:
    if not host.text:
        return "the host of last resort (a rule without a host)"
    return f"host {host.text if host.kind is HostKind.EXACT else '*.' + host.text}"
