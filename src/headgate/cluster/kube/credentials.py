"""What to show the API server at this moment: `Access` in, headers and a TLS context out, again for each request.

Tokens and certificates in files are rewritten while we run (a Pod's token each hour), so a file that looks different is
read again; a plugin is asked again when what it gave is over, or when the API server no longer takes it.
"""

import asyncio
import base64
import os
import ssl
from pathlib import Path

from msgspec import Struct

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.plugin import Issued, ask
from headgate.errors import Unusable


class _Pem(Struct, frozen=True):
    """All that a TLS context is made of."""

    authority: str
    certificate: str
    key: str


class Credentials:
    def __init__(self, access: Access) -> None:
        self._access = access
        self._files: dict[str, tuple[tuple[int, int, int], str]] = {}
        self._issued: Issued | None = None
        self._asking = asyncio.Lock()
        self._context: tuple[_Pem, ssl.SSLContext] | None = None

    async def headers(self) -> list[tuple[str, str]]:
        access = self._access
        issued = await self._from_plugin() or Issued()
        headers: list[tuple[str, str]] = []
        if token := issued.token or (self._read(access.token_file) or access.token).strip():
            headers.append(("Authorization", f"Bearer {token}"))
        elif access.username:
            pair = base64.b64encode(f"{access.username}:{access.password}".encode()).decode()
            headers.append(("Authorization", f"Basic {pair}"))
        if access.impersonated:
            headers.append(("Impersonate-User", access.impersonated))
            headers.extend(("Impersonate-Group", group) for group in access.impersonated_groups)
        return headers

    async def tls(self) -> ssl.SSLContext | bool:
        """The context, made anew only when something in it changed; True for plain HTTP, which needs none."""
        access = self._access
        if not access.server.startswith("https:"):
            return True
        issued = await self._from_plugin() or Issued()
        wanted = _Pem(
            authority=access.authority or self._read(access.authority_file),
            certificate=issued.client_certificate_data or access.certificate or self._read(access.certificate_file),
            key=issued.client_key_data or access.key or self._read(access.key_file),
        )
        if self._context is None or self._context[0] != wanted:
            self._context = (wanted, _context(wanted, insecure=access.insecure))
        return self._context[1]

    def doubt(self) -> bool:
        """The API server does not know us: is there anything to read or to ask anew?"""
        known = bool(self._files or self._issued)
        self._files.clear()
        self._issued = None
        return known

    async def _from_plugin(self) -> Issued | None:
        if self._access.plugin is None:
            return None
        async with self._asking:  # many requests, one question
            if self._issued is None or self._issued.is_over():
                self._issued = await ask(self._access.plugin, self._access)
            return self._issued

    def _read(self, path: str) -> str:
        """What is in the file now. A look costs microseconds; it is read only when it looks different."""
        if not path:
            return ""
        known = self._files.get(path)
        try:
            seen = Path(path).stat()
            looks = (seen.st_mtime_ns, seen.st_ino, seen.st_size)
            if known is None or known[0] != looks:
                known = self._files[path] = (looks, Path(path).read_text())
        except OSError as why:
            if known is None:
                raise Unusable(f"{path}: cannot be read: {why.strerror}") from None
        return known[1]


def _context(pem: _Pem, *, insecure: bool) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cadata=pem.authority or None)
        # Newer Pythons demand extensions that the authorities of many clusters do not have; Go does not.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if pem.certificate:
            _load(context, pem)
    except (ssl.SSLError, ValueError) as why:
        raise Unusable(f"the certificates for the API server cannot be used: {why}") from None
    return context


def _load(context: ssl.SSLContext, pem: _Pem) -> None:
    """The ssl module takes a pair from a file only; this one is in memory, so that no key lies about."""
    file = os.memfd_create("headgate-client-certificate")
    try:
        os.write(file, f"{pem.certificate}\n{pem.key}\n".encode())
        context.load_cert_chain(f"/proc/self/fd/{file}")
    finally:
        os.close(file)
