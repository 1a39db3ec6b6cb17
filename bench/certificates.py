"""Certificates to fill Secrets with: a number in, as many pairs of their own out. EC keys, since they are made quickly."""

import base64
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from msgspec import Struct

from bench.folders import Manifest, host, namespace


class Pair(Struct, frozen=True):
    certificate: bytes
    key: bytes

    @property
    def pem(self) -> str:
        return (self.certificate + self.key).decode()


def pairs(count: int) -> list[Pair]:
    return [_pair(host(number)) for number in range(count)]


def _pair(name: str) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Pair(certificate.public_bytes(Encoding.PEM), private)


def secret(number: int, pair: Pair) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"tls-{number:05}", "namespace": namespace(number)},
        "type": "kubernetes.io/tls",
        "data": {
            "tls.crt": base64.b64encode(pair.certificate).decode(),
            "tls.key": base64.b64encode(pair.key).decode(),
        },
    }
