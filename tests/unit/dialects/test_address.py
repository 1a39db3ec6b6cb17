"""external-status-address: an address, a name, or nothing."""

import pytest

from headgate.dialects import read_configmap
from headgate.dialects.values import address_or_name


@pytest.mark.parametrize(
    ("text", "address"),
    [("203.0.113.7", "203.0.113.7"), (" 2001:DB8::1 ", "2001:db8::1"), ("lb.example.com", "lb.example.com"), ("", "")],
)
def test_addresses(text: str, address: str) -> None:
    assert address_or_name(text) == address


@pytest.mark.parametrize("text", ["1.2.3.400", "a b", "fe80::1%eth0", "-x", "LB.example.com", "http://lb", "x" * 254])
def test_no_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="IP address or a DNS name"):
        address_or_name(text)


def test_the_key_of_the_configmap() -> None:
    assert read_configmap({"external-status-address": "lb.example.com"}).options.globals.external_status_address == (
        "lb.example.com"
    )
