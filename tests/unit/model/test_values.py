"""Values write themselves as nginx reads them: what is printed, read again, is the same value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.dialects.values import buffer_count, duration, offset, size
from headgate.model.values import BufferCount, Duration, Protocol, Size
from tests.unit.worlds import steady

HUNDRED_YEARS = 100 * 365 * 86_400_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Duration(0), "0s"),
        (Duration(1), "1ms"),
        (Duration(999), "999ms"),
        (Duration(1000), "1s"),
        (Duration(1500), "1500ms"),
        (Duration(3_600_000), "3600s"),
        (Size(0), "0"),
        (Size(1), "1"),
        (Size(1023), "1023"),
        (Size(1024), "1k"),
        (Size(1536), "1536"),
        (Size(1 << 20), "1m"),
        (Size((1 << 20) + 1024), "1025k"),
        (Size(2 << 30), "2048m"),  # a buffer may not be said in gigabytes
        (BufferCount(8, Size(4096)), "8 4k"),
    ],
)
def test_how_it_is_written(value: object, text: str) -> None:
    assert str(value) == text


@steady
@given(st.integers(0, HUNDRED_YEARS).map(Duration))
def test_a_printed_duration_reads_as_itself(value: Duration) -> None:
    assert duration(str(value)) == value


@steady
@given(st.integers(0, 1 << 40).map(Size))
def test_a_printed_size_reads_as_itself(value: Size) -> None:
    assert size(str(value)) == value
    assert offset(str(value)) == value


@steady
@given(st.builds(BufferCount, st.integers(0, 999_999), st.integers(0, 1 << 30).map(Size)))
def test_a_printed_buffer_count_reads_as_itself(value: BufferCount) -> None:
    assert buffer_count(str(value)) == value


def test_durations_and_sizes_have_an_order() -> None:
    assert Duration(999) < Duration(1000)
    assert Size(1 << 20) > Size(1 << 10)


def test_which_protocols_are_grpc() -> None:
    assert [each for each in Protocol if each.is_grpc] == [Protocol.GRPC, Protocol.GRPCS]
