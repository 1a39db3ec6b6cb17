"""What must be true before nginx starts, and the sentences when it is not."""

import os
import socket
from pathlib import Path

import msgspec
import pytest

from headgate.errors import Unusable
from headgate.model.layout import Layout
from headgate.model.server import Listener
from headgate.nginx.ground import first_closed, ports_free, prepare, worker_user
from tests.nginx.room.world import World
from tests.support import ports


def layout_in(home: Path, user: str | None = None) -> Layout:
    return Layout(tree=f"{home}/nginx", run=f"{home}/run", temp=f"{home}/tmp", access_log=f"{home}/log/a", user=user)


def test_folders_are_made(tmp_path: Path) -> None:
    prepare(layout_in(tmp_path / "new"))
    assert {folder.name for folder in (tmp_path / "new").iterdir()} == {"nginx", "run", "tmp", "log"}


def test_folders_that_we_make_are_open_to_workers_whatever_the_umask(world: World) -> None:
    before = os.umask(0o077)
    try:
        prepare(layout_in(world.home / "a/b", user="nobody"))
    finally:
        os.umask(before)
    assert first_closed(world.home / "a/b/tmp", "nobody") is None


def test_a_socket_path_that_is_too_long_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"107 bytes.*--state-dir"):
        prepare(layout_in(tmp_path / ("x" * 100)))


def test_a_folder_that_cannot_be_made_is_a_sentence(world: World) -> None:
    # Not in pytest's own folder, whose name may be too long for a socket: that would be another sentence.
    (world.home / "state").write_text("a file")
    with pytest.raises(Unusable, match=r"cannot make .*/state.*--state-dir"):
        prepare(layout_in(world.home / "state"))


def test_a_folder_that_workers_cannot_enter_is_named(world: World) -> None:
    private = world.home / "private"
    private.mkdir(mode=0o700)
    layout = msgspec.structs.replace(world.layout, temp=f"{private}/tmp", user="nobody")
    with pytest.raises(Unusable, match=rf"run as nobody, who cannot enter {private}, .*--state-dir"):
        prepare(layout)
    private.chmod(0o711)
    prepare(layout)


def test_a_folder_on_the_way_counts_by_owner_group_and_others(world: World) -> None:
    assert first_closed(world.home, "nobody") is None
    assert first_closed(Path("/"), "nobody") is None


def test_only_root_chooses_whom_workers_run_as() -> None:
    assert worker_user() in (("nginx", "www-data", "nobody") if os.geteuid() == 0 else (None,))


@pytest.mark.parametrize(("tls", "flag"), [(False, "--http-port"), (True, "--https-port")])
def test_a_port_in_use_is_a_sentence_with_the_address_and_the_flag(*, tls: bool, flag: str) -> None:
    port = ports.claim()
    listener = Listener(port=port, address="127.0.0.1", tls=tls)
    ports_free([listener])
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(Unusable, match=rf"^127\.0\.0\.1:{port} .* {flag}\.$"),
    ):
        ports_free([listener])


def test_an_address_of_another_machine_is_a_sentence() -> None:
    with pytest.raises(Unusable, match=r"192\.0\.2\.1 is no address of this machine"):
        ports_free([Listener(port=ports.claim(), address="192.0.2.1")])
