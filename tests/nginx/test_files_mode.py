"""A folder is the source: what is saved answers, what is deleted is gone, and what does not parse changes nothing."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.nginx.conftest import Serve
from tests.support import certificates
from tests.support.backends import Backends
from tests.support.command import headgate
from tests.support.manifests import Manifest, as_json, as_yaml, route, tls_secret, write, write_text
from tests.support.site import Site

HOST = "web.test"


def _web(site: Site, host: str = HOST, name: str = "web") -> list[Manifest]:
    return site.placed(route(name, host, "web"))


def _answers(site: Site, host: str = HOST) -> None:
    site.gate.until(lambda: site.ask(host=host).backend == "web", what=f"an answer from {host}")


def _is_gone(site: Site, host: str = HOST) -> None:
    site.gate.until(lambda: site.ask(host=host).reason == "no-host", what=f"the end of {host}")


@pytest.fixture
def web(site: Site) -> Site:
    """A backend that is there; the test writes the Ingress."""
    site.apply(site.echoes("web"))
    return site


def test_a_saved_change_answers(web: Site) -> None:
    for number in range(3):
        write(web.folder, "web.yaml", *_web(web, f"{number}.test"))
        _answers(web, f"{number}.test")


def test_a_deleted_file_is_a_deleted_object(web: Site) -> None:
    file = write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    file.unlink()
    _is_gone(web)


def test_a_deleted_folder_is_its_deleted_objects(web: Site) -> None:
    file = write(web.folder / "sub" / "folder", "web.yaml", *_web(web))
    _answers(web)
    file.unlink()
    file.parent.rmdir()
    _is_gone(web)


def test_a_renamed_file_is_the_same_object(web: Site) -> None:
    file = write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    file.rename(web.folder / "renamed.yaml")
    web.gate.apply(web.folder / "marker.yaml", [], namespace="marker")
    assert web.ask(host=HOST).backend == "web"


@pytest.mark.parametrize("name", ["web.yaml", "web.yml", "web.json", "deep/er/web.yaml", "with space.yaml"])
def test_files_of_every_kind_and_depth_are_read(web: Site, name: str) -> None:
    write((web.folder / name).parent, Path(name).name, *_web(web))
    _answers(web)


LISTS = {
    "a List": lambda objects: as_json(objects),
    "a List in YAML": lambda objects: as_yaml([json.loads(as_json(objects))]),
    "an IngressList": lambda objects: as_json(objects).replace(
        '"v1", "kind": "List"', '"networking.k8s.io/v1", "kind": "IngressList"', 1
    ),
    "documents": lambda objects: "---\n---\n# nothing\n---\n" + as_yaml(objects) + "---\n",
    "one object of JSON": lambda objects: json.dumps(objects[0]),
}


@pytest.mark.parametrize("spelled", LISTS)
def test_objects_may_be_bundled_in_every_way(web: Site, spelled: str) -> None:
    text = LISTS[spelled](_web(web))
    write_text(web.folder / "web.yaml", text)
    _answers(web)


@pytest.mark.parametrize(
    "name", [".hidden.yaml", "web.yaml~", "#web.yaml#", "web.yaml.swp", "web.txt", ".git/web.yaml"]
)
def test_other_files_are_not_read(web: Site, name: str) -> None:
    file = web.folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(as_yaml(_web(web)))
    web.gate.apply(web.folder / "marker.yaml", [], namespace="marker")
    assert web.ask(host=HOST).reason == "no-host"


def test_objects_of_other_kinds_are_none_of_our_business(web: Site) -> None:
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "not-ours"}, "spec": {}}
    write(web.folder, "web.yaml", deployment, *_web(web))
    _answers(web)
    assert "not-ours" not in web.gate.said()


def test_a_symlink_is_followed(web: Site, tmp_path: Path) -> None:
    target = write(tmp_path, "elsewhere.yaml", *_web(web))
    (web.folder / "web.yaml").symlink_to(target)
    _answers(web)
    write(tmp_path, "elsewhere.yaml", *_web(web, "moved.test"))
    _answers(web, "moved.test")


def test_a_mounted_configmap_is_swapped_as_the_kubelet_does_it(web: Site) -> None:
    mount = web.folder / "mount"
    for number, host in enumerate(("one.test", "two.test")):
        write(mount / f"..2026_{number}", "web.yaml", *_web(web, host))
        fresh = mount / "..data_tmp"
        fresh.symlink_to(f"..2026_{number}")
        fresh.rename(mount / "..data")
        if not (mount / "web.yaml").is_symlink():
            (mount / "web.yaml").symlink_to("..data/web.yaml")
        _answers(web, host)
    _is_gone(web, "one.test")
    assert not web.gate.lines(f"Ingress {web.namespace}/web", "mount")


def test_a_file_may_be_written_in_place(web: Site) -> None:
    file = write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    file.write_text(as_yaml(_web(web, "edited.test")))
    _answers(web, "edited.test")
    _is_gone(web)


BROKEN = {
    "a mapping where none may be": ("a: b: c\n", 1),
    "a quotation mark without end": ("a: 1\nb: 'never closed\n", 2),
    "a tab": ("a:\n\t- b\n", 2),
    "a bracket without end": ("a: 1\nb: 2\nc: [1, 2\n", 3),
    "a key twice": ("a: 1\nb: 2\na: 3\n", 3),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_does_not_parse_keeps_its_last_good_content(web: Site, what: str) -> None:
    text, line = BROKEN[what]
    file = write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    write_text(file, text)
    sentence = web.gate.says(str(file))
    assert re.search(rf"\b(line {line}|:{line})\b", sentence) or re.search(
        rf"\b(line {line + 1}|:{line + 1})\b", sentence
    )
    assert web.ask(host=HOST).backend == "web"
    write(web.folder, "web.yaml", *_web(web, "mended.test"))
    _answers(web, "mended.test")


def test_a_half_written_file_changes_nothing(web: Site) -> None:
    file = write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    whole = as_yaml(_web(web, "whole.test"))
    with file.open("w") as writing:
        writing.write(whole[: whole.index("paths")] + "paths: [")
        writing.flush()
        web.gate.says(str(file))
        assert web.ask(host=HOST).backend == "web"
        writing.seek(0)
        writing.truncate()
        writing.write(whole)
    _answers(web, "whole.test")


def test_a_broken_file_beside_good_ones_stops_nobody(web: Site) -> None:
    write_text(web.folder / "broken.yaml", "a: b: c\n")
    write(web.folder, "web.yaml", *_web(web))
    _answers(web)
    web.gate.says("broken.yaml", "line 1")


def test_bytes_that_are_no_text_are_a_sentence(web: Site) -> None:
    (web.folder / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    web.gate.says("binary.yaml")


def test_the_same_object_twice_is_a_finding_that_names_both(web: Site) -> None:
    first = write(web.folder, "a.yaml", *_web(web, "first.test"))
    write(web.folder, "b.yaml", *_web(web, "second.test"))
    sentence = web.gate.says("a.yaml", "b.yaml")
    assert f"Ingress {web.namespace}/web" in sentence
    _answers(web, "first.test")
    assert web.ask(host="second.test").reason == "no-host", "the file that sorts first counts"
    first.unlink()
    _answers(web, "second.test")


def test_an_object_without_a_namespace_is_in_the_default_one(serve: Serve, backends: Backends) -> None:
    gate = serve().start()
    site = Site(gate, backends)
    write(gate.folder, "all.yaml", *site.echoes("web"), route("web", HOST, "web"))
    gate.until(lambda: site.ask(host=HOST).backend == "web", what="an answer")
    assert (gate.state / "nginx" / "conf.d" / "default-web.conf").exists()


def test_a_single_file_can_be_served(serve: Serve, backends: Backends) -> None:
    gate = serve()
    site = Site(gate, backends)
    gate.folder = write(gate.folder, "only.yaml", *site.echoes("web"), route("web", HOST, "web"))
    gate.start()
    assert site.ask(host=HOST).backend == "web"


def test_render_and_lint_read_standard_input() -> None:
    objects = as_yaml([route("web", HOST, "web")])
    rendered, linted = (headgate(command, "--nginx", "1.22.1", "-", stdin=objects) for command in ("render", "lint"))
    assert f"server_name {HOST}" in rendered.stdout
    assert rendered.returncode == linted.returncode == 0
    assert "Service default/web does not exist" in linted.stdout


def test_render_and_lint_read_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path / "folder", "one.yaml", route("one", "one.test", "web"))
    file = write(tmp_path, "two.json", route("two", "two.test", "web"))
    rendered = headgate("render", "--nginx", "1.22.1", str(tmp_path / "folder"), str(file)).stdout
    assert "one.test" in rendered
    assert "two.test" in rendered


def test_render_never_shows_a_key() -> None:
    pair = certificates.pair(HOST)
    secured = route("web", HOST, "web", tls=[{"hosts": [HOST], "secretName": "pair"}])
    rendered = headgate("render", "--nginx", "1.22.1", "-", stdin=as_yaml([secured, tls_secret("pair", pair)]))
    assert "PRIVATE KEY" not in rendered.stdout + rendered.stderr
    assert "ssl_certificate" in rendered.stdout


def test_lint_fails_on_errors_and_says_where(tmp_path: Path) -> None:
    file = write_text(tmp_path / "web.yaml", "# a comment\n" + as_yaml([route("web", "UPPER.test", "web")]))
    linted = headgate("lint", "--nginx", "1.22.1", str(file))
    assert linted.returncode == 1
    assert "web.yaml" in linted.stdout
    assert "spec.rules[0].host" in linted.stdout


def test_lint_for_machines(tmp_path: Path) -> None:
    file = write(tmp_path, "web.yaml", route("web", "UPPER.test", "web"))
    found = json.loads(headgate("lint", "--format", "json", "--nginx", "1.22.1", str(file)).stdout)
    error = next(each for each in found if each["severity"] == "error")
    assert (error["kind"], error["name"], error["field"]) == ("Ingress", "web", "spec.rules[0].host")
    assert (error["file"], error["line"]) == (str(file), 1)


def test_lint_for_a_review(tmp_path: Path) -> None:
    file = write(tmp_path, "web.yaml", route("web", "UPPER.test", "web"))
    linted = headgate("lint", "--format", "github", "--nginx", "1.22.1", str(file)).stdout
    assert linted.startswith(f"::error file={file},line=1")


def test_lint_of_broken_yaml_names_the_line(tmp_path: Path) -> None:
    file = write_text(tmp_path / "web.yaml", "a: 1\nb: c: d\n")
    linted = headgate("lint", "--nginx", "1.22.1", str(file))
    assert linted.returncode == 1
    assert re.search(r"line 2|:2\b", linted.stdout)


def test_render_and_lint_need_no_nginx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = write(tmp_path, "web.yaml", route("web", HOST, "web"))
    assert headgate("lint", "--nginx", "1.22.1", str(file)).returncode == 0
    assert "server_name" in headgate("render", "--nginx", "1.22.1", str(file)).stdout


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    missing = headgate("lint", os.fspath(tmp_path / "missing.yaml"))
    assert missing.returncode == 1
    assert "Traceback" not in missing.stderr
    assert "missing.yaml" in missing.stderr
