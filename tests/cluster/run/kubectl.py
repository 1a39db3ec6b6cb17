"""The real kubectl, as an administrator: arguments in, what it said out."""

import json
import subprocess

from tests.cluster.binaries import binary
from tests.cluster.environment import ControlPlane


def kubectl(plane: ControlPlane, *arguments: str) -> str:
    config = plane.folder / "admin.kubeconfig"
    config.write_text(json.dumps(plane.kubeconfig(*plane.authority.client("kubectl", "system:masters"))))
    own = (f"--kubeconfig={config}", f"--cache-dir={plane.folder / 'kubectl-cache'}")
    ran = subprocess.run(
        [str(binary("kubectl")), *own, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 0, f"kubectl {' '.join(arguments)}: {ran.stderr}"
    return ran.stdout + ran.stderr
