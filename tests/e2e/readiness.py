"""Everything that needs the network, done before we cut ourselves off from it: Debian's packages, Kubernetes' programs, our image.

What was made is kept, and made again only when its sources changed. Progress goes to stderr.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster.binaries import NODE, SERVERS, binary, cache

REPOSITORY = Path(__file__).parents[2]
IMAGE = "docker.io/library/headgate:0.1.0"  # what `headgate:0.1.0` of the manifests means to a kubelet
NEXT = "docker.io/library/headgate:next"  # the same image by another name: something to update to
PAUSE = "localhost/headgate-pause:1"
BASE = "localhost/headgate-base:bookworm"
PLUGINS = Path("/usr/lib/cni")  # where Debian has them
# A program that tells whether the package is there, and the package.
PACKAGES = {
    "containerd": "containerd",
    "runc": "runc",
    str(PLUGINS / "ptp"): "containernetworking-plugins",
    "conntrack": "conntrack",
    "nft": "nftables",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "ip": "iproute2",
    "unshare": "util-linux",
}


def demand_root() -> None:
    if os.geteuid() != 0:
        raise SystemExit("e2e: a real node runs containers, so the end-to-end tests need root: sudo make e2e")


def made_ready() -> dict[str, str]:
    """Where the images are, as environment variables for the tests."""
    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    _packages()
    for name in (*SERVERS, *NODE):
        binary(name)
    return {"HEADGATE_E2E_IMAGE": str(_image()), "HEADGATE_E2E_PAUSE": str(_pause())}


def _packages() -> None:
    missing = sorted({package for program, package in PACKAGES.items() if shutil.which(program) is None})
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise SystemExit(f"e2e: these are missing, as Debian calls them: {' '.join(missing)}")
    _say(f"installing with apt-get: {' '.join(missing)}")
    # RUNLEVEL=1 keeps invoke-rc.d from starting Debian's own containerd.
    quiet = {**os.environ, "RUNLEVEL": "1", "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", "update"], env=quiet, check=True)
    install = ["apt-get", "-qq", "install", "--yes", "--no-install-recommends", *missing]
    subprocess.run(install, env=quiet, check=True, stdout=subprocess.DEVNULL)


def _image() -> Path:
    """Built each time: when nothing changed, that is seconds."""
    archive = _store() / "headgate.tar"
    wanted = {"BUILDER": "buildah", "BASE": "debootstrap", "STORE": str(_store()), "IMAGE": IMAGE}
    with tempfile.TemporaryFile() as log:
        command = [str(REPOSITORY / "scripts" / "image")]
        _say("building the image")
        built = subprocess.run(
            command, env={**os.environ, **wanted, "ARCHIVE": str(archive)}, stdout=log, stderr=subprocess.STDOUT
        )
        if built.returncode:
            log.seek(0)
            raise SystemExit(f"e2e: the image cannot be built:\n{log.read().decode(errors='replace')[-5000:]}")
    return archive


def _pause() -> Path:
    """The image that holds a pod's namespaces: the base image, asleep."""
    archive = _store() / "pause.tar"
    if archive.exists():
        return archive
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text(f'FROM {BASE}\nENTRYPOINT ["/usr/bin/sleep", "infinity"]\n')
        _buildah("build", "--quiet", "--tag", PAUSE, folder)
    fresh = archive.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    _buildah("push", "--quiet", PAUSE, f"oci-archive:{fresh}:{PAUSE}")
    fresh.replace(archive)
    return archive


def _buildah(*arguments: str) -> None:
    place = ["--root", str(_store() / "images"), "--runroot", str(_store() / "running")]
    driver = "overlay" if (_store() / "images" / "overlay").exists() else "vfs"
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": driver}
    # In a mount namespace of its own, as scripts/image does it: nothing stays mounted.
    command = ["unshare", "--mount", "buildah", *place, *arguments]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def _store() -> Path:
    return cache() / "image"


def _say(sentence: str) -> None:
    print(f"e2e: {sentence}", file=sys.stderr, flush=True)
