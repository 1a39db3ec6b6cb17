"""Effects on the way to the backend: timeouts, bodies, buffers, headers, and the choice among endpoints."""

from collections.abc import Callable, Mapping

from tests.nginx.effects import Effect, Side, answered_by, shows, two
from tests.support.backends import Exchange, Handler, echo, hang_up
from tests.support.manifests import Manifest, behind

_LARGE = 8 << 20  # more than the kernel keeps for a reader that does not read
ROUND_ROBIN = {"lb-method": "round_robin"}


def _silent(side: Side) -> Handler:
    async def handler(exchange: Exchange) -> None:
        await exchange.body()
        await side.release.wait()

    return handler


def _unread(side: Side) -> Handler:
    async def handler(exchange: Exchange) -> None:
        await side.release.wait()

    return handler


def _waits(side: Side) -> Handler:
    async def handler(exchange: Exchange) -> None:
        await side.release.wait()
        await echo(exchange)

    return handler


def _drips(side: Side) -> Handler:
    """With a length: pieces of a chunked answer are passed on as they come, buffering or not."""

    async def handler(exchange: Exchange) -> None:
        await exchange.begin(200, ("Content-Length", "1000"))
        await exchange.send(b"the first piece\n")
        await side.release.wait()
        await exchange.send(b"x" * (1000 - len("the first piece\n")))

    return handler


def _pours(side: Side) -> Handler:
    async def handler(exchange: Exchange) -> None:
        await exchange.answer(200, b"x" * _LARGE)

    return handler


def _deaf(side: Side) -> list[Manifest]:
    return behind(side.service, side.stage.deaf())


def _gives_up_first(body: bytes = b"") -> Callable[[Side, Side], None]:
    """The one is told that its backend takes too long, while the other still waits."""

    def contrast(having: Side, lacking: Side) -> None:
        with having.site.line() as hasty, lacking.site.line() as patient:
            lacking.send(patient, method="POST", body=body)
            having.send(hasty, method="POST", body=body)
            assert hasty.read().status == 504
            assert patient.is_silent()
        having.release.set()
        lacking.release.set()

    return contrast


def _streams(having: Side, lacking: Side) -> None:
    with having.site.line() as streaming, lacking.site.line() as waiting:
        lacking.send(waiting)
        lacking.arrived(1)
        having.send(streaming)
        while b"the first piece" not in streaming.read_line():
            pass
        assert waiting.is_silent()
        having.release.set()
        lacking.release.set()
        assert b"the first piece" in waiting.read().body


def _fits_in_memory(having: Side, lacking: Side) -> None:
    """A client that reads late: what does not fit into the buffers goes to a file, and nginx says so."""
    word = "upstream response is buffered to a temporary file"
    with (
        having.site.line(receive_buffer=4096) as within,
        lacking.site.line(receive_buffer=4096) as beyond,
    ):
        having.send(within)
        lacking.send(beyond)
        lacking.site.gate.until(lambda: lacking.site.gate.nginx_lines(word, lacking.host), what="a file")
        assert len(within.read().body) == _LARGE
        assert len(beyond.read().body) == _LARGE
    assert not having.site.gate.nginx_lines(word, having.host)


def _one_at_a_time(having: Side, lacking: Side) -> None:
    with having.site.line() as first, having.site.line() as second:
        having.send(first)
        having.arrived(1)
        having.send(second)
        assert second.read().status == 502
        having.release.set()
        assert first.read().status == 200
    with lacking.site.line() as first, lacking.site.line() as second:
        lacking.send(first)
        lacking.send(second)
        lacking.arrived(2)
        lacking.release.set()
        assert [first.read().status, second.read().status] == [200, 200]


def _is_tried_again_sooner(having: Side, lacking: Side) -> None:
    bad, other = having.backends["two"].seen, lacking.backends["two"].seen

    def tried_twice() -> bool:
        assert {having.ask().backend, lacking.ask().backend} == {"one"}
        return len(bad) > 1

    having.site.gate.until(tried_twice, what="a second chance for the bad endpoint")
    assert len(other) == 1


def _who_answers(side: Side) -> int:
    return len({side.ask("/always/the/same").backend for _ in range(24)})


def _is_ever_rested(side: Side) -> bool:
    for _ in range(20):
        assert side.ask().backend == "one"
    return len(side.backends["two"].seen) < 3


def _connections_are_kept(side: Side) -> bool:
    for _ in range(12):
        assert side.ask().status == 200
    return side.backends["web"].connections < 12


def _status_of_2000_bytes(side: Side) -> int:
    return side.ask(method="POST", body=b"x" * 2000).status


def _received(side: Side) -> list[str]:
    return side.ask().received("X-Probe")


def _shown(side: Side) -> str | None:
    return side.ask("/?header=X-Answer:here").header("X-Answer")


def _status_of_a_long_header(side: Side) -> int:
    return side.ask("/?pad=6000").status


PROXY_EFFECTS: Mapping[str, Effect] = {
    "proxy-connect-timeout": Effect("200ms", _gives_up_first(), neutral="60s", behind=_deaf),
    "proxy-read-timeout": Effect("200ms", _gives_up_first(), neutral="60s", behind=answered_by(_silent)),
    "proxy-send-timeout": Effect(
        "300ms",
        _gives_up_first(b"x" * (2 * _LARGE)),
        neutral="60s",
        behind=answered_by(_unread, receive_buffer=4096),
        beside={"client-max-body-size": "0"},
    ),
    "client-max-body-size": Effect("1k", shows(_status_of_2000_bytes, here=413, there=200), neutral="1m"),
    "proxy-buffering": Effect("false", _streams, neutral="true", behind=answered_by(_drips)),
    "proxy-buffers": Effect("64 256k", _fits_in_memory, neutral="8 4k", behind=answered_by(_pours)),
    "proxy-buffer-size": Effect("8k", shows(_status_of_a_long_header, here=200, there=502), neutral="4k"),
    "proxy-set-headers": Effect("X-Probe: here", shows(_received, here=["here"], there=[])),
    "proxy-hide-headers": Effect("X-Answer", shows(_shown, here=None, there="here"), neutral="X-Something-Else"),
    "lb-method": Effect(
        "hash $request_uri", shows(_who_answers, here=1, there=2), neutral="random two least_conn", behind=two()
    ),
    "keepalive": Effect("0", shows(_connections_are_kept, here=False, there=True), neutral="16"),
    "max-fails": Effect(
        "0", shows(_is_ever_rested, here=False, there=True), neutral="1", behind=two(echo, hang_up), beside=ROUND_ROBIN
    ),
    "fail-timeout": Effect(
        "1s", _is_tried_again_sooner, neutral="10s", behind=two(echo, hang_up), beside=ROUND_ROBIN
    ),
    "max-conns": Effect("1", _one_at_a_time, behind=answered_by(_waits)),
}  # fmt: skip
