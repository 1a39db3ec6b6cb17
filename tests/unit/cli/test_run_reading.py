"""The command line of `run`: what it says, what is fatal, what is only worth a warning."""

import pytest

from headgate.api import Ref
from headgate.cli.go_flags import HelpWanted, WrongUsage
from headgate.cli.run_flags import Flag, Later, Moot, Refused, flags
from headgate.cli.run_reading import read_flags
from headgate.errors import Unusable
from headgate.model.settings import Semantics
from headgate.model.values import Duration


def test_values_are_typed() -> None:
    read = read_flags(
        [
            "-watch-namespace=shop, blog",
            "-nginx-configmaps",
            "nginx-ingress/nginx-config",
            "--nginx-status-allow-cidrs=10.0.0.0/8, ::1",
            "-ingress-semantics=nic",
            "-shutdown-delay=1m",
            "-nginx-reload-timeout=1500",
            "-enable-snippets",
        ]
    ).flags
    assert read.watch_namespace == ("shop", "blog")
    assert read.nginx_configmaps == Ref("ConfigMap", "nginx-ingress", "nginx-config")
    assert read.nginx_status_allow_cidrs == ("10.0.0.0/8", "::1")
    assert read.ingress_semantics is Semantics.NIC
    assert read.shutdown_delay == Duration(60_000)
    assert read.nginx_reload_timeout == Duration(1500)
    assert read.enable_snippets


def test_our_own_defaults() -> None:
    read = read_flags([]).flags
    assert (read.shutdown_delay, read.quiet_period, read.reload_ceiling) == (
        Duration(5000),
        Duration(50),
        Duration(500),
    )
    assert (read.http_port, read.https_port) == (80, 443)
    assert (read.nginx_dir, read.state_dir) == ("/etc/nginx", "/var/lib/nginx")
    assert read.ingress_semantics is Semantics.KUBERNETES


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["-health-status-uri=/"], "-health-status-uri"),
        (["-health-status-uri="], "-health-status-uri"),
        (["-health-status-uri=healthy"], "-health-status-uri"),
        (["-health-status-uri=/a b"], "-health-status-uri"),
        (["-health-status-uri=/a$b"], "-health-status-uri"),
        (["-watch-namespace=Shop"], "'Shop' is no namespace"),
        (["-watch-namespace=shop,"], "'' is no namespace"),
        (["-watch-secret-namespace=a b"], "'a b' is no namespace"),
        (["-watch-namespace-label=a=b,,"], "label selector"),
        (["-watch-namespace-label=a in b"], "label selector"),
        (["-watch-namespace=a", "-watch-namespace-label=a=b"], "-watch-namespace and -watch-namespace-label"),
        (["-nginx-configmaps=config"], "NAMESPACE/NAME"),
        (["-nginx-configmaps=a/b/c"], "NAMESPACE/NAME"),
        (["-nginx-plus"], "-nginx-plus cannot be"),
        (["-enable-app-protect"], "-enable-app-protect cannot be"),
        (["-enable-app-protect-dos"], "-enable-app-protect-dos cannot be"),
        (["-app-protect-dos-memory=5"], "-app-protect-dos-memory cannot be"),
        (["-plm-storage-url=http://s3"], "-plm-storage-url cannot be"),
        (["-main-template-path=x.tmpl"], "-main-template-path cannot be"),
        (["-agent"], "-agent cannot be"),
        (["-default-server-tls-secret=x"], "NAMESPACE/NAME"),
        (["-external-service=a", "-ingresslink=b"], "-external-service and -ingresslink"),
        (["-leader-election-lock-name="], "-leader-election-lock-name"),
        (["-leader-election-lock-name=A"], "-leader-election-lock-name"),
        (["-nginx-status-allow-cidrs=10.0.0.0/33"], "'10.0.0.0/33' is neither"),
        (["-nginx-status-allow-cidrs=127.0.0.1,"], "'' is neither"),
        (["-nginx-status-allow-cidrs="], "'' is neither"),
        (["-nginx-status-port=1022"], "1024 to 65535"),
        (["-prometheus-metrics-listen-port=65536"], "1024 to 65535"),
        (["-service-insight-listen-port=80"], "1024 to 65535"),
        (["-ready-status-port=0"], "1024 to 65535"),
        (["-global-configuration=a/b", "-enable-custom-resources=false"], "wants -enable-custom-resources"),
        (["-enable-tls-passthrough", "-enable-custom-resources=false"], "wants -enable-custom-resources"),
        (["-enable-cert-manager", "-enable-custom-resources=false"], "wants -enable-custom-resources"),
        (["-enable-external-dns", "-enable-custom-resources=false"], "wants -enable-custom-resources"),
        (["-http-port=8443", "-https-port=8443"], "cannot share a port"),
        (["-ready-status-port=8080"], "-nginx-status-port and -ready-status-port are both 8080"),
        (["-proxy=http://127.0.0.1:8001", "-kubeconfig=config"], "-proxy and -kubeconfig"),
        (["-ingress-semantics=community"], "kubernetes or nic"),
        (["-state-dir=here"], "absolute path"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_fatal(argv: list[str], words: str) -> None:
    with pytest.raises(Unusable, match=words):
        read_flags(argv)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Unusable) as why:
        read_flags(["-nginx-plus", "-nginx-status-port=1", "-watch-namespace=A"])
    assert all(flag in str(why.value) for flag in ("-nginx-plus", "-nginx-status-port=1", "-watch-namespace"))


