"""Go's way with flags."""

import pytest

from headgate.cli.go_flags import BOOL, DURATION, INT, STRING, HelpWanted, WrongUsage, split

KINDS = {"on": BOOL, "name": STRING, "port": INT, "wait": DURATION}


@pytest.mark.parametrize(
    "argv",
    [["-name=web"], ["--name=web"], ["-name", "web"], ["--name", "web"], ["-name=other", "-name=web"]],
)
def test_one_dash_or_two_with_or_without_an_equals_sign_and_the_last_one_counts(argv: list[str]) -> None:
    assert split(argv, KINDS).texts == {"name": "web"}


def test_a_value_may_be_empty_or_hold_an_equals_sign() -> None:
    assert split(["-name="], KINDS).texts == {"name": ""}
    assert split(["-name=a=b"], KINDS).texts == {"name": "a=b"}


def test_a_value_may_look_like_a_flag() -> None:
    assert split(["-name", "-on"], KINDS).texts == {"name": "-on"}


def test_a_bool_takes_its_value_only_behind_the_equals_sign() -> None:
    assert split(["-on", "-name=web"], KINDS).texts == {"on": "true", "name": "web"}
    assert split(["-on=false"], KINDS).texts == {"on": "false"}
    found = split(["-on", "false", "-name=web"], KINDS)
    assert (found.texts, found.rest) == ({"on": "true"}, ("false", "-name=web"))


@pytest.mark.parametrize("end", ["--", "word", "-", ""])
def test_the_first_word_that_is_no_flag_ends_them(end: str) -> None:
    found = split(["-on", end, "-name=web"], KINDS)
    assert found.texts == {"on": "true"}
    assert found.rest == (("-name=web",) if end == "--" else (end, "-name=web"))


@pytest.mark.parametrize("word", ["---name=web", "-=web", "--=web"])
def test_what_is_no_flag_at_all(word: str) -> None:
    with pytest.raises(WrongUsage, match="is no flag"):
        split([word], KINDS)


def test_an_unknown_flag_is_told_the_nearest_known_one() -> None:
    with pytest.raises(WrongUsage, match="there is no flag -nam; did you mean -name"):
        split(["-nam=web"], KINDS)


def test_a_flag_without_its_value() -> None:
    with pytest.raises(WrongUsage, match="-name wants a value"):
        split(["-on", "-name"], KINDS)


@pytest.mark.parametrize("word", ["-h", "--h", "-help", "--help"])
def test_help(word: str) -> None:
    with pytest.raises(HelpWanted):
        split(["-on", word], KINDS)


@pytest.mark.parametrize("text", ["1", "t", "T", "true", "TRUE", "True"])
def test_true(text: str) -> None:
    assert BOOL.read(text) is True


@pytest.mark.parametrize("text", ["0", "f", "F", "false", "FALSE", "False"])
def test_false(text: str) -> None:
    assert BOOL.read(text) is False


@pytest.mark.parametrize("text", ["", "yes", "on", "tRUE", " true"])
def test_no_bool(text: str) -> None:
    with pytest.raises(ValueError, match="true or false"):
        BOOL.read(text)


@pytest.mark.parametrize(
    ("text", "number"), [("8080", 8080), ("-1", -1), ("+5", 5), ("0x1F", 31), ("010", 8), ("0o17", 15), ("1_000", 1000)]
)
def test_whole_numbers(text: str, number: int) -> None:
    assert INT.read(text) == number


@pytest.mark.parametrize("text", ["", "x", "1.5", "09", " 1", "1 ", "٣", "9223372036854775808"])
def test_no_whole_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        INT.read(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5s", 5.0), ("500ms", 0.5), ("1m30s", 90.0), ("1.5h", 5400.0), ("0", 0.0), (".5s", 0.5), ("250us", 0.00025)],
)
def test_durations(text: str, seconds: float) -> None:
    assert DURATION.read(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "5d", "-5s", "5s5", "+"])
def test_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match="a unit"):
        DURATION.read(text)
