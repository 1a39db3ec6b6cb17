"""kubectl as a person types it: words in, what it prints out."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cluster.binaries import binary

OURS = "--namespace=nginx-ingress"


class Kubectl:
    def __init__(self, config: Path) -> None:
        self._config = config

    def __call__(self, *words: str, text: str | None = None) -> str:
        """What it printed. That it failed is the failure of the test."""
        done = self.attempt(*words, text=text)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.stderr or done.stdout}"
        return done.stdout

    def attempt(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*words), input=text, capture_output=True, text=True, check=False)

    def get(self, *words: str) -> Any:
        return json.loads(self("get", *words, "--output=json"))

    def command(self, *words: str) -> list[str]:
        return [str(binary("kubectl")), f"--kubeconfig={self._config}", *words]
