"""Read the main ConfigMap: defaults with its options laid over, and what is wrong with it.

A key that is wrong is left out with a finding; the others stand. Only nginx refusing the result holds the whole ConfigMap.
"""

from msgspec import Struct

from headgate.api import ConfigMap, Malformed, Ref, Secret, Snapshot
from headgate.dialects import read_configmap
from headgate.model.certificate import Certificate
from headgate.model.defaults import DEFAULTS
from headgate.model.finding import Finding, Problem, Severity
from headgate.model.options import Options, over
from headgate.model.settings import Settings
from headgate.translate.ingress import Pairs


class Config(Struct, frozen=True):
    options: Options
    source: Ref | None
    findings: tuple[Finding, ...] = ()
    rejected: frozenset[Ref] = frozenset()


def read_config(snapshot: Snapshot, settings: Settings) -> Config:
    if settings.configmap is None:
        return Config(DEFAULTS, None)
    found = snapshot.get(settings.configmap)
    if isinstance(found, Malformed):
        said = Finding(found.ref, Severity.ERROR, "Rejected", found.message, found.field)
        return Config(DEFAULTS, None, (said,), frozenset({found.ref}))
    if not isinstance(found, ConfigMap):
        said = Finding(
            settings.configmap,
            Severity.WARNING,
            "ConfigMapMissing",
            "it does not exist; defaults are in force until it does",
        )
        return Config(DEFAULTS, None, (said,))
    reading = read_configmap(found.data)
    wrong = [
        Finding(
            found.ref,
            Severity.ERROR,
            "InvalidValue",
            f"{problem.message}. This key is left out, the others stand",
            f"data[{problem.field}]",
        )
        for problem in reading.problems
    ]
    odd = [
        Finding(found.ref, Severity.WARNING, "UnknownKey", each.message, f"data[{each.field}]")
        for each in reading.remarks
    ]
    return Config(over(DEFAULTS, reading.options), found.ref, (*wrong, *odd))


class DefaultPair(Struct, frozen=True):
    certificate: Certificate | None = None
    findings: tuple[Finding, ...] = ()
    rejected: frozenset[Ref] = frozenset()


def default_pair(snapshot: Snapshot, settings: Settings, pairs: Pairs) -> DefaultPair:
    """The certificate for names that nobody claims."""
    ref = settings.default_certificate
    if ref is None:
        return DefaultPair()
    secret = snapshot.get(ref)
    if not isinstance(secret, Secret | Malformed):
        said = "it does not exist; TLS handshakes for unknown names are refused until it does"
        return DefaultPair(findings=(Finding(ref, Severity.WARNING, "SecretMissing", said),))
    pair = pairs.of(secret)
    if isinstance(pair, Problem):
        return DefaultPair(
            None, (Finding(ref, Severity.ERROR, "SecretInvalid", pair.message, pair.field),), frozenset({ref})
        )
    return DefaultPair(pair)
