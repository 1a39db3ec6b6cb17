"""The client over real HTTP and TLS: what it sends, what it makes of answers, and whom it trusts."""

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from aiohttp import web

from headgate.cluster.kube.access import Access, Plugin
from headgate.cluster.kube.client import Client
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
    Unusable,
)
from tests.support.authority import Authority
from tests.support.ports import claim

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        yield f"{'https' if context else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def echo(request: web.Request) -> web.Response:
    return web.json_response(
        {
            "method": request.method,
            "path": request.path_qs,
            "headers": [list(pair) for pair in request.headers.items()],
            "body": (await request.read()).decode(),
        }
    )


async def echoed(access: Access, *asked: str, verb: str = "get", body: Any = None, **more: Any) -> Any:
    async with Client(access, timeout=5) as client:
        arguments = (asked or ("/api",))[0]
        ask = getattr(client, verb)
        return msgspec.json.decode(await (ask(arguments, body, **more) if body is not None else ask(arguments, **more)))


def headers(told: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in told["headers"]}


async def test_what_is_sent() -> None:
    async with serving(echo) as server:
        access = Access(server=server, token="abc")
        told = await echoed(access, "/api/v1/services", params={"limit": "5"})
        assert (told["method"], told["path"]) == ("GET", "/api/v1/services?limit=5")
        assert headers(told)["authorization"] == "Bearer abc"
        assert headers(told)["accept"] == "application/json"
        told = await echoed(access, "/x", verb="create", body={"a": 1})
        assert (told["method"], told["body"]) == ("POST", '{"a":1}')
        assert headers(told)["content-type"] == "application/json"
        assert (await echoed(access, "/x", verb="update", body={}))["method"] == "PUT"
        assert (await echoed(access, "/x", verb="delete"))["method"] == "DELETE"


@pytest.mark.parametrize(
    ("kind", "content", "path"),
    [
        ("merge", "application/merge-patch+json", "/x"),
        ("strategic", "application/strategic-merge-patch+json", "/x"),
        ("status", "application/merge-patch+json", "/x/status"),
        ("apply", "application/apply-patch+yaml", "/x?fieldManager=headgate&force=true"),
    ],
)
async def test_patches_of_every_kind(kind: str, content: str, path: str) -> None:
    async with serving(echo) as server:
        told = await echoed(Access(server=server), "/x", verb="patch", body={"a": None}, kind=kind)
        assert (told["method"], headers(told)["content-type"], told["path"]) == ("PATCH", content, path)
        assert told["body"] == '{"a":null}'


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (400, Invalid),
        (401, Unauthorized),
        (403, Forbidden),
        (404, Missing),
        (409, Conflict),
        (410, Gone),
        (422, Invalid),
        (429, TooMany),
        (500, ApiUnavailable),
        (503, ApiUnavailable),
    ],
)
async def test_every_no_is_one_of_our_failures_with_the_words_of_the_server(
    status: int, failure: type[HeadgateError]
) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.json_response({"kind": "Status", "message": "because"}, status=status)

    async with serving(refuse) as server, Client(Access(server=server)) as client:
        with pytest.raises(failure, match="because"):
            await client.get("/x")
        with pytest.raises(failure, match="because"):
            async with client.watch("/x"):
                pass


async def test_how_long_to_leave_the_server_alone() -> None:
    answers = [
        web.Response(status=429, headers={"Retry-After": "7"}),
        web.json_response({"details": {"retryAfterSeconds": 3}}, status=429),
        web.Response(status=503, headers={"Retry-After": "5"}),
        web.Response(status=429, text="slow down"),
    ]

    async def busy(_: web.Request) -> web.Response:
        return answers.pop(0)

    async with serving(busy) as server, Client(Access(server=server)) as client:
        for seconds in (7, 3, 5, 1):
            with pytest.raises(TooMany) as why:
                await client.get("/x")
            assert why.value.retry_after == seconds


async def test_nobody_there() -> None:
    async with Client(Access(server=f"http://127.0.0.1:{claim()}")) as client:
        with pytest.raises(ApiUnavailable, match="Connection refused"):
            await client.get("/x")


async def test_a_server_that_does_not_answer() -> None:
    async def hang(_: web.Request) -> web.Response:
        await asyncio.sleep(10)
        return web.Response()

    async with serving(hang) as server, Client(Access(server=server), timeout=0.1) as client:
        with pytest.raises(ApiUnavailable, match="did not answer in time"):
            await client.get("/x")
        with pytest.raises(ApiUnavailable, match="did not answer in time"):
            async with client.watch("/x", idle=0.1):
                pass


