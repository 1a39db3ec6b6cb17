"""What each setting does, as a client or a backend sees it: beside one that has it stands one that has not.

`test_annotations` says the settings on an Ingress and `test_configmap` says them for everybody; the effects are the same.
An effect is a contrast between two `Side`s: it must show on the one and must not show on the other, so it fails when
the setting has no effect, and when it has its effect on everybody. `proxy_effects` and `server_effects` hold the tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.support import certificates, client
from tests.support.backends import Backend, Backends, Event, Handler, echo
from tests.support.manifests import (
    Manifest,
    behind,
    endpoints,
    ingress,
    path,
    rule,
    service,
    service_port,
    tls_for,
    tls_secret,
)
from tests.support.site import Site


@dataclass
class Side:
    """One of the two: a host and a Service of its own."""

    site: Site
    name: str
    stage: Backends
    backends: dict[str, Backend] = field(default_factory=dict)
    release: Event = field(init=False)

    def __post_init__(self) -> None:
        self.release = self.stage.event()

    @property
    def host(self) -> str:
        return f"{self.name}.effects.test"

    @property
    def service(self) -> str:
        return f"{self.name}-web"

    def ask(self, target: str = "/", **more: Any) -> client.Answer:
        return self.site.ask(target, host=self.host, **more)

    def ask_tls(self, target: str = "/", **more: Any) -> client.Answer:
        return self.site.ask_tls(target, host=self.host, **more)

    def send(self, line: client.Line, target: str = "/", **more: Any) -> None:
        line.send(client.request(target, host=self.host, **more))

    def arrived(self, number: int) -> None:
        """Wait until so many requests have reached the backend."""
        self.site.gate.until(lambda: len(self.backends["web"].seen) == number, what=f"request {number}")

    def backend(self, name: str = "web", handler: Handler = echo, **more: Any) -> Backend:
        self.backends[name] = self.stage.http(name, handler, **more)
        return self.backends[name]


Contrast: TypeAlias = Callable[[Side, Side], None]
Behind: TypeAlias = Callable[[Side], list[Manifest]]


def one_echo(side: Side) -> list[Manifest]:
    return behind(side.service, side.backend().port)


def answered_by(handler: Callable[[Side], Handler], **more: Any) -> Behind:
    """One backend, whose handler may wait for its side's release."""

    def made(side: Side) -> list[Manifest]:
        return behind(side.service, side.backend("web", handler(side), **more).port)

    return made


def two(first: Handler = echo, second: Handler = echo) -> Behind:
    """Two endpoints, named one and two."""

    def made(side: Side) -> list[Manifest]:
        pair = side.backend("one", first), side.backend("two", second)
        slices = [endpoints(side.service, "127.0.0.1", port=each.port, suffix=each.name) for each in pair]
        return [service(side.service, service_port(80)), *slices]

    return made


@dataclass(frozen=True)
class Effect:
    """`neutral` is the value that says nothing new; `beside` is said on both sides."""

    value: str
    contrast: Contrast
    neutral: str = ""
    behind: Behind = one_echo
    beside: Mapping[str, str] = field(default_factory=dict)
    tls: bool = False
    path: str = "/"
    kind: str = "Prefix"

    def ingress(self, side: Side, annotations: Mapping[str, str]) -> Manifest:
        """`SERVICE` in a value stands for the side's own Service."""
        said = {f"nginx.org/{key}": value.replace("SERVICE", side.service) for key, value in annotations.items()}
        return ingress(
            side.name,
            rule(side.host, path(self.path, side.service, kind=self.kind)),
            annotations=said,
            tls=[tls_for(side.name, side.host)] if self.tls else (),
        )

    def around(self, side: Side) -> list[Manifest]:
        secret = [tls_secret(side.name, certificates.pair(side.host))] if self.tls else []
        return [*self.behind(side), *secret]


def shows(look: Callable[[Side], object], *, here: object, there: object) -> Contrast:
    """What one look sees on the one side, and what the same look sees on the other."""
    assert here != there

    def contrast(having: Side, lacking: Side) -> None:
        assert look(having) == here
        assert look(lacking) == there

    return contrast
