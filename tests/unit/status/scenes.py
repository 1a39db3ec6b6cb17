"""A cluster that is told about: objects in, what nginx made of them, reports out; what the reports say is done, as a writer would."""

from collections.abc import Iterable

from headgate.api import LoadBalancerIngress, Ref
from headgate.cluster.store import Store
from headgate.controller.held import Held
from headgate.controller.holding import translate_holding
from headgate.model.outcome import Blame, Live, Outcome
from headgate.model.report import EventNote, Report
from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.status import Seen, Told, report
from headgate.translate import Memo
from tests.support.manifests import Manifest, behind
from tests.unit.worlds import objects

OURS = LoadBalancerIngress(ip="203.0.113.7")
CONFIGMAP = Ref("ConfigMap", "default", "settings")
POD = Ref("Pod", "ingress", "headgate-1")
SPECIAL = Ref("Secret", "default", "fallback")


class Scene:
    def __init__(self, *, addresses: Iterable[LoadBalancerIngress] | None = (OURS,), statuses: bool = True) -> None:
        self.store, self.held, self.memo = Store(), Held(), Memo()
        self.settings = Settings(configmap=CONFIGMAP, default_certificate=SPECIAL)
        self.live: Model | None = None
        self.told = Told()
        self.addresses = None if addresses is None else tuple(addresses)
        self.statuses = statuses
        self.shown: dict[Ref, tuple[LoadBalancerIngress, ...]] = {}
        self.generation = 0
        self.put(*behind("web", 8080, "10.0.0.1"))

    def put(self, *said: Manifest) -> "Scene":
        self.store.put(objects(said))
        return self

    def drop(self, *refs: Ref) -> "Scene":
        self.store.drop(refs)
        return self

    def go(self, outcome: Outcome | None = None, *, blame: Iterable[Blame] = ()) -> Report:
        """One pass and its report. `blame`: nginx refuses these, and takes the rest."""
        snapshot = self.store.snapshot()
        self.held.hold(blame, snapshot)
        wanted = translate_holding(snapshot, self.held, self.settings, memo=self.memo, stale=None)
        model = wanted.translation.model
        if outcome is None:
            self.generation += 1
            outcome, self.live = Live(self.generation), model
            self.held.accept(model, wanted.served, self.generation)
        seen = Seen(
            snapshot=snapshot,
            findings=wanted.findings,
            wanted=model,
            live=self.live,
            outcome=outcome,
            addresses=self.addresses,
            configmap=CONFIGMAP,
            pod=POD,
            pod_uid="pod-uid",
            special=(SPECIAL,),
        )
        made, self.told = report(seen, self.show, self.told, statuses=self.statuses)
        self.shown.update({patch.ref: patch.ingress for patch in made.patches})
        return made

    def show(self, ref: Ref) -> tuple[LoadBalancerIngress, ...]:
        return self.shown.get(ref, ())

    def another_leader(self) -> "Scene":
        """One that knows nothing of what was told."""
        self.told = Told()
        return self


def spoken(made: Report) -> list[tuple[str, str, str]]:
    """Object, type and reason of each event."""
    return [(str(each.ref), each.type.value, each.reason) for each in made.events]


def only(made: Report) -> EventNote:
    (event,) = made.events
    return event


def edited(manifest: Manifest, **annotations: str) -> Manifest:
    spelled = {f"nginx.org/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": spelled}}
