"""What the nginx at hand can do."""

import os
from pathlib import Path

import pytest

from headgate.errors import Unusable
from headgate.nginx.capabilities import examine, find, read


async def test_the_installed_nginx_can_be_used() -> None:
    nginx = await examine()
    assert os.access(nginx.path, os.X_OK)
    assert nginx.capabilities.version >= (1, 22, 1)
    assert nginx.capabilities.ssl
    assert nginx.capabilities.http2


async def test_dynamic_modules_are_those_on_disk() -> None:
    nginx = await examine()
    assert all(os.access(path, os.R_OK) and path.endswith(f"/{name}.so") for name, path in nginx.modules.items())


def test_nginx_is_found_without_sbin_in_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert find().endswith("/nginx")


async def test_a_missing_nginx_is_a_sentence_with_the_package() -> None:
    with pytest.raises(Unusable, match=r"^no-such-nginx was not found: install the Debian package nginx .*\.$"):
        await examine("no-such-nginx")


async def test_something_else_than_nginx_is_noticed() -> None:
    with pytest.raises(Unusable, match="does not answer like nginx"):
        await examine("true")


def test_modules_that_were_left_out_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "ngx_stream_module.so").touch()
    said = f"nginx version: nginx/1.27.4 (x)\nconfigure arguments: --modules-path={tmp_path} --with-http_v2_module"
    nginx = read("nginx", f"{said} --without-http_grpc_module")
    assert nginx.capabilities.version == (1, 27, 4)
    assert (nginx.capabilities.http2, nginx.capabilities.grpc, nginx.capabilities.ssl) == (True, False, False)
    assert nginx.modules == {"ngx_stream_module": str(tmp_path / "ngx_stream_module.so")}


def test_an_nginx_that_is_too_old_is_a_sentence() -> None:
    with pytest.raises(Unusable, match=r"nginx 1\.18\.0: 1\.22\.1 is the oldest"):
        read("/usr/sbin/nginx", "nginx version: nginx/1.18.0\nconfigure arguments:")
