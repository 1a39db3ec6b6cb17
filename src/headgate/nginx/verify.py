"""Ask nginx which generation it serves: the number stands in one small file, a worker reads it back over a socket.

`version_file` is the only file that carries the number, so that a pass which changes nothing changes no other text.
Each question is a fresh connection: for a moment after a reload workers of two generations answer, and one that is
closing may reset the connection, which is no answer, not an error.
"""

import asyncio
import re

from headgate.model.fileset import Block, File, file_of
from headgate.model.layout import Layout
from headgate.render.printer import emit

PATIENCE = 2.0  # for one answer: a worker that is up answers in well under a millisecond
NUMBER = re.compile(r'return 200 "(\d+)"')


def version_file(layout: Layout, generation: int) -> File:
    """`return` answers before any access rule that an http snippet may bring."""
    text = f"""\
server {{
    listen {emit(f"unix:{layout.version_socket}")};
    access_log off;
    location = /configVersion {{
        default_type text/plain;
        return 200 "{generation}";
    }}
}}
"""
    return file_of(Block(None, text))


def number_in(text: str | None) -> int | None:
    """The generation that a version file on disk carries."""
    match = NUMBER.search(text or "")
    return int(match[1]) if match else None


async def ask(path: str) -> int | None:
    """The generation of the worker that answers; None when none does."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await answer(path)
    except (OSError, TimeoutError):
        return None


async def answer(path: str) -> int | None:
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        writer.write(b"GET /configVersion HTTP/1.0\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    return int(body) if head.split(b" ", 2)[1:2] == [b"200"] and body.isdigit() else None
