"""Reading with several processes gives what reading here gives, whatever the files hold and whatever happens to a worker."""

import os
import sys
from pathlib import Path

import pytest

from headgate.cluster.manifests import Manifest, read_file
from headgate.cluster.workers import WORTH_WORKERS, answer, read_files, read_in_workers

TEXTS = {
    "ingress.yaml": """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: cafe
  annotations: {nginx.org/hsts: "true"}
spec:
  ingressClassName: nginx
  tls: [{hosts: [cafe.example.com], secretName: cafe}]
  rules:
  - host: cafe.example.com
    http: {paths: [{path: /tea, pathType: Prefix, backend: {service: {name: tea, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: nginx.org/ingress-controller}
""",
    "service.yaml": """
apiVersion: v1
kind: Service
metadata: {name: tea}
spec: {ports: [{port: 80, targetPort: http}, {port: 81, targetPort: 8081}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: tea-1, labels: {kubernetes.io/service-name: tea}}
endpoints: [{addresses: [10.0.0.1], conditions: {ready: true, serving: null}}]
ports: [{port: 8080}]
""",
    "secret.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: cafe}, data: {tls.key: a2V5}, stringData: {a: b}}",
    "configmap.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: nginx}, data: {http2: 'true'}}",
    "malformed.yaml": "{apiVersion: v1, kind: Service, metadata: {name: m}, spec: [1, 2.5, null, {a: .inf}]}",
    "broken.yaml": "a: 1\nb: c: d\n",
    "mixed.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n---\njust text\n",
    "too-big.yaml": "{apiVersion: v1, kind: Service, metadata: {name: big}, spec: {ports: [{port: 1000000000000000000000}]}}",
    "empty.yaml": "",
    "others.json": '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "from-json"}}',
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, int]:
    """Files that claim to be long, so that workers are asked to read them."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    odd = tmp_path / os.fsdecode(b"caf\xe9.yaml")
    odd.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: odd}}")
    paths = [*(tmp_path / name for name in TEXTS), odd, tmp_path / "missing.yaml"]
    return dict.fromkeys(map(str, paths), WORTH_WORKERS)


def read_here(files: dict[str, int]) -> dict[str, Manifest]:
    return {path: read_file(Path(path)) for path in files}


def test_workers_read_what_we_would_read(files: dict[str, int]) -> None:
    assert read_files(files) == read_here(files)


def test_it_is_really_the_workers_that_read(files: dict[str, int]) -> None:
    found = read_in_workers(list(files), 2)
    here = read_here(files)
    (unpacked,) = here.keys() - found.keys()
    assert unpacked.endswith("too-big.yaml")
    assert all(found[path] == here[path] for path in found)


def test_little_is_read_without_them(files: dict[str, int]) -> None:
    assert read_files(dict.fromkeys(files, 100)) == read_here(files)


def test_a_worker_that_cannot_start_costs_nothing_but_time(
    files: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert read_files(files) == read_here(files)


@pytest.mark.parametrize("program", ["/bin/false", "/bin/true"])
def test_a_worker_that_dies_or_talks_nonsense_costs_nothing_but_time(
    program: str, files: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    assert read_files(files) == read_here(files)


def test_a_worker_shows_no_module_of_the_working_folder_to_python(
    files: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "yaml.py").write_text(f"open({str(tmp_path / 'proof')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    read_files(files)
    assert not (tmp_path / "proof").exists()


def test_a_worker_answers_a_question_about_nothing() -> None:
    assert answer(b"\x90") == b"\x90"
