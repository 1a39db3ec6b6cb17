"""What the rules of RBAC grant, one right at a time, to be compared with what was asked for."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.cluster.run.audit import Request
from tests.support.manifests import Manifest


class Right(NamedTuple):
    group: str
    resource: str
    verb: str
    name: str  # empty: of any name
    namespace: str  # empty: in every namespace

    def allows(self, request: Request) -> bool:
        return (
            (self.group, self.resource, self.verb) == (request.group, request.resource, request.verb)
            and self.namespace in ("", request.namespace)
            and self.name in ("", request.name)
        )


def rights(roles: Iterable[Manifest]) -> Iterator[Right]:
    """Every right in these Roles and ClusterRoles."""
    for role in roles:
        place = role["metadata"].get("namespace", "")
        for rule in role["rules"]:
            assert not {"*"} & {*rule["apiGroups"], *rule["resources"], *rule["verbs"]}, "say what is meant"
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    for verb in rule["verbs"]:
                        for name in rule.get("resourceNames", [""]):
                            yield Right(group, resource, verb, name, place)
