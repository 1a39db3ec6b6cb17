"""The ConfigMap and the default certificate: what everybody is read against."""

from datetime import UTC, datetime

from headgate.api import Ref
from headgate.model.defaults import DEFAULTS
from headgate.model.finding import Severity
from headgate.model.settings import Settings
from headgate.model.values import Duration
from headgate.translate import expiry_findings, translate
from headgate.translate.config import read_config
from tests.support.certificates import mismatched, pair
from tests.support.manifests import configmap, tls_secret
from tests.unit.worlds import world

NAMED = Settings(configmap=Ref("ConfigMap", "headgate", "settings"))
FALLBACK = Settings(default_certificate=Ref("Secret", "default", "fallback"))
JUNE, NEW_YEAR = datetime(2024, 6, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)


def test_nobody_asked_for_one() -> None:
    config = read_config(world(configmap("settings", {"keepalive": "1"}, namespace="headgate")), Settings())
    assert (config.options, config.source) == (DEFAULTS, None)


def test_its_words_are_laid_over_the_defaults() -> None:
    config = read_config(world(configmap("settings", {"proxy-read-timeout": "5s"}, namespace="headgate")), NAMED)
    assert config.source == NAMED.configmap
    assert config.options.proxy.read_timeout == Duration(5000)
    assert config.options.proxy.send_timeout == DEFAULTS.proxy.send_timeout


def test_one_wrong_key_is_left_out_and_the_others_stand() -> None:
    said = configmap("settings", {"keepalive": "x", "max-fails": "3"}, namespace="headgate")
    config = read_config(world(said), NAMED)
    assert config.options.balancing.max_fails == 3
    assert config.options.balancing.keepalive == DEFAULTS.balancing.keepalive
    (finding,) = config.findings
    assert (finding.severity, finding.field) == (Severity.ERROR, "data[keepalive]")
    assert config.rejected == frozenset()


def test_a_missing_one_is_told_and_defaults_are_in_force() -> None:
    config = read_config(world(), NAMED)
    assert config.options == DEFAULTS
    assert [finding.reason for finding in config.findings] == ["ConfigMapMissing"]


def test_a_malformed_one_is_rejected_whole() -> None:
    bad = {**configmap("settings", {}, namespace="headgate"), "data": {"http2": True, "keepalive": "3"}}
    config = read_config(world(bad), NAMED)
    assert config.options == DEFAULTS
    assert config.rejected == {NAMED.configmap}


def test_the_default_certificate() -> None:
    assert FALLBACK.default_certificate is not None
    translation = translate(world(tls_secret("fallback", pair("any.test"))), FALLBACK)
    assert translation.model.shape.main.default_certificate == FALLBACK.default_certificate
    assert list(translation.model.shape.certificates) == [FALLBACK.default_certificate]


def test_a_default_certificate_that_is_missing_or_no_pair_refuses_handshakes() -> None:
    for made, reason in ([], "SecretMissing"), ([tls_secret("fallback", mismatched("any.test"))], "SecretInvalid"):
        translation = translate(world(made), FALLBACK)
        assert translation.model.shape.main.default_certificate is None
        assert [finding.reason for finding in translation.findings] == [reason]


def test_expiry_is_told_apart_from_translating() -> None:
    translation = translate(world(tls_secret("fallback", pair("any.test"))), FALLBACK)
    assert expiry_findings(translation.model, JUNE) == []
    (finding,) = expiry_findings(translation.model, NEW_YEAR)
    assert (finding.severity, finding.reason) == (Severity.WARNING, "CertificateExpired")
    assert finding.ref == FALLBACK.default_certificate
