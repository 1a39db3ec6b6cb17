"""Names as Kubernetes allows them, and what a sentence shows of the others."""

import ipaddress
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headgate.model.server import Host, HostKind
from headgate.model.settings import Semantics
from headgate.translate.names import is_ipv4, is_label, is_port_name, is_subdomain, parse_host, shown
from tests.unit.worlds import steady

LONGEST = ".".join(["a" * 63] * 3 + ["b" * 61])


def test_hosts() -> None:
    assert parse_host("shop.test", Semantics.KUBERNETES) == Host("shop.test")
    assert parse_host("", Semantics.KUBERNETES) == Host("")
    assert parse_host("xn--caf-dma.test", Semantics.KUBERNETES) == Host("xn--caf-dma.test")
    assert parse_host(LONGEST, Semantics.KUBERNETES) == Host(LONGEST)


def test_a_wildcard_means_what_the_semantics_say() -> None:
    assert parse_host("*.test", Semantics.KUBERNETES) == Host("test", HostKind.ONE_LABEL)
    assert parse_host("*.test", Semantics.NIC) == Host("test", HostKind.ANY_DEPTH)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("Shop.test", '"shop.test"'),
        ("*.Shop.test", '"*.shop.test"'),
        ("café.test", '"xn--caf-dma.test"'),
        ("*.bücher.test", '"*.xn--bcher-kva.test"'),
        ("é" * 80 + ".test", "xn--…"),
        ("192.0.2.1", "is an address"),
        ("*.192.0.2.1", "is an address"),
        (LONGEST + "b", "at most 253 characters"),
        ("a" * 64 + ".test", "at most 63 between two dots"),
        ("shop..test", "such as shop.example.com"),
        ("shop.test.", "such as shop.example.com"),
        (".test", "such as shop.example.com"),
        ("*", "such as shop.example.com"),
        ("*.*.test", "such as shop.example.com"),
        ("a_b.test", "such as shop.example.com"),
        ("-a.test", "such as shop.example.com"),
        ("shop.test:80", "such as shop.example.com"),
        ("shop test", "such as shop.example.com"),
        ("shop.test;", "such as shop.example.com"),
        ("~^.*$", "such as shop.example.com"),
        ("[::1]", "such as shop.example.com"),
        ("shop.test\n", "such as shop.example.com"),
    ],
)
def test_no_host_and_what_would_be_right(text: str, remedy: str) -> None:
    for semantics in Semantics:
        with pytest.raises(ValueError, match=re.escape(remedy)):
            parse_host(text, semantics)


def test_labels_subdomains_and_port_names() -> None:
    assert is_label("a")
    assert is_label("a" * 63)
    assert not any(is_label(text) for text in ("", "-a", "a-", "A", "a.b", "a" * 64, "a\n"))
    assert is_subdomain("a.b-c.d")
    assert not any(is_subdomain(text) for text in ("", "a..b", "a." * 130, "a_b"))
    assert is_port_name("http")
    assert is_port_name("8080-tcp")
    assert not any(is_port_name(text) for text in ("", "80", "a" * 16, "Http", "a b"))


def test_what_is_shown_harms_no_terminal() -> None:
    assert shown("a b") == '"a b"'
    assert shown("a\x1b[31m\n") == '"a\\x1b[31m\\x0a"'
    assert shown("x" * 100) == f'"{"x" * 80}…"'


@steady
@given(st.lists(st.one_of(st.integers(0, 300).map(str), st.text("0123٣ .:\n", max_size=3)), max_size=5).map(".".join))
@example("192.0.2.1")
@example("255.255.255.255")
@example("256.0.0.1")
@example("01.2.3.4")
@example("1.2.3.4\n")
def test_an_ipv4_address_is_what_the_standard_library_says(text: str) -> None:
    try:
        expected = ipaddress.ip_address(text).version == 4
    except ValueError:
        expected = False
    assert is_ipv4(text) == expected
