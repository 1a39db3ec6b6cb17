"""Flags, and what they make: `Settings` and `Layout`. The only place that reads argv, the environment and resolv.conf."""

import argparse
import hashlib
import ipaddress
import os
import re
from collections.abc import Callable
from pathlib import Path

from headgate.api import Ref
from headgate.errors import Unusable
from headgate.model.capabilities import OLDEST, Capabilities, Version
from headgate.model.finding import legible
from headgate.model.layout import Layout
from headgate.model.server import Listener
from headgate.model.settings import Semantics, Settings
from headgate.model.values import trouble_in

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
RESOLV_CONF = Path("/etc/resolv.conf")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)


def add_input(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="manifests; a folder is all its manifests, - is standard input"
    )


def add_reading(command: argparse.ArgumentParser) -> None:
    """How objects are read: the same for every command, so that each says what the others would do."""
    group = command.add_argument_group("how objects are read")
    group.add_argument(
        "--ingress-class",
        metavar="NAME",
        help="serve this class only (default: every class whose controller is nginx.org/ingress-controller, and the name nginx)",
    )
    group.add_argument(
        "--ingress-semantics",
        choices=[each.value for each in Semantics],
        default="kubernetes",
        help="whose reading of paths and wildcard hosts counts (default: kubernetes)",
    )
    group.add_argument(
        "--enable-snippets", action="store_true", help="allow nginx.org/server-snippets and nginx.org/location-snippets"
    )
    group.add_argument(
        "--configmap",
        type=_namespaced("ConfigMap"),
        metavar="NAMESPACE/NAME",
        help="the ConfigMap with settings for everybody",
    )
    group.add_argument(
        "--default-server-tls-secret",
        type=_namespaced("Secret"),
        metavar="NAMESPACE/NAME",
        help="the TLS Secret for names that nobody has (default: refuse their handshakes)",
    )
    group.add_argument(
        "--resolver",
        action="append",
        type=_resolver,
        metavar="ADDRESS[:PORT]",
        help="a DNS server for ExternalName Services (default: from /etc/resolv.conf)",
    )


def add_listeners(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("where nginx listens")
    group.add_argument("--http-port", type=_port, default=8080, metavar="PORT", help="default: 8080")
    group.add_argument("--https-port", type=_port, default=8443, metavar="PORT", help="default: 8443")
    group.add_argument(
        "--address", action="append", type=_address, metavar="ADDRESS", help="may be repeated (default: 127.0.0.1)"
    )
    group.add_argument(
        "--state-dir",
        type=Path,
        metavar="FOLDER",
        help="everything that is written goes here (default: a folder of its own for each served folder)",
    )


def add_serving(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("how it runs")
    group.add_argument(
        "--metrics-port", type=_port, metavar="PORT", help="serve /metrics and /nginx-ready here (default: off)"
    )
    group.add_argument(
        "--once",
        action="store_true",
        help="write the configuration, let nginx check it, and exit: 0 when everything is served, 1 on errors",
    )
    group.add_argument("--nginx-binary", default="nginx", metavar="PATH", help="default: nginx from PATH or /usr/sbin")
    group.add_argument(
        "--reload-timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="how long to wait for nginx to answer with a new configuration (default: 60)",
    )
    group.add_argument(
        "--shutdown-timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long requests may take to end when we stop (default: 30)",
    )
    group.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), default="info", help="default: info"
    )


def add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--nginx",
        type=_version,
        metavar="VERSION",
        help="for which nginx, such as 1.22.1 (default: the installed one, else 1.22.1)",
    )


def settings_of(arguments: argparse.Namespace, capabilities: Capabilities) -> Settings:
    return Settings(
        capabilities=capabilities,
        semantics=Semantics(arguments.ingress_semantics),
        listeners=listeners_of(arguments),
        ingress_class=arguments.ingress_class,
        snippets=arguments.enable_snippets,
        configmap=arguments.configmap,
        default_certificate=arguments.default_server_tls_secret,
        resolver=tuple(arguments.resolver or resolvers(RESOLV_CONF)),
    )


def listeners_of(arguments: argparse.Namespace) -> tuple[Listener, ...]:
    http, https = getattr(arguments, "http_port", 8080), getattr(arguments, "https_port", 8443)
    if http == https:
        raise Unusable(f"--http-port and --https-port are both {http}: they cannot share a port")
    addresses = getattr(arguments, "address", None) or ["127.0.0.1"]
    return tuple(Listener(port, address, tls) for port, tls in ((http, False), (https, True)) for address in addresses)


def layout_of(state: Path, *, modules: tuple[str, ...] = (), user: str | None = None) -> Layout:
    if "$" in str(state) or trouble_in(str(state)) is not None:
        raise Unusable(
            f"state folder {legible(str(state))}: nginx would read more than a path in it; choose another with --state-dir"
        )
    return Layout(
        tree=f"{state}/nginx",
        run=f"{state}/run",
        access_log=f"{state}/log/access.log",
        error_log=f"{state}/log/error.log",
        temp=f"{state}/temp",
        modules=modules,
        user=user,
    )


def state_folder(arguments: argparse.Namespace, served: Path) -> Path:
    """Each served folder has a state folder of its own, so that several run side by side."""
    if arguments.state_dir is not None:
        return Path(arguments.state_dir).resolve()
    whole = served.resolve()
    digest = hashlib.blake2b(os.fsencode(whole), digest_size=4).hexdigest()
    name = f"{_UNFIT.sub('-', whole.stem) or 'root'}-{digest}"
    if os.geteuid() == 0:
        return Path("/var/lib/headgate") / name
    state_home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state_home) / "headgate" / name


def resolvers(path: Path) -> list[str]:
    """The name servers of the machine, as nginx writes them."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []
    named = [words[1] for words in (line.split() for line in lines) if len(words) > 1 and words[0] == "nameserver"]
    return [_bracketed(address) for address in named if _is_address(address)][:3]


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: write a number from 1 to 65535")
    return int(text)


def _address(text: str) -> str:
    plain = text.strip("[]")
    if not _is_address(plain):
        raise argparse.ArgumentTypeError(f"{text!r} is no address: write one such as 127.0.0.1, 0.0.0.0 or ::1")
    return plain


def _resolver(text: str) -> str:
    host, port = text, ""
    if text.count(":") == 1 or "]:" in text:
        host, _, port = text.rpartition(":")
    plain = host.strip("[]")
    if not _is_address(plain) or (port and not port.isdigit()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no DNS server: write an address, such as 10.96.0.10 or 127.0.0.1:5353"
        )
    return f"{_bracketed(plain)}:{port}" if port else _bracketed(plain)


def _version(text: str) -> Version:
    found = _VERSION.fullmatch(text)
    if not found or (version := (int(found[1]), int(found[2]), int(found[3]))) < (1, 22, 0):
        raise argparse.ArgumentTypeError(
            f"{text!r}: write a version of nginx from 1.22.0 on, such as {'.'.join(map(str, OLDEST))}"
        )
    return version


def _namespaced(kind: str) -> Callable[[str], Ref]:
    def parse(text: str) -> Ref:
        namespace, slash, name = text.partition("/")
        if not slash or not namespace or not name or "/" in name:
            raise argparse.ArgumentTypeError(f"{text!r}: write NAMESPACE/NAME")
        return Ref(kind, namespace, name)

    return parse
