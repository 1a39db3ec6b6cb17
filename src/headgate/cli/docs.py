"""`headgate docs`: reference pages, printed from the rows of the dialects."""

import argparse
import sys

from headgate.cli.run_pages import flags_page
from headgate.dialects import ANNOTATIONS, CONFIGMAP, Dialect
from headgate.dialects.table import Row

_ANNOTATIONS = """\
# Annotations

<!-- Printed by `headgate docs annotations`. Edit the rows in src/headgate/dialects, then run `make docs`. -->

What an Ingress of a class with the controller `nginx.org/ingress-controller` can say. A value that cannot be read rejects this version of
the Ingress, and the version accepted before keeps serving. Where a ConfigMap key has the same name, the annotation wins.
"""
_CONFIGMAP = """\
# ConfigMap keys

<!-- Printed by `headgate docs configmap`. Edit the rows in src/headgate/dialects, then run `make docs`. -->

What the ConfigMap given with `--configmap NAMESPACE/NAME` can say, for everybody. A value that cannot be read is left out with a
finding, and the other keys stand. A ConfigMap that nginx refuses keeps its last accepted version as a whole.
"""


def docs(arguments: argparse.Namespace) -> int:
    sys.stdout.write(page(arguments.page))
    return 0


def page(name: str) -> str:
    if name == "annotations":
        return _ANNOTATIONS + _table(ANNOTATIONS, "annotation", beside=CONFIGMAP) + _later(ANNOTATIONS)
    if name == "flags":
        return flags_page()
    return _CONFIGMAP + _table(CONFIGMAP, "key", beside=None) + _later(CONFIGMAP)


def _table(dialect: Dialect, what: str, *, beside: Dialect | None) -> str:
    head = f"\n| {what} | value | default | {'ConfigMap key | ' if beside else ''}what it does |\n"
    rule = "| --- " * (5 if beside else 4) + "|\n"
    return head + rule + "".join(_line(row, dialect.prefix, beside) for row in dialect.rows.values())


def _line(row: Row, prefix: str, beside: Dialect | None) -> str:
    key = row.name.removeprefix(prefix)
    shared = f" {f'`{key}`' if key in beside.rows else '–'} |" if beside is not None else ""
    doc = (
        row.doc
        + (f" Needs `{row.needs}`." if row.needs else "")
        + (" Needs `--enable-snippets`." if row.snippet else "")
    )
    default = f"`{row.default}`" if row.default else "–"
    return f"| `{row.name}` | {row.value} | {default} |{shared} {doc} |\n"


def _later(dialect: Dialect) -> str:
    if not dialect.later:
        return ""
    refused = ", ".join(f"`{each.name}`" for each in dialect.later.values() if each.guards)
    ignored = ", ".join(f"`{each.name}`" for each in dialect.later.values() if not each.guards)
    text = "\n## Not spoken yet\n\nIgnored, with a warning: " + ignored + ".\n"
    if refused:
        text += "\nRefused, since serving without them would open what they guard: " + refused + ".\n"
    return text
