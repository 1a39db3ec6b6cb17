"""Build the model from settled claims: the losers' servers left out, everything in a fixed order."""

from collections.abc import Sequence

from headgate.api import Ref
from headgate.model.certificate import Certificate
from headgate.model.finding import Finding, Severity
from headgate.model.server import Endpoint, Site
from headgate.model.shape import Main, Model, Shape, Table
from headgate.model.values import UpstreamName
from headgate.translate.claims import Claim
from headgate.translate.collect import Memo
from headgate.translate.ingress import used
from headgate.translate.settle import Lost


def assemble(claims: Sequence[Claim], lost: Lost, main: Main, extra: Sequence[Certificate], memo: Memo) -> Model:
    sites: list[Site] = []
    certificates: dict[Ref, Certificate] = {each.source: each for each in extra}
    endpoints: dict[UpstreamName, tuple[Endpoint, ...]] = {}
    for claim in claims:
        site = _site(claim, lost, memo)
        if not site.servers:
            continue
        sites.append(site)
        if site is claim.site:
            endpoints.update(claim.endpoints)
        else:
            endpoints.update((each.name, claim.endpoints[each.name]) for each in site.upstreams)
        for certificate in claim.certificates:
            certificates[certificate.source] = certificate
    shape = Shape(main, tuple(sites), dict(sorted(certificates.items())))
    return Model(shape, Table(endpoints))


def _site(claim: Claim, lost: Lost, memo: Memo) -> Site:
    """What is left of a claim; the same value as last time when nothing changed, so that identity tells."""
    hosts = lost.get(claim.source)
    if not hosts:
        return claim.site
    without = frozenset(hosts)
    known = memo.sites.get(claim.source)
    if known is None or known[0] is not claim.site or known[1] != without:
        servers = tuple(server for server in claim.site.servers if server.host not in without)
        upstreams = {upstream.name: upstream for upstream in claim.site.upstreams}
        known = memo.sites[claim.source] = (claim.site, without, Site(claim.source, servers, used(servers, upstreams)))
    return known[2]


def nothing_left(claims: Sequence[Claim], lost: Lost) -> list[Finding]:
    return [
        Finding(
            claim.source,
            Severity.WARNING,
            "AllHostsTaken",
            "every host that it asks for is taken, so nothing of it is served",
            "spec.rules",
        )
        for claim in claims
        if len(lost.get(claim.source, ())) == len(claim.site.servers) > 0
    ]
