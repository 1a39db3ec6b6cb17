"""From a Secret to a TLS pair that nginx can load: PEM, or DER that someone pasted as base64.

In goes a Secret, out comes a `Certificate` or a `Problem`. What comes out is always PEM, leaf first. RSA keys are not
validated number by number: it costs 44 ms a key, and nginx loads them anyway.
"""

import base64
import binascii
import hashlib
from datetime import UTC

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_pem_private_key,
)

from headgate.api import Malformed, Secret
from headgate.model.certificate import Certificate
from headgate.model.finding import Problem

_USABLE = (RSAPrivateKey, EllipticCurvePrivateKey, Ed25519PrivateKey, Ed448PrivateKey)


def certificate_of(secret: Secret | Malformed) -> Certificate | Problem:
    """The pair in a Secret, or what is wrong with it."""
    if isinstance(secret, Malformed):
        return Problem(secret.field, secret.message)
    try:
        chain = _chain(_bytes(secret, "tls.crt"))
        key = _key(_bytes(secret, "tls.key"))
        chain = _leaf_first(chain, key)
    except _Wrong as why:
        return why.problem
    pem = b"".join(cert.public_bytes(Encoding.PEM) for cert in chain)
    pem += key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Certificate(
        source=secret.ref,
        pem=pem.decode(),
        digest=hashlib.sha256(pem).hexdigest(),
        names=_names(chain[0]),
        not_after=chain[0].not_valid_after_utc.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


class _Wrong(Exception):
    def __init__(self, field: str, message: str) -> None:
        self.problem = Problem(field, message)


def _bytes(secret: Secret, key: str) -> bytes:
    """The value of a key with its base64 taken off; `stringData` is as it stands and wins, as in the API."""
    if key in secret.string_data:
        return secret.string_data[key].encode(errors="replace")
    if key not in secret.data:
        raise _Wrong(f"data[{key}]", "it is missing: a TLS Secret has tls.crt and tls.key")
    try:
        return base64.b64decode("".join(secret.data[key].split()), validate=True)
    except (binascii.Error, ValueError):
        raise _Wrong(f"data[{key}]", "it is not base64: write the output of base64 -w0, or use stringData") from None


def _unwrapped(raw: bytes) -> bytes:
    """DER that was pasted as base64 text has one layer more."""
    try:
        return base64.b64decode(b"".join(raw.split()), validate=True)
    except (binascii.Error, ValueError):
        return raw


def _is_pem(raw: bytes) -> bool:
    return b"-----BEGIN" in raw


def _chain(raw: bytes) -> list[x509.Certificate]:
    try:
        if _is_pem(raw):
            return x509.load_pem_x509_certificates(raw)
        return [x509.load_der_x509_certificate(raw if raw[:1] == b"\x30" else _unwrapped(raw))]
    except ValueError:
        right = "write one or more CERTIFICATE blocks in PEM, or one certificate in DER"
        raise _Wrong("data[tls.crt]", f"it holds no certificate that can be read: {right}") from None


def _key(raw: bytes) -> "RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey | Ed448PrivateKey":
    key = _any_key(raw)
    if not isinstance(key, _USABLE):
        raise _Wrong("data[tls.key]", "nginx cannot use a key of this kind: use RSA, EC or Ed25519")
    return key


def _any_key(raw: bytes) -> PrivateKeyTypes:
    try:
        if _is_pem(raw):
            return load_pem_private_key(raw, None, unsafe_skip_rsa_key_validation=True)
        der = raw if raw[:1] == b"\x30" else _unwrapped(raw)
        return load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True)
    except TypeError:
        raise _Wrong("data[tls.key]", "it is protected by a password: store the key without one") from None
    except Exception:
        right = "write a PRIVATE KEY block in PEM, or a key in DER"
        raise _Wrong("data[tls.key]", f"it holds no key that can be read: {right}") from None


def _leaf_first(chain: list[x509.Certificate], key: PrivateKeyTypes) -> list[x509.Certificate]:
    ours = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for at, certificate in enumerate(chain):
        if _public(certificate) == ours:
            return [certificate, *chain[:at], *chain[at + 1 :]]
    raise _Wrong("data[tls.key]", "the key does not belong to the certificate: store the pair that was made together")


def _public(certificate: x509.Certificate) -> bytes:
    try:
        return certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except Exception:
        return b""


def _names(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except Exception:
        return ()
    return tuple(name.lower() for name in extension.value.get_values_for_type(x509.DNSName))


def covers(names: tuple[str, ...], host: str) -> bool:
    """Would a browser take a certificate with these names for this host?"""
    host = host.lower()
    return any(name == host or (name.startswith("*.") and host.partition(".")[2] == name[2:]) for name in names)
