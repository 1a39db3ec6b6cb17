"""The certificate authority of a test cluster: names in, PEM out. One root signs the API server and its clients."""

import datetime
import ipaddress
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_YEAR = datetime.timedelta(days=365)


class Authority:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Headgate tests")
        made = self._certificate(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None))
        self.pem = made.public_bytes(Encoding.PEM).decode()
        self.file = folder / "ca.crt"
        self.file.write_text(self.pem)

    def server(self, *names: str) -> tuple[Path, Path]:
        """Files with a certificate for these names and addresses, and its key."""
        listed = x509.SubjectAlternativeName([_general(name) for name in names])
        return self._pair("server", _name(names[0]), listed)

    @cache  # noqa: B019 - an authority lives as long as the session
    def client(self, user: str, *groups: str) -> tuple[Path, Path]:
        """Files with a certificate that makes its bearer this user, and its key."""
        return self._pair(
            user.replace(":", "-"), _name(user, *groups), x509.BasicConstraints(ca=False, path_length=None)
        )

    def key_pair(self) -> tuple[Path, Path]:
        """A bare key pair, with which tokens are signed: the public half and the private one."""
        return self._pair(
            "service-accounts", _name("service accounts"), x509.BasicConstraints(ca=False, path_length=None)
        )

    def _pair(self, title: str, name: x509.Name, extension: x509.ExtensionType) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        crt, private = self._folder / f"{title}.crt", self._folder / f"{title}.key"
        crt.write_bytes(self._certificate(name, key, extension).public_bytes(Encoding.PEM))
        private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
        return crt, private

    def _certificate(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
        built = built.serial_number(x509.random_serial_number())
        built = built.not_valid_before(now - _YEAR).not_valid_after(now + _YEAR)
        return built.add_extension(extension, critical=False).sign(self._key, hashes.SHA256())


def _name(user: str, *groups: str) -> x509.Name:
    """Kubernetes reads the user from the common name, and groups from organizations."""
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
