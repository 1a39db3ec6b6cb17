"""Read manifests once, for the commands that need neither nginx nor a cluster: paths in, a translation out."""

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from headgate.cli.flags import settings_of
from headgate.cluster.files import FolderSource
from headgate.cluster.store import Store
from headgate.errors import Unusable
from headgate.model.capabilities import Capabilities
from headgate.model.finding import Finding
from headgate.model.settings import Settings
from headgate.model.translation import Translation
from headgate.nginx import examine
from headgate.translate import expiry_findings, translate


class Read(Struct):
    translation: Translation
    findings: tuple[Finding, ...]
    settings: Settings
    source: FolderSource


def read_once(arguments: argparse.Namespace) -> Read:
    settings = settings_of(arguments, capabilities_for(arguments))
    store = Store()
    source = FolderSource(_paths(arguments.files), store)
    source.load()
    if "-" in arguments.files:
        source.load_stream(sys.stdin.buffer.read())
    translation = translate(store.snapshot(), settings)
    expired = expiry_findings(translation.model, datetime.now(UTC))
    return Read(translation, (*source.findings(), *translation.findings, *expired), settings, source)


def _paths(files: list[str]) -> list[Path]:
    paths = [Path(name) for name in files if name != "-"]
    for path in paths:
        if not path.exists():
            raise Unusable(f"{path}: there is no such file or folder")
    return paths


def capabilities_for(arguments: argparse.Namespace) -> Capabilities:
    """The version asked for; else the installed nginx; else the oldest that we print for."""
    if arguments.nginx is not None:
        return Capabilities(version=arguments.nginx)
    try:
        return asyncio.run(examine()).capabilities
    except Unusable:
        return Capabilities()
