"""`Translation`: a model, the findings of making it, and the objects that our rules rejected."""

from msgspec import Struct

from headgate.api import Ref
from headgate.model.finding import Finding
from headgate.model.shape import Model


class Translation(Struct, frozen=True):
    model: Model
    findings: tuple[Finding, ...] = ()
    rejected: frozenset[Ref] = frozenset()  # nothing of these versions is in the model
    not_ours: int = 0  # Ingresses of other classes: no findings, but worth a number
