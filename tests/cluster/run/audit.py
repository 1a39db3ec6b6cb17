"""The API server's audit log: who asked for what, and what came of it. The judge of everything that is written.

Only the metadata of requests is logged. A request is told when its answer is complete; a watch when it begins, and again
when it ends.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}


class Request(NamedTuple):
    user: str
    verb: str
    group: str
    resource: str  # with its subresource: ingresses/status
    namespace: str
    name: str
    code: int
    at: str  # RFC 3339, so that texts compare as times do
    path: str
    agent: str

    @property
    def is_write(self) -> bool:
        return self.verb in ("create", "update", "patch", "delete", "deletecollection")


class Audit:
    def __init__(self, folder: Path) -> None:
        self._policy = folder / "audit-policy.json"
        self._policy.write_text(json.dumps(_POLICY))
        self._log = folder / "audit.log"

    @property
    def flags(self) -> tuple[str, ...]:
        return f"--audit-policy-file={self._policy}", f"--audit-log-path={self._log}", "--audit-log-mode=blocking"

    def by(self, user: str) -> list[Request]:
        """Everything that this user asked for."""
        return [request for request in self._all() if request.user == user]

    def writes(self, user: str, resource: str) -> list[Request]:
        """What this user wrote of a kind, as far as the server took it."""
        return [each for each in self.by(user) if each.is_write and each.resource == resource and each.code < 300]

    def _all(self) -> Iterator[Request]:
        text = self._log.read_text() if self._log.exists() else ""
        whole, _, _ = text.rpartition("\n")
        for line in whole.splitlines():
            if '"stage":"ResponseComplete"' in line or '"verb":"watch"' in line:
                yield _request(json.loads(line))


def _request(told: dict[str, Any]) -> Request:
    about = told.get("objectRef", {})
    resource = about.get("resource", "")
    if sub := about.get("subresource"):
        resource = f"{resource}/{sub}"
    return Request(
        user=told["user"].get("username", ""),
        verb=told["verb"],
        group=about.get("apiGroup", ""),
        resource=resource,
        namespace=about.get("namespace", ""),
        name=about.get("name", ""),
        code=told.get("responseStatus", {}).get("code", 0),
        at=told["requestReceivedTimestamp"],
        path=told["requestURI"],
        agent=told.get("userAgent", ""),
    )
