"""What a value of a flag must be beyond its syntax: text in, the typed value out, or a `ValueError` that says what would be right.

A value that fails here is fatal, as in F5's controller: one sentence and exit code 1. Its odd limits are kept where they harm
nobody (ports from 1023 on), so that every command line that works there works here.
"""

import ipaddress
import re
from collections.abc import Callable

from headgate.api import Ref
from headgate.model.settings import Semantics
from headgate.model.values import Duration

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_HEALTH = re.compile(r"/[^\s{};$]+")
_KEY = r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(
    rf"\s*(?:!\s*{_KEY}|{_KEY}(?:\s*(?:==|=|!=)\s*{_VALUE}|\s+(?:in|notin)\s*\(\s*{_VALUE}(?:\s*,\s*{_VALUE})*\s*\))?)\s*",
    re.ASCII,
)


def is_subdomain(text: str) -> bool:
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def as_it_is(text: str) -> str:
    return text


def health_uri(text: str) -> str:
    if not _HEALTH.fullmatch(text):
        raise ValueError(
            "write a path such as /nginx-health, without blanks, braces, semicolons and $, and not / itself"
        )
    return text


def namespaces(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    names = tuple(each.strip() for each in text.split(","))
    if wrong := [name for name in names if not is_subdomain(name)]:
        raise ValueError(f"{wrong[0]!r} is no namespace: write names of namespaces with commas between")
    return names


def selector(text: str) -> str:
    """A label selector of Kubernetes, such as `team=web,stage in (test, live)`."""
    if not text.strip():
        return ""
    at = 0
    while found := _REQUIREMENT.match(text, at):
        at = found.end()
        if at == len(text):
            return text.strip()
        if text[at] != ",":
            break
        at += 1
    raise ValueError("write a label selector, such as team=web or stage in (test, live)")


def object_of(kind: str) -> Callable[[str], Ref | None]:
    def check(text: str) -> Ref | None:
        if not text:
            return None
        namespace, _, name = text.partition("/")
        if not is_subdomain(namespace) or not is_subdomain(name):
            raise ValueError("write NAMESPACE/NAME")
        return Ref(kind, namespace, name)

    return check


def name_of(text: str) -> str:
    if text and not is_subdomain(text):
        raise ValueError("write the name of an object: lower-case letters, digits, dashes and dots")
    return text


def lock_name(text: str) -> str:
    if not text:
        raise ValueError("write the name of a Lease")
    return name_of(text)


def cidrs(text: str) -> tuple[str, ...]:
    networks = tuple(each.strip() for each in text.split(","))
    for network in networks:
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError:
            raise ValueError(
                f"{network!r} is neither an address nor a network: write them with commas between, such as 127.0.0.1,10.0.0.0/8"
            ) from None
    return networks


def unprivileged_port(number: int) -> int:
    if not 1023 <= number <= 65535:
        raise ValueError("write a port from 1024 to 65535")
    return number


def port(number: int) -> int:
    if not 0 < number <= 65535:
        raise ValueError("write a port from 1 to 65535")
    return number


def milliseconds(number: int) -> Duration:
    """Zero would make every wait fail at once, which nobody can mean: it stands for the default."""
    return Duration(number if number > 0 else 60_000)


def span(seconds: float) -> Duration:
    return Duration(round(seconds * 1000))


def semantics(text: str) -> Semantics:
    try:
        return Semantics(text)
    except ValueError:
        raise ValueError(f"write {' or '.join(each.value for each in Semantics)}") from None


def folder(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError("write the absolute path of a folder")
    return text.rstrip("/") or "/"


def whether(said: bool) -> bool:  # noqa: FBT001 - the value of a flag, not a switch of ours
    return said


def count(number: int) -> int:
    return number
