"""`headgate render`: the whole configuration on standard output, findings beside it, keys never shown."""

import io
import sys
from pathlib import Path

import pytest

from headgate.cli import main
from tests.support.certificates import pair
from tests.support.manifests import as_json, as_yaml, behind, route, tls_for, tls_secret, write

FIXED = ["render", "--nginx", "1.22.1", "--resolver", "192.0.2.53"]
WEB = behind("web", 8080, "10.0.0.1")
SHOP = route("shop", "shop.test", "web", tls=[tls_for("pair", "shop.test")])


def test_every_file_has_a_heading_and_nginx_conf_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "shop.yaml", SHOP, tls_secret("pair", pair("shop.test")), *WEB)
    assert main([*FIXED, str(tmp_path)]) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("#### ")]
    assert headings == [
        "#### nginx.conf",
        "#### conf.d/_default-server.conf",
        "#### conf.d/default-shop.conf",
        "#### secrets/default-pair",
    ]


def test_keys_are_never_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "shop.yaml", SHOP, tls_secret("pair", pair("shop.test")), *WEB)
    main([*FIXED, str(tmp_path)])
    told = capsys.readouterr()
    assert "PRIVATE KEY" not in told.out + told.err
    assert "# the certificate and the key of Secret default/pair; not shown" in told.out


def test_findings_go_beside_the_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "shop.yaml", route("shop", "shop.test", "gone"))
    assert main([*FIXED, str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("warning: Ingress default/shop: ")
    assert "does not exist" not in told.out


def test_an_error_is_a_failure_and_the_rest_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "shop.yaml", route("shop", "Shop.test", "web"), route("tea", "tea.test", "web"), *WEB)
    assert main([*FIXED, str(tmp_path)]) == 1
    assert "server_name tea.test;" in capsys.readouterr().out


def test_the_state_folder_is_where_it_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "shop.yaml", SHOP, *WEB)
    main([*FIXED, "--state-dir", "/elsewhere", str(tmp_path)])
    out = capsys.readouterr().out
    assert "pid /elsewhere/run/nginx.pid;" in out
    assert "/var/lib/headgate" not in out


@pytest.mark.parametrize("text", [as_yaml([SHOP, *WEB]), as_json([SHOP, *WEB])], ids=["yaml", "json"])
def test_standard_input(text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main([*FIXED, "-"]) == 0
    assert "server_name shop.test;" in capsys.readouterr().out


def test_files_folders_and_standard_input_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_yaml([route("tea", "tea.test", "web")]).encode())))
    write(tmp_path / "deep" / "er", "services.json", *WEB)
    file = write(tmp_path / "other", "shop.yml", route("shop", "shop.test", "web"))
    assert main([*FIXED, str(file), "-", str(tmp_path / "deep")]) == 0
    out = capsys.readouterr().out
    assert "server_name tea.test;" in out
    assert "server_name shop.test;" in out
    assert out.count("server 10.0.0.1:8080;") == 2
