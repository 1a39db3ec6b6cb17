"""Speak to the API server over HTTP: paths and bodies in, bytes out, or one of the failures of `errors`.

Nothing is tried again in here, save once after a 401, since the token may just have rotated: whoever asks knows how long
it may wait. Bodies come back as bytes, so that each reader decodes no more than it reads. A watch has no end of its own;
a last line without its end of line was cut, and is not given out.
"""

import os
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Literal, TypeAlias

import aiohttp
import msgspec
from aiohttp.http_exceptions import LineTooLong
from msgspec import Struct

from headgate.cluster.kube.access import Access
from headgate.cluster.kube.credentials import Credentials
from headgate.errors import (
    ApiUnavailable,
    Conflict,
    Forbidden,
    Gone,
    HeadgateError,
    Invalid,
    Missing,
    TooMany,
    Unauthorized,
)

Params: TypeAlias = Mapping[str, str]
Patch: TypeAlias = Literal["merge", "strategic", "apply", "status"]

PAGE = 500
WATCH_BUFFER = 2 * 1024 * 1024  # an object may have 1.5 MB, and an event is one line
AGENT = "headgate"
_PATCHES: dict[str, str] = {
    "merge": "application/merge-patch+json",
    "status": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class _Details(Struct, frozen=True, rename="camel"):
    retry_after_seconds: float = 0


class Status(Struct, frozen=True, rename="camel"):
    """How the API server says that something went wrong."""

    message: str = ""
    reason: str = ""
    code: int = 0
    details: _Details = _Details()


class _PageMeta(Struct, frozen=True, rename="camel"):
    next: str = msgspec.field(default="", name="continue")


class _PageHead(Struct, frozen=True):
    metadata: _PageMeta = _PageMeta()


class Client:
    """Use it as an async context manager."""

    def __init__(self, access: Access, *, timeout: float = 30.0) -> None:
        self._access = access
        self._credentials = Credentials(access)
        self._timeout = timeout
        self._session: aiohttp.ClientSession | None = None
        self._page_head = msgspec.json.Decoder(_PageHead)

    async def __aenter__(self) -> "Client":
        connector = aiohttp.TCPConnector(limit=0, socket_factory=_attentive)
        # Compression saves nothing between machines of one cluster, and costs both of them.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": AGENT}
        self._session = aiohttp.ClientSession(connector=connector, headers=headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, why: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, params: Params | None = None) -> bytes:
        return await self._ask("GET", path, params)

    async def list_pages(self, path: str, params: Params | None = None, *, page: int = PAGE) -> AsyncIterator[bytes]:
        """A whole list, a page at a time. Raises `Gone` when the server forgot the list before we had read it."""
        wanted = {**(params or {}), "limit": str(page)}
        while True:
            text = await self._ask("GET", path, wanted)
            yield text
            token = self._page_head.decode(text).metadata.next
            if not token:
                return
            wanted["continue"] = token

    @asynccontextmanager
    async def watch(
        self, path: str, params: Params | None = None, *, idle: float = 660.0
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Lines, one event each, until the server ends it. `idle` is how long it may say nothing, in seconds."""
        patience = aiohttp.ClientTimeout(total=None, sock_connect=self._timeout, sock_read=idle)
        wanted = {**(params or {}), "watch": "true"}
        async with self._answer(_Request("GET", path, wanted, patience)) as answer:
            yield _lines(answer)

    async def create(self, path: str, body: object, params: Params | None = None) -> bytes:
        return await self._ask("POST", path, params, body=body)

    async def update(self, path: str, body: object, params: Params | None = None) -> bytes:
        return await self._ask("PUT", path, params, body=body)

    async def patch(self, path: str, body: object, kind: Patch = "merge", params: Params | None = None) -> bytes:
        """`status` is a merge patch of the object's status."""
        wanted = dict(params or {})
        if kind == "apply":
            wanted = {"fieldManager": AGENT, "force": "true", **wanted}
        place = f"{path}/status" if kind == "status" else path
        return await self._ask("PATCH", place, wanted, body=body, content=_PATCHES[kind])

    async def delete(self, path: str, params: Params | None = None) -> bytes:
        return await self._ask("DELETE", path, params)

    async def _ask(self, method: str, path: str, params: Params | None, **more: Any) -> bytes:
        patience = aiohttp.ClientTimeout(total=self._timeout)
        async with self._answer(_Request(method, path, params or {}, patience, **more)) as answer:
            return await answer.read()

    @asynccontextmanager
    async def _answer(self, request: "_Request") -> AsyncIterator[aiohttp.ClientResponse]:
        """An answer that is a yes. Whatever goes wrong until it is read to its end is said in our own words."""
        try:
            answer = await self._send(request)
            if answer.status == 401 and self._credentials.doubt():
                answer.release()
                answer = await self._send(request)
            async with answer:
                if answer.status >= 400:
                    raise _failure(answer, await answer.read())
                yield answer
        except TimeoutError:
            raise ApiUnavailable(f"{self._access.server} did not answer in time") from None
        except (aiohttp.ClientError, OSError) as why:
            raise ApiUnavailable(f"{self._access.server}: {_reason(why)}") from None

    async def _send(self, request: "_Request") -> aiohttp.ClientResponse:
        if self._session is None:
            raise RuntimeError("use `async with Client(…)`")
        headers = await self._credentials.headers()
        body = request.body
        if body is not None:
            headers.append(("Content-Type", request.content))
        return await self._session.request(
            request.method,
            self._access.server + request.path,
            params=request.params,
            headers=headers,
            data=body if isinstance(body, bytes | None) else msgspec.json.encode(body),
            ssl=await self._credentials.tls(),
            server_hostname=self._access.tls_server_name or None,
            proxy=self._access.proxy_url or None,
            timeout=request.patience,
            read_bufsize=WATCH_BUFFER,
            allow_redirects=False,
        )


async def _lines(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for line in answer.content:
            if not line.endswith(b"\n"):
                raise ApiUnavailable("a watch was cut in the middle of an event")
            yield line
    except LineTooLong:
        raise Gone("an event is longer than we read") from None


class _Request(Struct, frozen=True):
    method: str
    path: str
    params: Params
    patience: aiohttp.ClientTimeout
    body: object = None
    content: str = "application/json"


def failure_of(status: int, message: str, *, retry_after: float = 0.0) -> HeadgateError:
    """A status code, of an answer or of an event in a watch, as one of our failures."""
    match status:
        case 401:
            return Unauthorized(message)
        case 403:
            return Forbidden(message)
        case 404:
            return Missing(message)
        case 409:
            return Conflict(message)
        case 410:
            return Gone(message)
        case 429:
            return TooMany(message, retry_after or 1.0)
        case 503 if retry_after:
            return TooMany(message, retry_after)
        case _ if 400 <= status < 500:
            return Invalid(message)
    return ApiUnavailable(message)


def _failure(answer: aiohttp.ClientResponse, body: bytes) -> HeadgateError:
    try:
        said = msgspec.json.decode(body, type=Status)
    except msgspec.MsgspecError:
        said = Status(message=body[:200].decode(errors="replace").strip())
    header = answer.headers.get("Retry-After", "")
    retry_after = float(header) if header.isdigit() else said.details.retry_after_seconds
    message = said.message or answer.reason or "no reason given"
    return failure_of(answer.status, f"{message} ({answer.status})", retry_after=retry_after)


def _reason(why: Exception) -> str:
    """aiohttp's words, without the address that it repeats."""
    if isinstance(why, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not to be trusted: {why.certificate_error}"
    if isinstance(why, aiohttp.ClientConnectorError):
        return os.strerror(why.os_error.errno) if why.os_error.errno else str(why.os_error)
    if isinstance(why, ssl.SSLError):
        return why.reason or str(why)
    return str(why) or type(why).__name__


def _attentive(address: tuple[Any, ...]) -> socket.socket:
    """A socket that notices within a minute that the other end is gone: a watch is silent for long."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, option):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made