async def test_a_list_comes_in_pages_until_there_are_no_more() -> None:
    async def pages(request: web.Request) -> web.Response:
        at = int(request.query.get("continue", "0"))
        assert request.query["limit"] == "2"
        assert request.query["labelSelector"] == "a=b"
        return web.json_response({"metadata": {"continue": str(at + 1) if at < 2 else ""}, "items": [at]})

    async with serving(pages) as server, Client(Access(server=server)) as client:
        found = [msgspec.json.decode(page) async for page in client.list_pages("/x", {"labelSelector": "a=b"}, page=2)]
        assert [page["items"] for page in found] == [[0], [1], [2]]


def stream(*chunks: bytes, cut: bool = False) -> Handler:
    async def pour(request: web.Request) -> web.StreamResponse:
        assert request.query["watch"] == "true"
        response = web.StreamResponse()
        await response.prepare(request)
        for chunk in chunks:
            await response.write(chunk)
        if cut and request.transport is not None:
            request.transport.abort()
        return response

    return pour


async def lines_of(handler: Handler, found: list[bytes] | None = None, *, idle: float = 60.0) -> list[bytes]:
    """All of them; `found` has those that came before something went wrong."""
    found = [] if found is None else found
    async with (
        serving(handler) as server,
        Client(Access(server=server)) as client,
        client.watch("/x", idle=idle) as lines,
    ):
        async for line in lines:
            found += [line]
    return found


async def test_a_watch_gives_whole_lines_however_they_arrive() -> None:
    assert await lines_of(stream(b"one\ntw", b"o\n", b"three\n")) == [b"one\n", b"two\n", b"three\n"]


async def test_a_line_as_long_as_an_object_may_be_is_read() -> None:
    (line,) = await lines_of(stream(b"x" * 3_000_000 + b"\n"))
    assert len(line) == 3_000_001


async def test_a_line_longer_than_we_read_means_list_again() -> None:
    with pytest.raises(Gone, match="longer than we read"):
        await lines_of(stream(b"x" * 6_000_000 + b"\n"))


async def test_a_line_without_its_end_was_cut() -> None:
    with pytest.raises(ApiUnavailable, match="cut in the middle"):
        await lines_of(stream(b"one\n", b"tw"))


async def test_a_stream_that_is_torn_is_said() -> None:
    with pytest.raises(ApiUnavailable):
        await lines_of(stream(b"one\n", cut=True))


async def test_a_silent_watch_ends_after_its_time() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"one\n")
        await asyncio.sleep(10)
        return response

    found: list[bytes] = []
    with pytest.raises(ApiUnavailable, match="did not answer in time"):
        await lines_of(silent, found, idle=0.2)
    assert found == [b"one\n"]


# Who we are


async def test_a_token_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old\n")
    async with serving(echo) as server, Client(Access(server=server, token_file=str(token))) as client:
        seen = [headers(msgspec.json.decode(await client.get("/x")))["authorization"]]
        fresh = tmp_path / "fresh"
        fresh.write_text("new\n")
        fresh.replace(token)
        seen.append(headers(msgspec.json.decode(await client.get("/x")))["authorization"])
        token.unlink()  # in the middle of a rotation
        seen.append(headers(msgspec.json.decode(await client.get("/x")))["authorization"])
        assert seen == ["Bearer old", "Bearer new", "Bearer new"]


