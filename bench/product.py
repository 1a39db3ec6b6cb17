"""Headgate's own functions, in the order in which a pass calls them: manifests in, a tree on disk that nginx can read out."""

from collections.abc import Iterable
from pathlib import Path

from bench.folders import Manifest
from headgate.api import Ref, Snapshot
from headgate.api.decode import decode
from headgate.cluster.store import Store
from headgate.model.layout import Layout
from headgate.model.server import Listener
from headgate.model.settings import Semantics, Settings
from headgate.model.shape import Model
from headgate.nginx.ground import prepare
from headgate.nginx.tree import Tree
from headgate.nginx.verify import version_file
from headgate.render import render
from headgate.translate import translate

_CONFIG = Ref("ConfigMap", "headgate", "config")


def settings(port: int, tls_port: int, *, semantics: Semantics = Semantics.KUBERNETES) -> Settings:
    listeners = (Listener(port, "127.0.0.1"), Listener(tls_port, "127.0.0.1", tls=True))
    return Settings(semantics=semantics, listeners=listeners, configmap=_CONFIG)


def layout(folder: Path) -> Layout:
    return Layout(
        tree=f"{folder}/nginx", run=f"{folder}/run", access_log=f"{folder}/log/access.log", temp=f"{folder}/temp"
    )


def store_of(manifests: Iterable[Manifest]) -> Store:
    """With a ConfigMap that asks for one worker, since CPU is measured by worker."""
    meta = {"name": _CONFIG.name, "namespace": _CONFIG.namespace}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"worker-processes": "1"}}
    store = Store()
    store.put(found for each in (config, *manifests) if (found := decode(each)) is not None)
    return store


def written(snapshot: Snapshot, wanted: Settings, folder: Path) -> Path:
    """Everything from objects to files; the path of nginx.conf."""
    place = layout(folder)
    prepare(place)
    tree = Tree(place.tree)
    tree.load()
    write(translate(snapshot, wanted).model, wanted, place, tree)
    return Path(place.tree) / "nginx.conf"


def write(model: Model, wanted: Settings, place: Layout, tree: Tree) -> None:
    files = render(model, wanted.capabilities, place).files.files
    tree.write(files, tree.differences(files), version_file(place, 1))
