"""An API server that misbehaves on demand: a few objects, list and watch over real HTTP, and faults that are scripted.

What is asked of it and not scripted, it does right: consistent lists in pages of two, watches that go on from a
version, 410 for what was compacted. Changes wait in a backlog until they are flushed, so that a test decides what a
watcher sees, when, in which order, and what is still on its way when a stream ends.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

from aiohttp import web

Manifest: TypeAlias = dict[str, Any]
Name: TypeAlias = tuple[str, str]

PAGE = 2
CUT, HALF, CLOSE = b"cut", b"half", b"close"


class Event:
    def __init__(self, revision: int, kind: str, found: Manifest) -> None:
        self.revision = revision
        self.line = json.dumps({"type": kind, "object": found}).encode() + b"\n"


class ScriptedApi:
    def __init__(self) -> None:
        self.prefix = ""  # of versions: with one, they are no numbers
        self._start()

    def _start(self) -> None:
        self.revision = 1
        self.compacted = 0
        self.requests: list[web.Request] = []
        self.answers: dict[str, deque[str]] = {}  # `list services` → what goes wrong with the next ones
        self._objects: dict[str, dict[Name, Manifest]] = {}
        self._history: dict[str, list[Event]] = {}
        self._sent: dict[str, int] = {}  # how much of the history watchers have been given
        self._streams: dict[str, list[asyncio.Queue[bytes]]] = {}
        self._pages: dict[str, tuple[int, list[Manifest]]] = {}

    def reset(self) -> None:
        """A new cluster, in which nothing ever happened."""
        for plural in list(self._streams):
            self.end(plural, CUT)
        self._start()

    # The cluster

    def put(self, plural: str, found: Manifest) -> None:
        known, name = self._objects.setdefault(plural, {}), _name(found)
        kind = "MODIFIED" if name in known else "ADDED"
        self.revision += 1
        known[name] = {**found, "metadata": {**found["metadata"], "resourceVersion": self._version()}}
        self._note(plural, kind, known[name])

    def drop(self, plural: str, namespace: str, name: str) -> None:
        found = self._objects.get(plural, {}).pop((namespace, name), None)
        if found is not None:
            self.revision += 1
            gone = {**found, "metadata": {**found["metadata"], "resourceVersion": self._version()}}
            self._note(plural, "DELETED", gone)

    def objects(self, plural: str) -> list[Manifest]:
        return list(self._objects.get(plural, {}).values())

    def compact(self) -> None:
        """Everything before now is forgotten, the pages of lists under way included."""
        self.compacted = self.revision
        self._pages.clear()

    # What watchers see

    def flush(self, plural: str, order: str = "straight") -> None:
        """Give watchers what waits: `straight`, `twice`, or each pair `swapped`."""
        waiting = self._history.get(plural, [])[self._sent.get(plural, 0) :]
        self._sent[plural] = len(self._history.get(plural, []))
        if order == "swapped":
            waiting = [each for at in range(0, len(waiting), 2) for each in reversed(waiting[at : at + 2])]
        elif order == "twice":
            waiting = [each for each in waiting for _ in range(2)]
        if waiting:
            self._say(plural, b"".join(each.line for each in waiting))

    def repeat(self, plural: str, back: int) -> None:
        """Say something again that was said before."""
        said = self._history.get(plural, [])[: self._sent.get(plural, 0)]
        if said:
            self._say(plural, said[-1 - back % len(said)].line)

    def bookmark(self, plural: str) -> None:
        history, sent = self._history.get(plural, []), self._sent.get(plural, 0)
        at = self.revision if sent == len(history) else history[sent].revision - 1
        self._say(plural, Event(at, "BOOKMARK", {"metadata": {"resourceVersion": self._version(at)}}).line)

    def error(self, plural: str, code: int) -> None:
        """An ERROR in the middle of a stream."""
        self._say(plural, Event(0, "ERROR", _status(code)).line)

    def end(self, plural: str, how: bytes = CLOSE) -> None:
        """Streams end: in good order, cut, or cut in the middle of a line. What waits is on its way no longer."""
        self._sent[plural] = len(self._history.get(plural, []))
        self._say(plural, how)
        self._streams.pop(plural, None)

    def fail(self, verb: str, plural: str, how: str) -> None:
        self.answers.setdefault(f"{verb} {plural}", deque()).append(how)

    def heal(self) -> None:
        self.answers.clear()
        for plural in self._history:
            self.flush(plural)

    def watchers(self, plural: str) -> int:
        return len(self._streams.get(plural, []))

    def is_said(self, plural: str) -> bool:
        """Nothing waits in our own hands; what a watcher reads next is what it was given."""
        return all(stream.empty() for stream in self._streams.get(plural, []))

    def _note(self, plural: str, kind: str, found: Manifest) -> None:
        self._history.setdefault(plural, []).append(Event(self.revision, kind, found))

    def _version(self, revision: int | None = None) -> str:
        return f"{self.prefix}{self.revision if revision is None else revision}"

    def _say(self, plural: str, what: bytes) -> None:
        for stream in self._streams.get(plural, []):
            stream.put_nowait(what)

    # HTTP

    def application(self) -> web.Application:
        made = web.Application()
        for root in ("/api/v1", "/apis/{group}/{version}"):
            made.router.add_get(root + "/{plural}", self._collection)
            made.router.add_get(root + "/namespaces/{namespace}/{plural}", self._collection)
            made.router.add_get(root + "/namespaces/{namespace}/{plural}/{name}", self._single)
        return made

    async def _single(self, request: web.Request) -> web.Response:
        about = request.match_info
        found = self._objects.get(about["plural"], {}).get((about["namespace"], about["name"]))
        return web.json_response(found) if found is not None else _failure(404)

    async def _collection(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        plural, verb = request.match_info["plural"], "watch" if request.query.get("watch") else "list"
        script = self.answers.get(f"{verb} {plural}")
        how = script.popleft() if script else ""
        if how.isdigit():
            return _failure(int(how))
        return await (self._watch(request, plural, how) if verb == "watch" else self._list(request, plural, how))

    async def _list(self, request: web.Request, plural: str, how: str) -> web.StreamResponse:
        token = request.query.get("continue", "")
        revision, items = self._pages.pop(token, (0, [])) if token else (self.revision, self.objects(plural))
        if token and (not revision or how == "expired"):
            return _failure(410)
        metadata = {"resourceVersion": self._version(revision)}
        if len(items) > PAGE:
            metadata["continue"] = f"{revision}-{plural}-{len(items)}-{len(self.requests)}"
            self._pages[metadata["continue"]] = (revision, items[PAGE:])
        body = json.dumps({"metadata": metadata, "items": items[:PAGE]}).encode()
        return await _cut_short(request, body) if how == "cut" else web.Response(body=body)

    async def _watch(self, request: web.Request, plural: str, how: str) -> web.StreamResponse:
        since = int(request.query["resourceVersion"].removeprefix(self.prefix))
        if since < self.compacted and how != "late 410":
            return _failure(410)
        stream: asyncio.Queue[bytes] = asyncio.Queue()
        if since < self.compacted:
            stream.put_nowait(Event(0, "ERROR", _status(410)).line)
        elif how == "instant":
            stream.put_nowait(CLOSE)
        else:
            sent = self._history.get(plural, [])[: self._sent.get(plural, 0)]
            stream.put_nowait(b"".join(each.line for each in sent if each.revision > since))
        self._streams.setdefault(plural, []).append(stream)
        response = web.StreamResponse()
        with suppress(ConnectionError):  # the watcher went away
            await response.prepare(request)
            await _pour(request, response, stream)
        if stream in self._streams.get(plural, []):
            self._streams[plural].remove(stream)
        return response


async def _pour(request: web.Request, response: web.StreamResponse, stream: asyncio.Queue[bytes]) -> None:
    while (what := await stream.get()) != CLOSE:
        if what in (CUT, HALF):
            if what == HALF:
                await response.write(b'{"type":"ADDED","object":{"meta')
            if request.transport is not None:
                request.transport.abort()
            return
        if what:
            await response.write(what)
    await response.write_eof()


async def _cut_short(request: web.Request, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.abort()
    return response


def _name(found: Manifest) -> Name:
    return (found["metadata"].get("namespace", ""), found["metadata"]["name"])


def _status(code: int) -> Manifest:
    return {"kind": "Status", "status": "Failure", "message": f"scripted {code}", "code": code}


def _failure(code: int) -> web.Response:
    headers = {"Retry-After": "0"} if code == 429 else {"Retry-After": "1"} if code == 503 else {}
    return web.json_response(_status(code), status=code, headers=headers)


@asynccontextmanager
async def scripted_api() -> AsyncIterator[tuple[ScriptedApi, str]]:
    """The server, and its address."""
    made = ScriptedApi()
    runner = web.AppRunner(made.application(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield made, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
