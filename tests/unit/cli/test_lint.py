"""`headgate lint`: for people, for machines, and for the review of a pull request."""

import json
from pathlib import Path
from typing import Any

import pytest

from headgate.cli import main
from tests.support.manifests import behind, ingress_class, route, write, write_text

WEB = behind("web", 8080, "10.0.0.1")


class Linted:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def says(self, *flags: str) -> tuple[int, str, str]:
        code = main(["lint", "--nginx", "1.22.1", "--resolver", "192.0.2.53", *flags, str(self.folder)])
        told = self._capsys.readouterr()
        return code, told.out, told.err


@pytest.fixture
def linted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Linted:
    return Linted(tmp_path, capsys)


def test_nothing_to_say(linted: Linted) -> None:
    write(linted.folder, "shop.yaml", route("shop", "shop.test", "web"), *WEB)
    assert linted.says() == (0, "", "1 served; nothing to say\n")


def test_a_warning_is_no_failure(linted: Linted) -> None:
    file = write(linted.folder, "shop.yaml", *WEB, route("shop", "shop.test", "gone"))
    code, out, err = linted.says()
    assert code == 0
    assert out == (
        f"{file}:{_line_of(file, 'kind: Ingress')}: warning: Ingress default/shop: spec.rules[0].http.paths[0].backend.service.name: "
        "Service default/gone does not exist; requests get 502 meanwhile\n"
    )
    assert err == "1 served; 1 warning\n"


def _line_of(file: Path, text: str) -> int:
    """Where the object begins that holds this text: its apiVersion stands before its kind."""
    return file.read_text().splitlines().index(text)


def test_an_error_is_a_failure(linted: Linted) -> None:
    write(linted.folder, "shop.yaml", route("shop", "Shop.test", "web"), route("tea", "Tea.test", "web"), *WEB)
    code, out, err = linted.says()
    assert code == 1
    assert out.count(": error: ") == 2
    assert err == "0 served; 2 errors\n"


def test_others_are_counted_and_left_alone(linted: Linted) -> None:
    write(linted.folder, "shop.yaml", ingress_class("c", "example.com/other"), route("shop", "Shop.test", "web"), *WEB)
    assert linted.says() == (0, "", "0 served, 1 of other classes left alone; nothing to say\n")


def test_a_file_that_does_not_parse_has_a_line(linted: Linted) -> None:
    file = write_text(linted.folder / "bad.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: [}\n")
    code, out, _ = linted.says()
    assert code == 1
    assert out.startswith(f"{file}:3: error: File {file}: line 3")


def _json(linted: Linted) -> list[dict[str, Any]]:
    _, out, err = linted.says("--format", "json")
    assert err == ""
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_for_machines(linted: Linted) -> None:
    file = write(linted.folder, "shop.yaml", route("shop", "Café.test", "web"), *WEB)
    (only,) = _json(linted)
    assert only == {
        "severity": "error",
        "reason": "Rejected",
        "kind": "Ingress",
        "namespace": "default",
        "name": "shop",
        "field": "spec.rules[0].host",
        "message": '"Café.test" is no host name: write its ASCII form, "xn--caf-dma.test"',
        "file": str(file),
        "line": 1,
    }


def test_for_machines_nothing_is_an_empty_list(linted: Linted) -> None:
    assert _json(linted) == []


def test_for_machines_what_stands_in_no_file_has_none(linted: Linted) -> None:
    _, out, _ = linted.says("--format", "json", "--configmap", "a/b")
    (only,) = json.loads(out)
    assert (only["reason"], only["file"], only["line"]) == ("ConfigMapMissing", None, None)


def test_for_a_review(linted: Linted) -> None:
    file = write(linted.folder, "shop.yaml", route("shop", "Shop.test", "web"), *WEB)
    code, out, err = linted.says("--format", "github")
    assert (code, err) == (1, "")
    assert out == (
        f"::error file={file},line=1,title=Rejected::Ingress default/shop: spec.rules[0].host: "
        '"Shop.test" is no host name: write it in lower case, "shop.test"\n'
    )


def test_for_a_review_severities_have_other_names(linted: Linted) -> None:
    write(linted.folder, "shop.yaml", route("shop", "shop.test", "gone"), route("tea", "tea.test", "web"), WEB[0])
    _, out, _ = linted.says("--format", "github")
    assert sorted(line.split(" ")[0] for line in out.splitlines()) == ["::notice", "::warning"]


def test_for_a_review_what_stands_in_no_file_has_a_title(linted: Linted) -> None:
    _, out, _ = linted.says("--format", "github", "--configmap", "a/b")
    assert out.startswith("::warning title=ConfigMapMissing::ConfigMap a/b: ")


def test_for_a_review_the_commands_own_signs_are_escaped(linted: Linted) -> None:
    """% begins an escape everywhere; in a property a comma and a colon end it too."""
    bad = route("shop", "shop.test", "web", text="/100%\n::error::forged")
    folder = linted.folder / "a,b:c%d"
    write(folder, "shop.yaml", bad, *WEB)
    _, out, _ = linted.says("--format", "github")
    (line,) = out.splitlines()  # a forged command would need a line of its own
    assert f"file={linted.folder}/a%2Cb%3Ac%25d/shop.yaml,line=1" in line
    assert "/100%25" in line


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_every_form_fails_alike(linted: Linted, form: str) -> None:
    write(linted.folder, "shop.yaml", route("shop", "Shop.test", "web"), *WEB)
    assert linted.says("--format", form)[0] == 1
