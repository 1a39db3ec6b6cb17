"""A TLS pair that we present ourselves, and can replace while we listen: new handshakes get the new pair, connections stay.

`ssl` reads pairs from files only. The file is one that exists in memory alone, so that no key touches a disk.
"""

import os
import ssl

from headgate.model.certificate import Certificate


class Presented:
    """Raises `ssl.SSLError` for a pair that OpenSSL does not take."""

    def __init__(self, certificate: Certificate) -> None:
        self._present = _context(certificate)
        self.context = _context(certificate)  # what the listener gets; each handshake is handed on to the present one
        self.context.sni_callback = self._handed_on

    def replace(self, certificate: Certificate) -> None:
        self._present = _context(certificate)

    def _handed_on(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        connection.context = self._present


def _context(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    descriptor = os.memfd_create("pair", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, certificate.pem.encode())
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
    return context
