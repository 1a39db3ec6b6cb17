"""`headgate lint`: what is wrong with manifests, for people, for machines, and for the review of a pull request."""

import argparse
import json
import sys

from headgate.cli.reading import Read, read_once
from headgate.model.finding import Finding, Severity

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def lint(arguments: argparse.Namespace) -> int:
    read = read_once(arguments)
    match arguments.format:
        case "json":
            print(json.dumps([_fields(finding, read) for finding in read.findings], indent=2, ensure_ascii=False))
        case "github":
            for finding in read.findings:
                print(_annotation(finding, read))
        case _:
            _text(read)
    return 1 if any(finding.severity is Severity.ERROR for finding in read.findings) else 0


def _text(read: Read) -> None:
    for finding in read.findings:
        path, line = _place(finding, read)
        where = f"{path}:{line}: " if path else ""
        print(f"{where}{finding.severity.value}: {finding.sentence()}")
    counts = {each: sum(finding.severity is each for finding in read.findings) for each in Severity}
    served = len(read.translation.model.shape.sites)
    told = ", ".join(
        f"{count} {severity.value}{'s' if count != 1 else ''}" for severity, count in counts.items() if count
    )
    others = f", {read.translation.not_ours} of other classes left alone" if read.translation.not_ours else ""
    print(f"{served} served{others}; {told or 'nothing to say'}", file=sys.stderr)


def _place(finding: Finding, read: Read) -> tuple[str, int]:
    found = read.source.origin(finding.ref)
    return (str(found[0]), found[1]) if found is not None else ("", 0)


def _fields(finding: Finding, read: Read) -> dict[str, object]:
    path, line = _place(finding, read)
    return {
        "severity": finding.severity.value,
        "reason": finding.reason,
        "kind": finding.ref.kind,
        "namespace": finding.ref.namespace,
        "name": finding.ref.name,
        "field": finding.field,
        "message": finding.message,
        "file": path or None,
        "line": line or None,
    }


def _annotation(finding: Finding, read: Read) -> str:
    path, line = _place(finding, read)
    place = (
        f" file={_property(path)},line={line or 1},title={_property(finding.reason)}"
        if path
        else f" title={_property(finding.reason)}"
    )
    return f"::{_GITHUB[finding.severity]}{place}::{_data(finding.sentence())}"


def _data(text: str) -> str:
    """A workflow command ends at a line end, and reads % as an escape."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
