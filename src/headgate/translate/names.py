"""Names as Kubernetes allows them. A manifest on disk never met an API server, so we check them ourselves."""

import re

from headgate.model.finding import legible
from headgate.model.server import Host, HostKind
from headgate.model.settings import Semantics

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_PORT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?", re.ASCII)
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}", re.ASCII)


def is_label(text: str) -> bool:
    return _LABEL.fullmatch(text) is not None


def is_subdomain(text: str) -> bool:
    return len(text) <= 253 and all(is_label(label) for label in text.split("."))


def is_port_name(text: str) -> bool:
    return _PORT_NAME.fullmatch(text) is not None and any(c.isalpha() for c in text)


def is_ipv4(text: str) -> bool:
    """As the standard library's `ipaddress` says, in a tenth of the time: there are more endpoints than anything else."""
    return _IPV4.fullmatch(text) is not None


def parse_host(text: str, semantics: Semantics) -> Host:
    """A host of a rule; raises ValueError saying what would be right."""
    if not text:
        return Host("")
    name = text.removeprefix("*.")
    if not is_subdomain(name):
        raise ValueError(f"{shown(text)} is no host name: {_remedy(text, name)}")
    if is_ipv4(name):
        raise ValueError(
            f"{shown(text)} is an address: write a DNS name, or leave the host out to answer for every name"
        )
    if name is text:
        return Host(text)
    return Host(name, HostKind.ONE_LABEL if semantics is Semantics.KUBERNETES else HostKind.ANY_DEPTH)


def shown(text: str) -> str:
    """A user's text inside a sentence: in quotes, without what a terminal would obey, not too long."""
    line = legible(text)
    return f'"{line[:80]}…"' if len(line) > 80 else f'"{line}"'


def _remedy(text: str, name: str) -> str:
    if is_subdomain(name.lower()):
        return f"write it in lower case, {shown(text.lower())}"
    if not name.isascii():
        try:
            ascii_name = name.encode("idna").decode()
        except UnicodeError:
            return "write the ASCII form of the name (xn--…)"
        return f"write its ASCII form, {shown(text.replace(name, ascii_name))}"
    if len(name) > 253 or any(len(label) > 63 for label in name.split(".")):
        return "write at most 253 characters, and at most 63 between two dots"
    return "write letters, digits and dashes with dots between, such as shop.example.com or *.example.com"
