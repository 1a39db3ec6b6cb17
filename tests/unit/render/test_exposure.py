"""What nginx shows about itself: a file of our own, and only when it is asked for."""

import re

from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.fileset import File
from headgate.model.layout import Layout
from headgate.model.settings import Settings
from headgate.render import render
from headgate.render.exposure import FILE
from headgate.translate import translate
from tests.unit.worlds import world


def _files(exposure: Exposure, *, ipv6: bool = True) -> dict[str, File]:
    model = translate(world(), Settings(exposure=exposure)).model
    return dict(render(model, Capabilities(ipv6=ipv6), Layout()).files.files)


def test_nothing_is_shown_by_default() -> None:
    files = _files(Exposure())
    assert FILE not in files
    assert "healthy" not in files["conf.d/_default-server.conf"].text


def test_the_socket_alone() -> None:
    text = _files(Exposure(status_socket=True))[FILE].text
    assert re.findall(r"listen (.*);", text) == ["unix:/var/lib/nginx/nginx-status.sock"]
    assert "allow" not in text


def test_the_port_is_closed_to_all_but_those_who_are_allowed_in_their_order() -> None:
    exposure = Exposure(status_port=8080, status_allow=("127.0.0.1", "10.0.0.0/8"))
    text = _files(exposure)[FILE].text
    assert re.findall(r"listen (.*);", text) == ["8080", "[::]:8080"]
    assert re.findall(r"(allow .*|deny .*);", text) == ["allow 127.0.0.1", "allow 10.0.0.0/8", "deny all"]
    assert "[::]" not in _files(exposure, ipv6=False)[FILE].text


def test_lines_about_latencies_go_to_our_socket() -> None:
    text = _files(Exposure(latency=True))[FILE].text
    assert "access_log syslog:server=unix:/var/lib/nginx/nginx-syslog.sock,nohostname,tag=nginx response_time;" in text
    assert all(
        f"${name}" in text for name in ("upstream_addr", "upstream_response_time", "proxy_host", "upstream_status")
    )


def test_no_line_of_it_is_blamed_on_anybody() -> None:
    file = _files(Exposure(status_socket=True, status_port=8080, latency=True))[FILE]
    assert {block.source for block in file.blocks} == {None}
    assert file.source is None


def test_the_default_server_says_that_it_is_alive() -> None:
    text = _files(Exposure(health_uri="/up#1"))["conf.d/_default-server.conf"].text
    assert 'location = "/up#1" {' in text
