"""Worlds of objects with hostile text in any field, made by Hypothesis and as plain as a YAML file would give them.

One bad field rejects an object whole. So that hostile text comes far, each object has one field (its focus) that is hostile, and
is sound otherwise; a world has several objects, and they differ in their focus.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from hypothesis import strategies as st

from headgate.api import Ref, Snapshot
from headgate.api.decode import decode
from headgate.cluster.store import Store
from headgate.model.capabilities import Capabilities
from headgate.model.server import Listener
from headgate.model.settings import Semantics, Settings
from headgate.translate.classes import CLASS_ANNOTATION, OUR_CONTROLLER
from tests.safety.fields import OF_CLASS, OF_INGRESS, OF_SECRET, OF_SERVICE, OF_SLICE
from tests.safety.hostile import hostile, moulded, one_of
from tests.safety.rows import ANNOTATION_NAMES, CONFIGMAP_NAMES, PREFIX, SPELLINGS, moulds_of, with_needed
from tests.support.certificates import Pair, pair
from tests.support.manifests import (
    Manifest,
    configmap,
    endpoints,
    ingress,
    ingress_class,
    path,
    rule,
    service,
    tls_for,
    tls_secret,
)

Draw: TypeAlias = Callable[..., Any]

NAMESPACE = "shop"
CONFIG = Ref("ConfigMap", "nginx", "config")

_PLAIN = ("{}", "a{}", "{}a", "a{}b")
_PATHS = ("/{}", "/a{}", "/{}/b", "/a/{}", "{}", "/a{}b/")
_HOSTS = ("{}", "{}.test", "a{}.test", "*.{}.test", "a.{}")


@dataclass(frozen=True)
class Written:
    """A hostile text, and the object in which it stands."""

    field: str
    text: str
    of: Manifest


@dataclass
class World:
    settings: Settings
    focus: str = ""  # the field that must be hostile, if any
    manifests: list[Manifest] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:
        """How Hypothesis shows it: the rest is as it should be, and not worth reading."""
        printer.text("\n".join(f"{each.field}: {each.text[:200]!r}" for each in self.written))


class Pen:
    """Writes the fields of one object: the focus is hostile, the rest is as it should be."""

    def __init__(self, draw: Draw, focus: str) -> None:
        self._draw = draw
        self.focus = focus
        self.texts: list[str] = []

    def __call__(self, name: str, right: str, moulds: tuple[str, ...] = _PLAIN) -> str:
        if name != self.focus:
            return right
        text: str = self._draw(moulded(moulds))
        self.texts.append(text)
        return text

    def written(self, of: Manifest) -> list[Written]:
        return [Written(self.focus, text, of) for text in self.texts]


def snapshot_of(manifests: Iterable[Manifest]) -> Snapshot:
    """Through the front door, as documents of a file go."""
    store = Store()
    found = (decode(manifest) for manifest in manifests)
    store.put(each for each in found if each is not None and each.ref.name)
    return store.snapshot()


@st.composite
def worlds(draw: Draw, focus: str = "") -> World:
    """With a focus, at least that field is hostile, and what it needs is switched on."""
    able = tuple(each for each in all_settings() if not focus or (each.snippets and each.configmap))
    world = World(draw(one_of(able)), focus)
    for name in ("web", "api", "ext"):
        _add_service(draw, world, name)
    _add_secret(draw, world)
    if world.settings.configmap is not None:
        _add_config(draw, world)
    for number in range(draw(one_of((2, 3, 4, 5)))):
        _add_ingress(draw, world, number)
    return world


@cache
def all_settings() -> tuple[Settings, ...]:
    plain, tls = Listener(8080, "127.0.0.1"), Listener(8443, "127.0.0.1", tls=True)
    return tuple(
        Settings(
            capabilities=Capabilities(version=version),
            semantics=semantics,
            listeners=(plain, tls),
            snippets=snippets,
            configmap=config,
            default_certificate=default,
            resolver=("127.0.0.1:53",),
        )
        for version in ((1, 22, 1), (1, 27, 4))
        for semantics in Semantics
        for snippets in (False, True)
        for config in (None, CONFIG)
        for default in (None, Ref("Secret", NAMESPACE, "pair"))
    )


def _pen(draw: Draw, world: World, fields: tuple[str, ...]) -> Pen:
    return Pen(draw, world.focus if world.focus in fields else draw(one_of(fields)))


def _add_ingress(draw: Draw, world: World, number: int) -> None:
    pen = _pen(draw, world, OF_INGRESS)
    host = pen("host", f"h{number}.test", _HOSTS)
    secret = pen("secret", "pair", ("{}", "a{}", "pair{}"))
    made = ingress(
        pen("name", f"web-{number}"),
        rule(host, *_paths(pen, number)),
        annotations=_annotations(draw, pen),
        tls=[tls_for(secret, host, pen("tls host", host))] if number % 2 else [],
        default={"service": {"name": pen("default service", "api"), "port": {"number": 80}}}
        if number % 3 == 1
        else None,
        class_name=pen("class", "nginx"),
        namespace=pen("namespace", NAMESPACE),
        uid=pen("uid", f"u{number}"),
        created=pen("created", ""),
    )
    made["metadata"]["labels"] = {pen("label", "a"): pen("label", "b")}
    if pen.focus == "resource":
        made["spec"]["defaultBackend"] = {"resource": {"kind": pen("resource", "x"), "name": pen("resource", "x")}}
    world.manifests.append(made)
    world.written += pen.written(made)
    _add_class(draw, world, made["metadata"]["annotations"].get(CLASS_ANNOTATION) or made["spec"]["ingressClassName"])


def _paths(pen: Pen, number: int) -> list[Manifest]:
    kinds = ("Prefix", "Exact", "ImplementationSpecific")
    moulds = _PATHS if pen.focus == "path" else (*_PATHS, "/(?<{}>x)", "/{}(a|b)$", "/[{}]")
    what = pen.focus if pen.focus in ("path", "pattern", "exact pattern") else "path"
    return [
        path(
            pen(what, ("/", "/a", "/a/b")[at], moulds),
            pen("service", ("web", "api", "ext")[(at + number) % 3]),
            pen("port name", "http") if at == 1 else 80,
            kind=pen("path type", kinds[(at + number) % 3]),
        )
        for at in range(3)
    ]


def _annotations(draw: Draw, pen: Pen) -> dict[str, str]:
    said: dict[str, str] = {pen("annotation key", "a", ("{}", PREFIX + "{}", "nginx.com/{}", PREFIX + "hsts{}")): "b"}
    said["example.com/note"] = pen("foreign annotation", "b")
    if pen.focus == "class annotation":
        said[CLASS_ANNOTATION] = pen("class annotation", "nginx")
    if pen.focus.endswith("pattern"):
        said[PREFIX + "path-regex"] = "exact" if pen.focus == "exact pattern" else "case_insensitive"
    names = [draw(one_of(_COMPATIBLE)) for _ in range(2)]
    if pen.focus.startswith(PREFIX):
        names.append(pen.focus.removeprefix(PREFIX))
    for name in names:
        said |= {PREFIX + key: value for key, value in with_needed(name).items()}
        said[PREFIX + name] = pen(PREFIX + name, SPELLINGS[name].right if name in SPELLINGS else "", moulds_of(name))
    return said


# Rows that any Ingress may have beside any other.
_COMPATIBLE = tuple(name for name in ANNOTATION_NAMES if name in SPELLINGS and not name.endswith(("snippets", "path-regex", "rewrites", "buffers", "buffer-size")))  # fmt: skip


def _add_class(draw: Draw, world: World, name: str) -> None:
    """A class of a hostile name is still a class: with an object that says so, its Ingresses are ours."""
    if name != "nginx":
        world.manifests.append(ingress_class(name, OUR_CONTROLLER))
    elif world.focus in OF_CLASS or draw(one_of(tuple(range(10)))) == 0:
        pen = _pen(draw, world, OF_CLASS)
        made = ingress_class(pen("ingress class", "other"), pen("controller", "example.com/other"))
        world.manifests.append(made)
        world.written += pen.written(made)


def _add_service(draw: Draw, world: World, name: str) -> None:
    pen = _pen(draw, world, OF_SERVICE)
    protocol = {"api": "kubernetes.io/ws", "web": ""}.get(name, "https")
    target = pen("target port", "8080")
    port = {
        "port": 80,
        "name": pen("service port name", "http"),
        "protocol": pen("protocol", "TCP"),
        "appProtocol": pen("app protocol", protocol),
        "targetPort": int(target) if target == "8080" else target,
    }
    kind = "ExternalName" if name == "ext" or pen.focus == "external name" else "ClusterIP"
    spec = {"type": pen("service type", kind), "clusterIP": pen("cluster address", "10.0.0.1")}
    external = pen("external name", "backend.example.com", ("{}", "a{}.example.com", "{}.example.com"))
    made = service(name, port, spec={**spec, "externalName": external}, namespace=NAMESPACE)
    world.manifests.append(made)
    world.written += pen.written(made)
    _add_slice(draw, world, name)


def _add_slice(draw: Draw, world: World, name: str) -> None:
    pen = _pen(draw, world, OF_SLICE)
    addresses = ["10.0.0.1", pen("slice address", "10.0.0.2", ("{}", "10.0.0.3{}", "{}10.0.0.3", "fe80::1%{}"))]
    made = endpoints(name, *addresses, port=8080, port_name=pen("slice port name", "http"), namespace=NAMESPACE)
    made["metadata"]["name"] = pen("slice name", made["metadata"]["name"])
    made["metadata"]["labels"]["kubernetes.io/service-name"] = pen("slice label", name)
    made["addressType"] = pen("address type", "IPv4")
    made["ports"][0]["protocol"] = pen("slice protocol", "TCP")
    world.manifests.append(made)
    world.written += pen.written(made)


def _add_secret(draw: Draw, world: World) -> None:
    pen = _pen(draw, world, OF_SECRET)
    made = tls_secret("pair", _pair(), namespace=NAMESPACE)
    data = made["data"]
    made["data"] = {
        "tls.crt": pen("tls.crt", data["tls.crt"]),
        "tls.key": pen("tls.key", data["tls.key"]),
        pen("secret key", "ca.crt"): "",
    }
    if pen.focus == "string data":
        made["stringData"] = {
            "tls.crt": pen("string data", "", ("{}", "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----"))
        }
    made["type"] = pen("secret type", "kubernetes.io/tls")
    world.manifests.append(made)
    world.written += pen.written(made)


@cache
def _pair() -> Pair:
    return pair("h1.test")


_KEYS = st.lists(st.sampled_from(CONFIGMAP_NAMES), min_size=3, max_size=7, unique=True)


def _add_config(draw: Draw, world: World) -> None:
    """One bad key does not spoil the others, so most of them are hostile."""
    said: dict[str, str] = {}
    written: list[tuple[str, str]] = []
    for name in sorted({*draw(_KEYS), world.focus.removeprefix("config ")} & set(CONFIGMAP_NAMES)):
        said |= with_needed(name)
        if name not in SPELLINGS or world.focus.endswith(name) or draw(one_of((True, True, True, False))):
            said[name] = draw(moulded(moulds_of(name)))
            written.append((f"config {name}", said[name]))
        else:
            said[name] = SPELLINGS[name].right
    if world.focus == "config key" or draw(one_of((0, 1, 2, 3))) == 0:
        key = draw(hostile())
        said[key] = "x"
        written.append(("config key", key))
    made = configmap(CONFIG.name, said, namespace=CONFIG.namespace)
    world.manifests.append(made)
    world.written += [Written(name, text, made) for name, text in written]
