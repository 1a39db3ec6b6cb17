"""The reader of nginx's syntax that judges our printing is itself held against a real nginx."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.safety import oracle
from tests.safety.amounts import STEADY
from tests.support.nginx_tokens import Broken, first, read

pytestmark = pytest.mark.nginx

# Everything that means something to nginx somewhere, and a few things that do not.
_PIECES = st.sampled_from(
    [
        b"a", b"b", b"t", b"n", b"r", b"x9", b" ", b"\t", b"\n", b"\r", b";", b"{", b"}", b'"', b"'", b"\\", b"$", b"#", b"${", b"${{",
        b")", b"(", b"~", b"=", b"/", b"\x85", b"\x00", b"\xff", "é".encode(), "\u2028".encode(),
    ]
)  # fmt: skip
_RAW = st.lists(_PIECES, max_size=14).map(b"".join)

_HAND_MADE = [
    b"", b" \n ", b"# only a comment", b"# a\n#b\nc;", b"a#b c;", b'a"b c;', b"a'b' c;", b"a}b;", b"}", b"a }", b";", b"{",
    b"a b {", b"a {}", b"${{ x;", b"$x{;", b"a$ {", b"a$\\{ b;", b'"a"b;', b'"a");', b'"a")b";', b'"a"#;', b'"a', b"'a\\'",
    b"\\;a;", b"\\", b"a\\", b"\\\n;", b'"\\"";', b'"\\\\";', b'"\\n\\t\\r\\x";', b"a\\ b;", b"a\rb;", b"a\x00b;", b"a\x85b;",
    b'"a" # c\n;', b"a # c", b"a;}", b'"";', b"'';", b"a\\\nb;",
]  # fmt: skip


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with oracle.folder() as made:
        yield made


def _predicted(raw: bytes) -> bytes:
    """What nginx will say about a file that begins with these bytes."""
    try:
        name = first(raw)
    except Broken as why:
        return str(why).encode(errors="surrogateescape")
    if name is None:
        return b'no "events" section in configuration'
    return b'unknown directive "%s"' % name.encode(errors="surrogateescape").partition(b"\0")[0]


def _found(home: Path, raw: bytes) -> bytes:
    found, *_ = oracle.said(home, raw, level="emerg")
    return b"too long parameter" if found.startswith(b"too long parameter") else found


@pytest.mark.parametrize("raw", _HAND_MADE, ids=repr)
def test_the_first_directive_ends_where_nginx_ends_it(home: Path, raw: bytes) -> None:
    assert _predicted(raw) == _found(home, raw)


def test_the_first_directive_of_any_text_ends_where_nginx_ends_it(home: Path) -> None:
    @settings(STEADY, max_examples=250)
    @given(_RAW)
    def holds(raw: bytes) -> None:
        assert _predicted(raw) == _found(home, raw)

    holds()


@pytest.mark.parametrize("length", [4093, 4094, 4095, 4096])
@pytest.mark.parametrize("end", [b";", b" ;", b"\n\n;", b"{", b""])
@pytest.mark.parametrize("quote", [b"", b'"'])
def test_words_are_too_long_where_nginx_says_so(home: Path, length: int, end: bytes, quote: bytes) -> None:
    for before in (b"", b"# long enough to lie across a border of nginx's buffer\n" * 60):
        raw = before + quote + b"a" * length + quote + end
        predicted, found = _predicted(raw), _found(home, raw)
        assert predicted[:40] == found[:40]  # nginx cuts what it quotes


@pytest.mark.parametrize("length", [4094, 4095, 4096])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\nb;"])
def test_comments_are_too_long_where_nginx_says_so(home: Path, length: int, end: bytes) -> None:
    raw = b"#" + b"a" * (length - 1) + end
    assert _predicted(raw) == _found(home, raw)


_WORD = st.lists(_PIECES.filter(lambda piece: piece != b"\0"), min_size=1, max_size=8).map(b"".join)


def test_every_word_of_every_directive_is_the_word_that_nginx_reads(home: Path) -> None:
    """`types` takes any words, and says each of them again when it meets it twice."""

    @settings(STEADY, max_examples=60)
    @given(st.lists(st.lists(_WORD, min_size=1, max_size=4), min_size=1, max_size=20))
    def holds(lines: list[list[bytes]]) -> None:
        sound = b"".join(line for words in lines if (line := b" ".join(words) + b";\n") and _is_one_line(line))
        text = b"types {\n" + sound + b"}\n"
        said = oracle.said(home, b"events {} http {" + text + text + b"}", level="warn")
        assert said == _repeated(text + text)

    holds()


def _is_one_line(raw: bytes) -> bool:
    try:
        found = read(raw)
    except Broken:
        return False
    return all(each.block is None and each.words[0] != "include" for each in found)


def _repeated(text: bytes) -> list[bytes]:
    known: dict[bytes, bytes] = {}
    said = []
    for block in read(text):
        for directive in block.block or ():
            kind, *names = (word.encode(errors="surrogateescape") for word in directive.words)
            for name in (each.lower() for each in names):
                if name in known:
                    said.append(
                        b'duplicate extension "%s", content type: "%s", previous content type: "%s"'
                        % (name, kind, known[name])
                    )
                known[name] = kind
    return said


_SPELLED = [
    b"plain", b'"two words"', b"'two words'", b'"; } server { listen 1; } #"', b"'\"'", b'"\'"', b'"\\"\\\\\\"\\\\"',
    b"'a\\nb\\tc\\rd\\xe'", b'"${x} $y $"', b"${{x}}", b"a\\;b\\{c\\}", b'"a\nb"', b'"a\r\nb"', b"'#'", b"a#b", b'"a\x00b"',
    b"a\x00b", '"é \u2028 \u0085 😀"'.encode(), b'"\xff\xfe"', b'"' + b"x" * 4094 + b'"', b"x" * 4095, b'"' + b"\\\\" * 2047 + b'"',
]  # fmt: skip


def test_values_come_over_the_wire_as_they_were_read(home: Path) -> None:
    numbers = count()
    values: dict[str, bytes] = {f"h{next(numbers)}": raw for raw in _SPELLED}

    @settings(STEADY, max_examples=300)
    @given(_WORD)
    def gather(raw: bytes) -> None:
        if _is_one_value(raw):
            values[f"r{next(numbers)}"] = raw

    gather()
    expected = {name: _value(raw) for name, raw in values.items()}
    assert len(values) > 100
    assert oracle.served(home, values) == expected


def _is_one_value(raw: bytes) -> bool:
    try:
        (block,) = read(b"geo { default " + raw + b"; }\n")
    except (Broken, ValueError):
        return False
    return [(len(each.words), each.block) for each in block.block or ()] == [(2, None)]


def _value(raw: bytes) -> bytes:
    return read(b"default " + raw + b";")[0].words[1].encode(errors="surrogateescape")
