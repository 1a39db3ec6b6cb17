"""`headgate render`: the whole configuration that nginx would get, file by file, on standard output.

Keys are never shown. Findings go to standard error, so that the output stays a configuration.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from headgate.cli.flags import layout_of
from headgate.cli.reading import read_once
from headgate.model.fileset import File, FileSet
from headgate.model.finding import Severity
from headgate.render import render

DEFAULT_STATE = Path("/var/lib/headgate/state")


def render_command(arguments: argparse.Namespace) -> int:
    read = read_once(arguments)
    layout = layout_of(arguments.state_dir or DEFAULT_STATE)
    rendering = render(read.translation.model, read.settings.capabilities, layout)
    sys.stdout.write("".join(pages(rendering.files)))
    for finding in read.findings:
        print(f"{finding.severity.value}: {finding.sentence()}", file=sys.stderr)
    for blame in rendering.unprintable:
        print(f"error: {blame.ref}: {blame.message}", file=sys.stderr)
    return 1 if rendering.unprintable or any(each.severity is Severity.ERROR for each in read.findings) else 0


def pages(files: FileSet) -> Iterator[str]:
    for path in sorted(files.files, key=lambda path: (path != "nginx.conf", path)):
        yield f"#### {path}\n{shown(files.files[path])}\n"


def shown(file: File) -> str:
    return f"# the certificate and the key of {file.source}; not shown\n" if file.secret else file.text
