"""A WebSocket conversation in one call: words out, echoes back."""

import asyncio
from collections.abc import Sequence

import aiohttp

from tests.support.certificates import trusting_client


def converse(port: int, host: str, words: Sequence[str], *, tls: bool = False, target: str = "/") -> list[str]:
    """Say each word and wait for what comes back. Raises `aiohttp.WSServerHandshakeError` when there is no upgrade."""
    return asyncio.run(_converse(port, host, words, tls=tls, target=target))


async def _converse(port: int, host: str, words: Sequence[str], *, tls: bool, target: str) -> list[str]:
    url = f"{'wss' if tls else 'ws'}://127.0.0.1:{port}{target}"
    ssl = trusting_client() if tls else True
    heard = []
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(url, headers={"Host": host}, ssl=ssl, server_hostname=host if tls else None) as socket,
    ):
        for word in words:
            await socket.send_str(word)
            heard.append(await socket.receive_str(timeout=10))
    return heard
