"""From flags to settings."""

import socket

import pytest

from headgate.api import Ref
from headgate.cli.run_reading import read_flags
from headgate.cli.run_settings import Pod, named_secrets, own_pod, run_layout, run_settings
from headgate.errors import Unusable
from headgate.model.capabilities import Capabilities
from headgate.model.exposure import Exposure
from headgate.model.server import Listener
from headgate.model.settings import Settings


def _settings(*argv: str) -> Settings:
    return run_settings(read_flags(argv).flags, Capabilities())


def test_in_a_cluster_a_class_and_a_host_are_wanted() -> None:
    made = _settings()
    assert (made.ingress_class, made.classless_is_ours, made.allow_empty_host) == ("nginx", False, False)
    assert made.listeners == (Listener(80), Listener(443, tls=True))


def test_the_status_port_is_open_by_default_and_metrics_add_the_socket() -> None:
    assert _settings().exposure == Exposure(status_port=8080, status_allow=("127.0.0.1", "::1"))
    assert _settings("-nginx-status=false").exposure.status_port == 0
    assert _settings("-enable-prometheus-metrics").exposure.status_socket
    assert _settings("-enable-prometheus-metrics", "-enable-latency-metrics").exposure.latency


def test_health_is_answered_when_asked_for() -> None:
    assert _settings("-health-status-uri=/up").exposure.health_uri == ""
    assert _settings("-health-status", "-health-status-uri=/up").exposure.health_uri == "/up"


def test_further_ports_of_the_default_server() -> None:
    assert _settings("-http-port=8000").default_listeners == ()
    assert _settings("-default-http-listener-port=8083").default_listeners == (Listener(8083),)
    assert _settings("-default-https-listener-port=8444").default_listeners == (Listener(8444, tls=True),)


def test_without_ipv6() -> None:
    assert _settings().capabilities.ipv6
    assert not _settings("-disable-ipv6").capabilities.ipv6


def test_places() -> None:
    layout = run_layout(read_flags([]).flags)
    assert (layout.tree, layout.pid_file) == ("/etc/nginx", "/var/lib/nginx/nginx.pid")
    assert layout.status_socket == "/var/lib/nginx/nginx-status.sock"


def test_secrets_that_flags_name() -> None:
    argv = ["-wildcard-tls-secret=a/b", "-default-server-tls-secret=a/b", "-prometheus-tls-secret=c/d"]
    assert named_secrets(read_flags(argv).flags) == (Ref("Secret", "a", "b"), Ref("Secret", "c", "d"))


def test_our_own_pod() -> None:
    environment = {"POD_NAMESPACE": "ingress", "POD_NAME": "headgate-1"}
    assert own_pod(environment, read_flags([]).flags) == Pod("ingress", "headgate-1")


def test_a_pod_that_does_not_know_itself_cannot_start() -> None:
    with pytest.raises(Unusable, match="POD_NAME must be set"):
        own_pod({"POD_NAMESPACE": "ingress"}, read_flags([]).flags)


def test_outside_a_cluster_there_is_no_pod_to_know() -> None:
    assert own_pod({}, read_flags(["-kubeconfig=config"]).flags) == Pod("default", socket.gethostname())
