"""The flags of `headgate run` for people: `--help` for a terminal, the usage line for a mistake, and the reference page, all from the one table."""

import textwrap
from collections.abc import Iterable

from headgate.cli.run_flags import GROUPS, Flag, Later, Moot, Refused, Works, flags

USAGE = "usage: headgate run [-flag=value …]\nheadgate run -help lists the flags.\n"
_WIDTH = 100
_HEAD = """\
usage: headgate run [-flag=value …]

Runs nginx as the ingress controller of a Kubernetes cluster. One dash or two, -flag=value or -flag value; a bool is
turned off with -flag=false. The flags of F5's NGINX Ingress Controller are taken as they are.
"""
_LATER = "Accepted, without effect today"
_REFUSED = "Refused"
_PAGE = """\
# Flags of `headgate run`

<!-- Printed by `headgate docs flags`. Edit the rows in src/headgate/cli/run_flags.py, then run `make docs`. -->

One dash or two, `-flag=value` or `-flag value`; a bool is turned off with `-flag=false`. An unknown flag, or a value that is no number or
bool where one is wanted, prints the usage and exits with code 2. A value that makes no sense, or contradicts another, is told in one
sentence, and Headgate exits with code 1. Words behind the flags are ignored with a warning.

The flags of F5's NGINX Ingress Controller have its names, types and defaults. What Headgate makes of each:

- **works**: as described.
- **later**: accepted with one warning, and without effect until the capability named is there.
- **no effect**: accepted with one warning, since it is about something that Headgate does not have.
- **refused**: Headgate does not start with it, and says why. Saying the default is always allowed.
- **Headgate's own**: F5's controller does not know it.
"""
_ENVIRONMENT = """
## Environment

| variable | what for |
| --- | --- |
| `POD_NAMESPACE` | Our namespace: the Lease, `-external-service`, `-ingresslink`. Wanted in a cluster; outside one it is `default`. |
| `POD_NAME` | Our Pod: who we are in the election, and whom events about Headgate itself are about. Wanted in a cluster; outside one it is the name of the machine. |
| `KUBERNETES_SERVICE_HOST`, `KUBERNETES_SERVICE_PORT` | Where the API server is, unless `-proxy` or `-kubeconfig` says it. |
| `KUBECONFIG` | The kubeconfig when we are outside a cluster and `-kubeconfig` says nothing. |
| `BUILD_OS`, `PROXY_USER`, `PROXY_PASS` | Accepted: F5's controller uses them for telemetry and for NGINX Plus. |
"""


def run_help() -> str:
    """Grouped and wrapped; what does not work stands at the end."""
    rows = list(flags().values())
    sections = {
        group: [row for row in rows if row.group == group and isinstance(row.verdict, Works)] for group in GROUPS
    }
    sections[_LATER] = [row for row in rows if isinstance(row.verdict, Later | Moot)]
    sections[_REFUSED] = [row for row in rows if isinstance(row.verdict, Refused)]
    told = (f"{title}:\n{''.join(map(_entry, entries))}" for title, entries in sections.items() if entries)
    return "\n".join((_HEAD, *told))


def _entry(row: Flag) -> str:
    """The flag on a line of its own, what it does below."""
    value = f"={row.value}" if row.value else ""
    notes = {"": "", "false": "", "true": " On by default."}
    default = notes.get(row.default, f" Default: {row.default}.")
    text = f"{row.doc}{default}{_remark(row)}"
    return f"  -{row.name}{value}\n{textwrap.fill(text, _WIDTH, break_on_hyphens=False, initial_indent=' ' * 6, subsequent_indent=' ' * 6)}\n"


def _remark(row: Flag) -> str:
    match row.verdict:
        case Later(capability):
            return f" Comes with {capability}."
        case Moot(beside):
            return f" It is about -{beside}, which Headgate does not have."
        case Refused(reason):
            return f" {reason[0].upper()}{reason[1:]}."
    return ""


def flags_page() -> str:
    """docs/reference/flags.md"""
    rows = flags().values()
    tables = (_table(group, [row for row in rows if row.group == group]) for group in GROUPS)
    return _PAGE + "".join(tables) + _ENVIRONMENT


def _table(group: str, rows: Iterable[Flag]) -> str:
    head = f"\n## {group}\n\n| flag | type | default | verdict | what it does |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(_line(row) for row in rows)


def _line(row: Flag) -> str:
    default = f"`{row.default}`" if row.default else "–"
    doc = row.doc.replace("|", "\\|")
    return f"| `-{row.name}` | {row.kind.name} | {default} | {_spoken(row)} | {doc} |\n"


def _spoken(row: Flag) -> str:
    match row.verdict:
        case Later(capability):
            return f"later: {capability}"
        case Moot(beside):
            return f"no effect: about `-{beside}`"
        case Refused(reason):
            return f"refused: {reason}"
    return "Headgate's own" if row.edition == "headgate" else "works"
