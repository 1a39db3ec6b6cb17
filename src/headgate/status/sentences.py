"""Findings as the message of one event: sentences in, one text out that the API takes."""

from collections.abc import Sequence

from headgate.model.finding import Finding
from headgate.model.server import HostKind, Site

LONGEST = 1000  # the API takes 1024 bytes
_MOST_HOSTS = 3


def joined(findings: Sequence[Finding]) -> str:
    """What all of them end with, such as what serves instead, is said once."""
    texts = [f"{each.field}: {each.message}" if each.field else each.message for each in findings]
    ends = {text.rpartition(". ")[2] for text in texts}
    if len(texts) > 1 and len(ends) == 1 and (end := ends.pop()):
        texts = [text.removesuffix(f". {end}") for text in texts]
        return f"{'; '.join(texts)}. {end}"
    return "; ".join(texts)


def cut(text: str) -> str:
    """Characters may be several bytes, and what is cut off must not be half of one."""
    raw = text.encode()
    return text if len(raw) <= LONGEST else raw[: LONGEST - 3].decode(errors="ignore") + "…"


def hosts(site: Site) -> str:
    names = [_host(server.host.text, server.host.kind) for server in site.servers]
    more = f" and {len(names) - _MOST_HOSTS} more" if len(names) > _MOST_HOSTS else ""
    return ", ".join(names[:_MOST_HOSTS]) + more


def _host(text: str, kind: HostKind) -> str:
    if not text:
        return "every other name"
    return text if kind is HostKind.EXACT else f"*.{text}"