async def test_after_a_401_the_token_is_read_once_more_and_the_request_repeated(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    asked: list[str] = []

    async def door(request: web.Request) -> web.Response:
        asked.append(request.headers["Authorization"])
        if request.headers["Authorization"] == "Bearer new":
            return web.json_response({})
        token.write_text("new")  # as if it had rotated just now
        return web.Response(status=401)

    async with serving(door) as server, Client(Access(server=server, token_file=str(token))) as client:
        await client.get("/x")
        assert asked == ["Bearer old", "Bearer new"]


async def test_a_fixed_token_that_is_refused_is_not_tried_twice() -> None:
    asked: list[str] = []

    async def door(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=401)

    async with serving(door) as server, Client(Access(server=server, token="abc")) as client:
        with pytest.raises(Unauthorized):
            await client.get("/x")
        assert len(asked) == 1


async def test_a_token_file_that_is_not_there(tmp_path: Path) -> None:
    async with serving(echo) as server, Client(Access(server=server, token_file=str(tmp_path / "no"))) as client:
        with pytest.raises(Unusable, match="no: cannot be read: No such file"):
            await client.get("/x")


async def test_other_ways_to_say_who_we_are() -> None:
    async with serving(echo) as server:
        told = await echoed(Access(server=server, username="me", password="x"))
        assert headers(told)["authorization"] == "Basic bWU6eA=="
        told = await echoed(Access(server=server, token="a", impersonated="jane", impersonated_groups=("tea", "cake")))
        assert headers(told)["impersonate-user"] == "jane"
        assert [value for name, value in told["headers"] if name == "Impersonate-Group"] == ["tea", "cake"]


def plugin(tmp_path: Path, status: dict[str, Any], *, version: str = "v1", **more: Any) -> Plugin:
    """A program that gives this out, counts how often it was asked, and keeps the question."""
    protocol = f"client.authentication.k8s.io/{version}"
    answer = {"apiVersion": protocol, "kind": "ExecCredential", "status": status}
    program = tmp_path / "login.py"
    program.write_text(
        f"import os, pathlib\n"
        f"with open({str(tmp_path / 'asked')!r}, 'a') as file: file.write('x')\n"
        f"pathlib.Path({str(tmp_path / 'question')!r}).write_text(os.environ['KUBERNETES_EXEC_INFO'])\n"
        f"print({msgspec.json.encode(answer).decode()!r})\n"
    )
    return Plugin(sys.executable, protocol, (str(program),), **more)


def asked(tmp_path: Path) -> int:
    return len((tmp_path / "asked").read_text())


def stamp(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_a_plugin_is_asked_once_for_as_long_as_its_answer_is_good(tmp_path: Path, version: str) -> None:
    made = plugin(tmp_path, {"token": "issued", "expirationTimestamp": stamp(3600)}, version=version)
    async with serving(echo) as server, Client(Access(server=server, plugin=made)) as client:
        told = await asyncio.gather(*(client.get("/x") for _ in range(5)))
        assert {headers(msgspec.json.decode(each))["authorization"] for each in told} == {"Bearer issued"}
    assert asked(tmp_path) == 1
    question = msgspec.json.decode((tmp_path / "question").read_bytes())
    assert question["apiVersion"] == f"client.authentication.k8s.io/{version}"
    assert question["spec"] == {"interactive": False}


async def test_a_plugin_is_asked_again_when_its_answer_is_over(tmp_path: Path) -> None:
    made = plugin(tmp_path, {"token": "issued", "expirationTimestamp": stamp(-1)})
    async with serving(echo) as server, Client(Access(server=server, plugin=made)) as client:
        await client.get("/x")
        before = asked(tmp_path)
        await client.get("/x")
        assert asked(tmp_path) > before


async def test_a_plugin_is_asked_again_when_the_server_refuses_what_it_gave(tmp_path: Path) -> None:
    answers = [401, 200]

    async def door(_: web.Request) -> web.Response:
        return web.Response(status=answers.pop(0))

    made = plugin(tmp_path, {"token": "issued"})
    async with serving(door) as server, Client(Access(server=server, plugin=made)) as client:
        await client.get("/x")
    assert asked(tmp_path) == 2


async def test_a_plugin_that_wants_to_know_hears_of_the_cluster(tmp_path: Path) -> None:
    made = plugin(tmp_path, {"token": "issued"}, tells_cluster=True)
    async with serving(echo) as server, Client(Access(server=server, plugin=made, authority="CA")) as client:
        await client.get("/x")
        question = msgspec.json.decode((tmp_path / "question").read_bytes())
        assert question["spec"]["cluster"] == {"server": server, "certificate-authority-data": "Q0E="}


@pytest.mark.parametrize(
    ("made", "failure", "sentence"),
    [
        (Plugin("no-such-login", "v1", hint="get it"), Unusable, "cannot be run .No such file or directory.: get it"),
        (Plugin("sh", "v1", ("-c", "echo no >&2; exit 3")), ApiUnavailable, "ended with 3: no"),
        (Plugin("sh", "v1", ("-c", "echo words")), ApiUnavailable, "gave no ExecCredential"),
        (Plugin("sh", "v1", ("-c", "echo '{}'")), ApiUnavailable, "answered with nothing of no version, not v1"),
        (
            Plugin("sh", "v1", ("-c", """echo '{"apiVersion":"v1","kind":"ExecCredential","status":{}}'""")),
            ApiUnavailable,
            "neither a token nor a certificate",
        ),
    ],
)
async def test_a_plugin_that_fails_is_said_in_a_sentence(
    made: Plugin, failure: type[HeadgateError], sentence: str
) -> None:
    async with serving(echo) as server, Client(Access(server=server, plugin=made)) as client:
        with pytest.raises(failure, match=sentence):
            await client.get("/x")


# Whom we trust, and how they know us


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def context_of(authority: Authority, *names: str, clients: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.server(*names))
    if clients:
        context.load_verify_locations(authority.file)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


async def test_the_server_must_be_who_it_says(authority: Authority, tmp_path: Path) -> None:
    async with serving(echo, context_of(authority, "127.0.0.1")) as server:
        assert await echoed(Access(server=server, authority=authority.pem))
        assert await echoed(Access(server=server, authority_file=str(authority.file)))
        assert await echoed(Access(server=server, insecure=True))
        with pytest.raises(ApiUnavailable, match="not to be trusted"):
            await echoed(Access(server=server))
        with pytest.raises(ApiUnavailable, match="not to be trusted"):
            await echoed(Access(server=server, authority=Authority(tmp_path).pem))


async def test_a_server_may_have_another_name_than_its_address(authority: Authority) -> None:
    async with serving(echo, context_of(authority, "kubernetes")) as server:
        assert await echoed(Access(server=server, authority=authority.pem, tls_server_name="kubernetes"))
        with pytest.raises(ApiUnavailable, match="not to be trusted"):
            await echoed(Access(server=server, authority=authority.pem))


async def test_client_certificates_from_files_inline_and_from_a_plugin(authority: Authority, tmp_path: Path) -> None:
    async def who(request: web.Request) -> web.Response:
        assert request.transport is not None
        return web.json_response({"who": request.transport.get_extra_info("peercert")["subject"][-1][0][1]})

    crt, key = authority.client("me")
    ca = authority.pem
    issued = {"clientCertificateData": crt.read_text(), "clientKeyData": key.read_text()}
    async with serving(who, context_of(authority, "127.0.0.1", clients=True)) as server:
        for access in (
            Access(server=server, authority=ca, certificate_file=str(crt), key_file=str(key)),
            Access(server=server, authority=ca, certificate=crt.read_text(), key=key.read_text()),
            Access(server=server, authority=ca, plugin=plugin(tmp_path, issued)),
        ):
            assert await echoed(access) == {"who": "me"}
        with pytest.raises(ApiUnavailable):
            await echoed(Access(server=server, authority=ca))


async def test_a_client_certificate_that_is_renewed_in_its_file_is_used(authority: Authority, tmp_path: Path) -> None:
    async def who(request: web.Request) -> web.Response:
        assert request.transport is not None
        told = request.transport.get_extra_info("peercert")["subject"][-1][0][1]
        return web.json_response({"who": told}, headers={"Connection": "close"})

    crt, key = tmp_path / "crt", tmp_path / "key"

    def become(user: str) -> None:
        made = authority.client(user)
        crt.write_bytes(made[0].read_bytes())
        key.write_bytes(made[1].read_bytes())

    async with serving(who, context_of(authority, "127.0.0.1", clients=True)) as server:
        access = Access(server=server, authority=authority.pem, certificate_file=str(crt), key_file=str(key))
        become("before")
        async with Client(access) as client:
            assert msgspec.json.decode(await client.get("/x")) == {"who": "before"}
            become("after")
            assert msgspec.json.decode(await client.get("/x")) == {"who": "after"}


async def test_certificates_that_are_none(tmp_path: Path) -> None:
    async with Client(Access(server="https://127.0.0.1:1", authority="not PEM")) as client:
        with pytest.raises(Unusable, match="certificates for the API server cannot be used"):
            await client.get("/x")


async def test_through_a_proxy() -> None:
    """A plain one is asked for the whole address."""
    seen: list[str] = []

    async def proxy(request: web.Request) -> web.Response:
        seen.append(str(request.url))
        return web.json_response({})

    async with serving(proxy) as address:
        await echoed(Access(server="http://api.example.com:6443", proxy_url=address), "/x")
    assert seen == ["http://api.example.com:6443/x"]
