"""From a Secret to a pair that nginx can load: PEM, DER, DER pasted as base64; and the sentences for what is none."""

import base64
from collections.abc import Callable

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from headgate.api import Malformed, Ref, Secret
from headgate.model.certificate import Certificate
from headgate.model.finding import Problem
from headgate.translate.secrets import certificate_of, covers
from tests.support.certificates import KeyKind, Pair, chained, mismatched, pair
from tests.support.manifests import Manifest, opaque_pair, tls_secret
from tests.unit.worlds import known

HOST = "shop.test"


def read(manifest: Manifest) -> Certificate | Problem:
    secret = known(manifest)
    assert isinstance(secret, Secret)
    return certificate_of(secret)


def good(manifest: Manifest) -> Certificate:
    found = read(manifest)
    assert isinstance(found, Certificate), found
    return found


def wrong(manifest: Manifest) -> tuple[str, str]:
    found = read(manifest)
    assert isinstance(found, Problem)
    return found.field, found.message


def is_pair(found: Certificate, made: Pair) -> bool:
    """The certificate first, and its own key behind."""
    first, *_ = x509.load_pem_x509_certificates(found.pem.encode())
    key = load_pem_private_key(found.pem[found.pem.index("-----BEGIN PRIVATE KEY") :].encode(), None)
    return first == made.certificate and key.public_key() == made.certificate.public_key()


@pytest.mark.parametrize("kind", ["rsa", "ec", "ed25519"])
def test_every_kind_of_key(kind: KeyKind) -> None:
    made = pair(HOST, kind=kind)
    assert is_pair(good(tls_secret("web", made)), made)


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_keys_as_older_tools_write_them(kind: KeyKind) -> None:
    made = pair(HOST, kind=kind)
    assert is_pair(good(opaque_pair("web", made.crt.encode(), made.traditional_pem_key.encode())), made)


def test_a_chain_is_kept() -> None:
    made = chained(HOST)
    found = good(tls_secret("web", made))
    assert is_pair(found, made)
    assert x509.load_pem_x509_certificates(found.pem.encode()) == [made.certificate, *made.chain]


def test_the_leaf_may_stand_anywhere() -> None:
    made = chained(HOST)
    upside_down = made.chain[0].public_bytes(Encoding.PEM) + made.certificate.public_bytes(Encoding.PEM)
    assert is_pair(good(opaque_pair("web", upside_down, made.pem_key.encode())), made)


def _wrapped(raw: bytes) -> bytes:
    return base64.encodebytes(raw)


def _plain(raw: bytes) -> bytes:
    return raw


@pytest.mark.parametrize("key", [_plain, _wrapped])
@pytest.mark.parametrize("crt", [_plain, _wrapped])
def test_der_as_it_is_and_pasted_as_base64(crt: Callable[[bytes], bytes], key: Callable[[bytes], bytes]) -> None:
    made = pair(HOST)
    assert is_pair(good(opaque_pair("web", crt(made.der), key(made.der_key))), made)


def test_a_pem_certificate_beside_a_der_key() -> None:
    made = pair(HOST)
    assert is_pair(good(opaque_pair("web", made.crt.encode(), made.der_key)), made)


def test_string_data_is_as_it_stands_and_wins() -> None:
    made = pair(HOST)
    manifest = {**opaque_pair("web", b"old", b"old"), "stringData": {"tls.crt": made.crt, "tls.key": made.pem_key}}
    assert is_pair(good(manifest), made)


def test_the_base64_of_the_data_may_have_line_ends() -> None:
    made = pair(HOST)
    manifest = tls_secret("web", made)
    manifest["data"] = {
        key: base64.encodebytes(base64.b64decode(text)).decode() for key, text in manifest["data"].items()
    }
    assert is_pair(good(manifest), made)


def test_what_is_remembered_of_a_certificate() -> None:
    made = pair("Shop.test", "*.shop.test")
    found = good(tls_secret("web", made, namespace="team"))
    assert found.source == Ref("Secret", "team", "web")
    assert found.names == ("shop.test", "*.shop.test")
    assert found.not_after == made.certificate.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_the_key_is_never_shown() -> None:
    found = good(tls_secret("web", pair(HOST)))
    assert "PRIVATE KEY" not in f"{found!r} {found}"


def test_an_expired_one_is_a_pair_all_the_same() -> None:
    made = pair(HOST, expired=True)
    assert is_pair(good(tls_secret("web", made)), made)


def _password_key(made: Pair) -> bytes:
    return made.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word"))


def _dsa_key() -> bytes:
    return dsa.generate_private_key(1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def test_a_key_of_another() -> None:
    field, why = wrong(tls_secret("web", mismatched(HOST)))
    assert field == "data[tls.key]"
    assert "does not belong to the certificate" in why


def test_a_key_with_a_password() -> None:
    made = pair(HOST)
    field, why = wrong(opaque_pair("web", made.crt.encode(), _password_key(made)))
    assert field == "data[tls.key]"
    assert "password" in why


def test_a_kind_of_key_that_nginx_cannot_use() -> None:
    assert "use RSA, EC or Ed25519" in wrong(opaque_pair("web", pair(HOST).crt.encode(), _dsa_key()))[1]


@pytest.mark.parametrize(
    "crt", [b"", b"hello", b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", b"\x30\x03abc"]
)
def test_no_certificate(crt: bytes) -> None:
    field, why = wrong(opaque_pair("web", crt, pair(HOST).pem_key.encode()))
    assert field == "data[tls.crt]"
    assert "write one or more CERTIFICATE blocks" in why


@pytest.mark.parametrize(
    "key", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", b"\x30\x03abc"]
)
def test_no_key(key: bytes) -> None:
    field, why = wrong(opaque_pair("web", pair(HOST).crt.encode(), key))
    assert field == "data[tls.key]"
    assert "write a PRIVATE KEY block" in why


def test_a_certificate_where_the_key_should_be() -> None:
    made = pair(HOST)
    assert wrong(opaque_pair("web", made.crt.encode(), made.crt.encode()))[0] == "data[tls.key]"


@pytest.mark.parametrize("key", ["tls.crt", "tls.key"])
def test_half_a_pair(key: str) -> None:
    manifest = tls_secret("web", pair(HOST))
    del manifest["data"][key]
    assert wrong(manifest) == (f"data[{key}]", "it is missing: a TLS Secret has tls.crt and tls.key")


def test_pem_in_the_place_of_base64() -> None:
    made = pair(HOST)
    manifest = {**tls_secret("web", made), "data": {"tls.crt": made.crt, "tls.key": made.pem_key}}
    assert "it is not base64" in wrong(manifest)[1]


def test_a_malformed_secret_says_what_is_wrong_with_it() -> None:
    found = certificate_of(Malformed(Ref("Secret", "default", "web"), "must be text, not a list", "data[tls.crt]"))
    assert found == Problem("data[tls.crt]", "must be text, not a list")


@pytest.mark.parametrize(
    ("name", "host", "covered"),
    [
        ("shop.test", "shop.test", True),
        ("shop.test", "SHOP.test", True),
        ("*.test", "shop.test", True),
        ("*.test", "a.shop.test", False),
        ("*.test", "test", False),
        ("*.test", "*.test", True),
        ("shop.test", "*.test", False),
        ("other.test", "shop.test", False),
    ],
)
def test_would_a_browser_take_it(name: str, host: str, covered: object) -> None:
    assert covers(("unrelated.example", name), host) is covered