@pytest.mark.parametrize(
    "argv", [["-nope"], ["-nginx-status-port=x"], ["-enable-snippets=maybe"], ["-shutdown-delay=5"]]
)
def test_what_cannot_be_read_is_wrong_usage(argv: list[str]) -> None:
    with pytest.raises(WrongUsage):
        read_flags(argv)


def test_help_is_wanted_before_anything_is_checked() -> None:
    with pytest.raises(HelpWanted):
        read_flags(["-nginx-plus", "--help"])


def test_the_version_is_wanted_whatever_else_is_said() -> None:
    assert read_flags(["-version", "-nginx-plus"]).flags.version


def test_a_port_that_is_not_listened_on_is_nobodys() -> None:
    read_flags(["-ready-status=false", "-ready-status-port=8080"])


@pytest.mark.parametrize("text", ["a", "a=b", "a==b", "a!=b,c", "!a", "a in (b, c),d notin (e)", "example.com/a=b", ""])
def test_label_selectors(text: str) -> None:
    assert read_flags([f"-watch-namespace-label={text}"]).flags.watch_namespace_label == text


def test_words_behind_the_flags_are_a_warning() -> None:
    (warning,) = read_flags(["-enable-snippets", "word", "-nginx-plus"]).warnings
    assert "word -nginx-plus" in warning


def test_a_log_format_that_nobody_knows_is_glog_with_a_warning() -> None:
    read = read_flags(["-log-format=xml"])
    assert read.flags.log_format == "glog"
    assert "-log-format=xml" in read.warnings[0]


@pytest.mark.parametrize(
    ("text", "level"), [("warning", "warning"), ("warn", "warn"), ("DEBUG", "debug"), ("trace", "trace")]
)
def test_levels(text: str, level: str) -> None:
    read = read_flags([f"-log-level={text}"])
    assert (read.flags.log_level, read.warnings) == (level, ())


def test_a_level_that_nobody_knows_is_info_with_a_warning() -> None:
    read = read_flags(["-log-level=loud"])
    assert (read.flags.log_level, len(read.warnings)) == ("info", 1)


def test_latency_without_metrics_is_off_with_a_warning() -> None:
    read = read_flags(["-enable-latency-metrics"])
    assert not read.flags.enable_latency_metrics
    assert "-enable-prometheus-metrics" in read.warnings[0]
    assert read_flags(["-enable-latency-metrics", "-enable-prometheus-metrics"]).flags.enable_latency_metrics


def test_a_timeout_of_zero_is_the_default() -> None:
    assert read_flags(["-nginx-reload-timeout=0"]).flags.nginx_reload_timeout == Duration(60_000)


@pytest.mark.parametrize(
    "row", [row for row in flags().values() if isinstance(row.verdict, Later | Moot)], ids=lambda row: row.name
)
def test_what_has_no_effect_is_accepted_with_one_warning(row: Flag) -> None:
    text = {"bool": "true", "int": "12345", "string": "shop/other"}[row.kind.name]
    warnings = read_flags([f"-{row.name}={text}"]).warnings
    assert len(warnings) == (0 if row.default == "true" else 1)
    assert all(each.startswith(f"-{row.name} ") for each in warnings)


def test_nothing_is_refused_by_its_default() -> None:
    refused = [row for row in flags().values() if isinstance(row.verdict, Refused)]
    assert refused
    read_flags([f"-{row.name}={row.default}" for row in refused])
