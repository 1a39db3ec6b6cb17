"""TLS pairs of every kind, good and bad, made on the spot: a name in, PEM and DER out.

One root signs everything, so a client that trusts `authority()` checks what nginx shows. RSA keys are slow to make and
are kept for the whole session; a test never learns anything from the key being new.
"""

import base64
import datetime
import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Key: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
KeyKind: TypeAlias = Literal["rsa", "ec", "ed25519"]
_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """A certificate, the chain above it without the root, and the key."""

    certificate: x509.Certificate
    key: Key
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def serial(self) -> int:
        return self.certificate.serial_number

    @property
    def crt(self) -> str:
        """PEM, the leaf first."""
        return "".join(each.public_bytes(Encoding.PEM).decode() for each in (self.certificate, *self.chain))

    @property
    def pem_key(self) -> str:
        return self._key(Encoding.PEM, PrivateFormat.PKCS8).decode()

    @property
    def traditional_pem_key(self) -> str:
        """`BEGIN RSA PRIVATE KEY` or `BEGIN EC PRIVATE KEY`, as older tools write it."""
        return self._key(Encoding.PEM, PrivateFormat.TraditionalOpenSSL).decode()

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def der_key(self) -> bytes:
        return self._key(Encoding.DER, PrivateFormat.PKCS8)

    def _key(self, encoding: Encoding, form: PrivateFormat) -> bytes:
        return self.key.private_bytes(encoding, form, NoEncryption())


@cache
def authority() -> Pair:
    """The root that signs everything."""
    return _signed("Headgate tests", key=ec.generate_private_key(ec.SECP256R1()), issuer=None, is_authority=True)


@cache
def intermediate() -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    return _signed("Headgate tests, intermediate", key=key, issuer=authority(), is_authority=True)


def pair(*names: str, kind: KeyKind = "ec", expired: bool = False) -> Pair:
    """A pair for these DNS names, signed by the root."""
    return _signed(names[0], names=names, key=_new_key(kind), issuer=authority(), expired=expired)


def chained(*names: str) -> Pair:
    """A pair signed by the intermediate, which stands behind the leaf as in a real bundle."""
    leaf = _signed(names[0], names=names, key=_new_key("ec"), issuer=intermediate())
    return Pair(leaf.certificate, leaf.key, chain=(intermediate().certificate,))


def mismatched(*names: str) -> Pair:
    """A certificate beside somebody else's key."""
    return Pair(pair(*names).certificate, ec.generate_private_key(ec.SECP256R1()))


@cache
def trusting_client() -> ssl.SSLContext:
    """A client that trusts our root and checks names."""
    return ssl.create_default_context(cadata=authority().crt)


def server_context(made: Pair) -> ssl.SSLContext:
    """For backends that speak TLS; the ssl module reads pairs from files only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(made.crt + made.pem_key)
        file.flush()
        context.load_cert_chain(file.name)
    return context


def base64_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _new_key(kind: KeyKind) -> Key:
    if kind == "rsa":
        return _rsa_key()
    return ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else ed25519.Ed25519PrivateKey.generate()


@cache
def _rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _signed(
    title: str,
    *,
    key: Key,
    issuer: Pair | None,
    names: Sequence[str] = (),
    is_authority: bool = False,
    expired: bool = False,
) -> Pair:
    now = datetime.datetime.now(datetime.UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title[:64])])
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 30 * _DAY)
        .not_valid_after(now - _DAY if expired else now + 30 * _DAY)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if names:
        built = built.add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
    signer = issuer.key if issuer else key
    algorithm = None if isinstance(signer, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return Pair(built.sign(signer, algorithm), key)
