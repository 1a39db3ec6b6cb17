"""`headgate` as a command that ends: arguments and standard input in, exit code and output out."""

import subprocess
import sys

from tests.support.gate import environment


def headgate(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "headgate", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment(),
    )
