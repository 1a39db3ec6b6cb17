"""What is wrong between us and the API server, as findings: reflectors in, sentences out, each said once.

A server that is away is one sentence, however many watches it broke; a missing right is one for each place. What is
known of the cluster stays in force meanwhile, and the sentence says so.
"""

from collections.abc import Iterable

from headgate.api import Ref
from headgate.cluster.kube.reflector import Reflector
from headgate.errors import ApiRefusal, Missing, Unauthorized
from headgate.model.finding import Finding, Severity, order

WATCH = "Watch"  # the kind under which findings speak of a watch, and of the API server
SERVER = Ref(WATCH, "", "the API server")
STAYS = "what is known of the cluster stays in force"


class Troubles:
    def __init__(self) -> None:
        self._outage = ""  # as it was first said: an outage has many faces, and is one

    def findings(self, reflectors: Iterable[Reflector]) -> tuple[Finding, ...]:
        troubles = [(each, each.trouble) for each in reflectors if each.trouble is not None]
        away = sorted(str(why) for _, why in troubles if not isinstance(why, ApiRefusal))
        self._outage = (self._outage or away[0]) if away else ""
        found = {_refused(each, why) for each, why in troubles if isinstance(why, ApiRefusal)}
        if self._outage:
            said = f"it does not answer as it should: {self._outage}. It is tried again; {STAYS}"
            found.add(Finding(SERVER, Severity.ERROR, "ApiUnavailable", said))
        return tuple(sorted(found, key=order))


def _refused(reflector: Reflector, trouble: ApiRefusal) -> Finding:
    scope = reflector.scope
    ref = Ref(WATCH, scope.namespace, scope.kind.plural)
    if isinstance(trouble, Unauthorized):
        said = f"it does not know who we are: {trouble}. The token or certificate is read again; {STAYS}"
        return Finding(SERVER, Severity.ERROR, "Unauthorized", said)
    if isinstance(trouble, Missing):
        said = f"{scope.kind.version} has no such kind here: {trouble}. It is looked for now and then"
        return Finding(ref, Severity.WARNING, "NotInstalled", said)
    said = f"{trouble}. Give the service account this right: it is tried again; {STAYS}"
    return Finding(ref, Severity.ERROR, type(trouble).__name__, said)
