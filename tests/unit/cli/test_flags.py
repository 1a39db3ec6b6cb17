"""Flags and what they make; a bad value is a sentence on stderr and exit code 2, before anything is read."""

import argparse
from pathlib import Path

import pytest

from headgate.api import Ref
from headgate.cli import main, parser
from headgate.cli.flags import layout_of, listeners_of, resolvers, settings_of, state_folder
from headgate.errors import Unusable
from headgate.model.capabilities import Capabilities
from headgate.model.server import Listener
from headgate.model.settings import Semantics, Settings


def render(*flags: str) -> argparse.Namespace:
    return parser().parse_args(["render", *flags, "in.yaml"])


def settings(*flags: str) -> Settings:
    return settings_of(render(*flags), Capabilities())


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--http-port", "0"], "write a number from 1 to 65535"),
        (["--http-port", "65536"], "write a number from 1 to 65535"),
        (["--https-port", "-1"], "write a number from 1 to 65535"),
        (["--https-port", "http"], "write a number from 1 to 65535"),
        (["--https-port", "²"], "write a number from 1 to 65535"),
        (["--address", "localhost"], "write one such as 127.0.0.1, 0.0.0.0 or ::1"),
        (["--address", "fe80::1%eth0"], "write one such as"),
        (["--address", "1.2.3.4;"], "write one such as"),
        (["--resolver", "dns.example.com"], "write an address, such as 10.96.0.10"),
        (["--resolver", "10.0.0.1:dns"], "write an address, such as 10.96.0.10"),
        (["--resolver", "10.0.0.1;"], "write an address, such as 10.96.0.10"),
        (["--nginx", "1.22"], "write a version of nginx from 1.22.0 on, such as 1.22.1"),
        (["--nginx", "1.18.0"], "write a version of nginx from 1.22.0 on"),
        (["--nginx", "latest"], "write a version of nginx"),
        (["--configmap", "settings"], "write NAMESPACE/NAME"),
        (["--configmap", "a/b/c"], "write NAMESPACE/NAME"),
        (["--configmap", "/b"], "write NAMESPACE/NAME"),
        (["--default-server-tls-secret", "a/"], "write NAMESPACE/NAME"),
        (["--ingress-semantics", "traefik"], "kubernetes"),
        (["--no-such-flag"], "unrecognized arguments"),
    ],
)
def test_a_bad_value_is_a_sentence(flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["render", *flags, "in.yaml"])
    assert stopped.value.code == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", [[], ["render"], ["lint"], ["serve"], ["docs"], ["docs", "colours"], ["dance"]])
def test_an_unfinished_command_is_a_sentence(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert stopped.value.code == 2
    assert "usage: headgate" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["render", "lint"])
def test_a_file_that_is_not_there(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--nginx", "1.22.1", str(tmp_path / "gone.yaml")]) == 1
    assert "there is no such file or folder" in capsys.readouterr().err


def test_what_holds_without_flags() -> None:
    made = settings("--resolver", "192.0.2.53")
    assert made == Settings(
        listeners=(Listener(8080, "127.0.0.1"), Listener(8443, "127.0.0.1", tls=True)), resolver=("192.0.2.53",)
    )
    assert made.allow_empty_host
    assert not made.snippets


def test_every_flag_has_its_place() -> None:
    made = settings(
        *("--ingress-class", "public", "--ingress-semantics", "nic", "--enable-snippets", "--configmap", "a/b"),
        *("--default-server-tls-secret", "c/d", "--resolver", "10.0.0.1", "--resolver", "[2001:db8::1]:5353"),
    )
    assert made.ingress_class == "public"
    assert made.semantics is Semantics.NIC
    assert made.snippets
    assert made.configmap == Ref("ConfigMap", "a", "b")
    assert made.default_certificate == Ref("Secret", "c", "d")
    assert made.resolver == ("10.0.0.1", "[2001:db8::1]:5353")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("10.0.0.1:53", "10.0.0.1:53"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("[2001:db8::1]:53", "[2001:db8::1]:53"),
    ],
)
def test_a_resolver_is_written_as_nginx_reads_it(text: str, written: str) -> None:
    assert settings("--resolver", text).resolver == (written,)


def test_the_resolvers_of_the_machine(tmp_path: Path) -> None:
    file = tmp_path / "resolv.conf"
    file.write_text(
        "# comment\nsearch example.com\nnameserver 10.0.0.1\nnameserver\nnameserver fe80::1%eth0\n"
        "nameserver dns;\nnameserver 2001:db8::1\n nameserver 10.0.0.2 \nnameserver 10.0.0.3\n"
    )
    assert resolvers(file) == ["10.0.0.1", "[2001:db8::1]", "10.0.0.2"]
    assert resolvers(tmp_path / "none") == []


def test_each_address_has_both_ports() -> None:
    made = listeners_of(
        render("--address", "127.0.0.1", "--address", "[::1]", "--http-port", "81", "--https-port", "82")
    )
    assert [(each.address, each.port, each.tls) for each in made] == [
        ("127.0.0.1", 81, False),
        ("::1", 81, False),
        ("127.0.0.1", 82, True),
        ("::1", 82, True),
    ]


def test_the_two_ports_cannot_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["render", "--nginx", "1.22.1", "--http-port", "8443", str(tmp_path)]
    assert main(command) == 1
    assert "--http-port and --https-port are both 8443" in capsys.readouterr().err


def test_the_redirect_names_the_tls_port() -> None:
    assert settings("--https-port", "9443").https_port == 9443


def test_everything_lies_in_the_state_folder() -> None:
    layout = layout_of(Path("/state"))
    assert layout.tree == "/state/nginx"
    assert layout.version_socket == "/state/run/nginx-config-version.sock"
    assert layout.emergency_log.startswith("/state/run/")
    assert layout.access_log.startswith("/state/log/")


def test_a_state_folder_that_nginx_would_read_as_more_than_a_path() -> None:
    for name in ("/state/$host", "/state/a\nb"):
        with pytest.raises(Unusable, match="choose another with --state-dir"):
            layout_of(Path(name))


def state_of(folder: Path, *flags: str) -> Path:
    return state_folder(parser().parse_args(["serve", str(folder), *flags]), folder)


def test_each_served_folder_has_a_state_folder_of_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one" / "shop", tmp_path / "other" / "shop"
    assert state_of(one) != state_of(other)
    assert state_of(one) == state_of(one / "." / ".." / "shop")
    assert state_of(one).name.startswith("shop-")


def test_a_state_folder_may_be_chosen(tmp_path: Path) -> None:
    assert state_of(tmp_path, "--state-dir", str(tmp_path / "state")) == (tmp_path / "state").resolve()
