"""Log lines in every format that -log-format knows."""

import json
import logging
import os
import re
from collections.abc import Callable, Iterator

import pytest

from headgate.api import Ref
from headgate.observability.formats import FORMATS, LEVELS
from headgate.observability.log import FATAL, TRACE, configure, configure_cluster, tell

SHOP = Ref("Ingress", "default", "shop")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    loggers = [logging.getLogger(), logging.getLogger("headgate")]
    before = [(logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """What went to stdout since the last time."""
    return lambda: capsys.readouterr().out.splitlines()


def test_glog(lines: Callable[[], list[str]]) -> None:
    configure_cluster("glog", "trace")
    tell("all is well", logging.INFO, SHOP, generation=4)
    pattern = (
        rf"I\d{{8}} \d\d:\d\d:\d\d\.\d{{6}}   {os.getpid()} test_formats\.py:\d+\] "
        "resource_namespace=default resource_kind=Ingress resource_name=shop generation=4 all is well"
    )
    assert re.fullmatch(pattern, lines()[0])


@pytest.mark.parametrize(
    ("level", "letter"),
    [
        (TRACE, "I"),
        (logging.DEBUG, "I"),
        (logging.INFO, "I"),
        (logging.WARNING, "W"),
        (logging.ERROR, "E"),
        (FATAL, "F"),
    ],
)
def test_letters_of_glog(lines: Callable[[], list[str]], level: int, letter: str) -> None:
    configure_cluster("glog", "trace")
    tell("well", level)
    assert lines()[0][0] == letter


def test_json(lines: Callable[[], list[str]]) -> None:
    configure_cluster("json", "info")
    tell('it is "so"\nreally', logging.WARNING, SHOP, count=3, where=SHOP)
    found = json.loads(lines()[0])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found.pop("time"))
    assert found.pop("source")["file"] == "test_formats.py"
    assert found == {
        "level": "WARNING",
        "msg": 'it is "so"\nreally',
        "resource_namespace": "default",
        "resource_kind": "Ingress",
        "resource_name": "shop",
        "count": 3,
        "where": "Ingress default/shop",
    }


def test_text(lines: Callable[[], list[str]]) -> None:
    configure_cluster("text", "info")
    tell("two words", logging.ERROR, None, plain="word", blank="a b", empty="")
    (line,) = lines()
    assert re.match(r"time=\S+Z level=ERROR source=test_formats\.py:\d+ ", line)
    assert line.endswith('msg="two words" plain=word blank="a b" empty=""')


@pytest.mark.parametrize(("name", "digits"), [("unix", 10), ("unix-ms", 13)])
def test_unix_times(lines: Callable[[], list[str]], name: str, digits: int) -> None:
    configure_cluster(f"json-{name}", "info")
    tell("well")
    assert len(str(json.loads(lines()[0])["time"])) == digits
    configure_cluster(f"text-{name}", "info")
    tell("well")
    assert re.match(rf"time=\d{{{digits}}} ", lines()[0])


@pytest.mark.parametrize("name", FORMATS)
def test_an_event_is_one_line_even_with_a_traceback(lines: Callable[[], list[str]], name: str) -> None:
    configure_cluster(name, "info")
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("headgate").exception("it\nfailed")
    (line,) = lines()
    assert "Traceback" in line
    assert "broken" in line


def test_levels_choose(lines: Callable[[], list[str]]) -> None:
    for level, count in (
        ("trace", 6),
        ("debug", 5),
        ("info", 4),
        ("warning", 3),
        ("warn", 3),
        ("error", 2),
        ("fatal", 1),
    ):
        configure_cluster("json", level)
        for number in sorted(set(LEVELS.values())):
            tell("well", number)
        told = [json.loads(line)["level"] for line in lines()]
        assert told == ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"][-count:]


def test_libraries_complain_the_same_way_and_are_quiet_otherwise(lines: Callable[[], list[str]]) -> None:
    configure_cluster("json", "trace")
    logging.getLogger("asyncio").info("chatter")
    logging.getLogger("asyncio").error("trouble")
    assert [json.loads(line)["msg"] for line in lines()] == ["trouble"]


def test_a_folder_is_served_with_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info")
    tell("Ingress default/shop: it is wrong", logging.ERROR, SHOP, count=3)
    assert re.fullmatch(r"\d\d:\d\d:\d\d error   Ingress default/shop: it is wrong count=3\n", capsys.readouterr().err)
