"""Pods of ours end and begin, and nobody who asks for something notices."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.asking import Load, until_served
from tests.e2e.conftest import rolled_out
from tests.e2e.kubectl import OURS, Kubectl
from tests.support.waiting import until


def test_a_rolling_update_under_load_fails_no_request(kubectl: Kubectl, door: str) -> None:
    until_served(door)
    before = _names(kubectl)
    with Load().on(door) as load:
        kubectl("set", "image", "deployment/nginx-ingress", "nginx-ingress=headgate:next", OURS)
        rolled_out(kubectl, "deployment/nginx-ingress", OURS)
        until(lambda: len(_names(kubectl)) == 2, what="the end of the old pods", deadline=60, pause=0.2)
    assert not _names(kubectl) & before
    assert load.failures == []
    assert load.answered > 100


def test_a_pod_ends_cleanly_within_its_grace_period(kubectl: Kubectl, door: str, tmp_path: Path) -> None:
    name = sorted(_names(kubectl))[0]
    grace = kubectl.get("pod", name, OURS)["spec"]["terminationGracePeriodSeconds"]
    log, states = tmp_path / "log", tmp_path / "states"
    with (
        _followed(kubectl, "logs", "--follow", name, file=log),
        _followed(kubectl, "get", "pod", name, "--watch", "--output=json", file=states),
    ):
        began = time.monotonic()
        kubectl("delete", "pod", name, OURS, f"--timeout={grace}s")
        took = time.monotonic() - began
        until(lambda: _ends(states), what="the container's end", deadline=20, pause=0.1)
    (*_, end) = _ends(states)
    assert (end["exitCode"], end["reason"]) == (0, "Completed")
    assert 5 <= took < grace  # it goes on accepting for five seconds
    assert "stopped" in log.read_text()
    rolled_out(kubectl, "deployment/nginx-ingress", OURS)


def test_when_the_leader_goes_another_leads(kubectl: Kubectl, door: str) -> None:
    leader = until(lambda: _leader(kubectl), what="a leader", deadline=60, pause=0.2)
    kubectl("delete", "pod", leader, OURS, "--wait=false")
    until(lambda: _leader(kubectl) not in ("", leader), what="another leader", deadline=60, pause=0.2)
    rolled_out(kubectl, "deployment/nginx-ingress", OURS)


def _leader(kubectl: Kubectl) -> str:
    return str(kubectl.get("lease", "nginx-ingress-leader-election", OURS)["spec"].get("holderIdentity") or "")


def _names(kubectl: Kubectl) -> set[str]:
    found = kubectl.get("pods", OURS, "--selector=app.kubernetes.io/name=headgate")["items"]
    return {pod["metadata"]["name"] for pod in found}


@contextmanager
def _followed(kubectl: Kubectl, *words: str, file: Path) -> Iterator[None]:
    """Whatever kubectl goes on printing, in a file."""
    with file.open("wb") as out, subprocess.Popen(kubectl.command(*words, OURS), stdout=out) as program:
        until(lambda: file.stat().st_size, what=f"kubectl {words[0]}", deadline=20, pause=0.05)
        try:
            yield
        finally:
            program.terminate()


def _ends(file: Path) -> list[dict[str, Any]]:
    """The ends of containers among the states of a pod that were seen so far."""
    text, decoder, ends = file.read_text(), json.JSONDecoder(), []
    while text := text.strip():
        try:
            pod, end = decoder.raw_decode(text)
        except ValueError:  # the last one is still being written
            break
        text = text[end:]
        ends += [
            each["state"]["terminated"] for each in pod["status"]["containerStatuses"] if "terminated" in each["state"]
        ]
    return ends
