"""`over` is the one operation of inheritance: what is said stands, what is not said shows what is below."""

from hypothesis import given
from hypothesis import strategies as st

from headgate.model.defaults import DEFAULTS
from headgate.model.options import Balancing, Body, Buffers, Globals, Hsts, Method, Options, Proxy, Redirects, over
from headgate.model.values import Duration, Header, LogLevel, Size
from tests.unit.worlds import steady

_switch = st.none() | st.booleans()
_number = st.none() | st.integers(0, 3)
_time = st.none() | st.builds(Duration, st.integers(0, 3))
_size = st.none() | st.builds(Size, st.integers(0, 3))
_names = st.none() | st.lists(st.sampled_from(["A", "B"]), max_size=2).map(tuple)

OPTIONS = st.builds(
    Options,
    proxy=st.builds(
        Proxy,
        connect_timeout=_time,
        read_timeout=_time,
        set_headers=st.none() | st.just((Header("A"),)) | st.just(()),
        hide_headers=_names,
    ),
    buffers=st.builds(Buffers, enabled=_switch, size=_size),
    body=st.builds(Body, max_size=_size),
    balancing=st.builds(
        Balancing, method=st.none() | st.just(Method()) | st.just(Method(("least_conn",))), keepalive=_number
    ),
    redirects=st.builds(Redirects, plain=_switch, forwarded=_switch),
    hsts=st.builds(Hsts, enabled=_switch, max_age=_number),
    globals=st.builds(Globals, http2=_switch, error_log_level=st.none() | st.sampled_from(LogLevel)),
)


@steady
@given(OPTIONS)
def test_nothing_said_changes_nothing(some: Options) -> None:
    assert over(some, Options()) == some
    assert over(Options(), some) == some
    assert over(some, some) == some


@steady
@given(OPTIONS, OPTIONS, OPTIONS)
def test_it_does_not_matter_where_the_layers_are_joined(low: Options, middle: Options, high: Options) -> None:
    assert over(over(low, middle), high) == over(low, over(middle, high))


@steady
@given(OPTIONS, OPTIONS)
def test_what_the_top_says_stands(low: Options, high: Options) -> None:
    laid = over(low, high)
    assert laid.hsts.enabled == (high.hsts.enabled if high.hsts.enabled is not None else low.hsts.enabled)
    assert laid.buffers.size == (high.buffers.size if high.buffers.size is not None else low.buffers.size)
    assert over(laid, high) == laid


def test_false_zero_and_nothing_in_a_list_are_things_to_say() -> None:
    high = Options(
        redirects=Redirects(plain=False), balancing=Balancing(keepalive=0), proxy=Proxy(hide_headers=(), set_headers=())
    )
    low = over(DEFAULTS, Options(proxy=Proxy(hide_headers=("Server",), set_headers=(Header("A"),))))
    laid = over(low, high)
    assert laid.redirects.plain is False
    assert laid.balancing.keepalive == 0
    assert laid.proxy.hide_headers == ()
    assert laid.proxy.set_headers == ()


def test_a_group_is_laid_field_by_field() -> None:
    laid = over(DEFAULTS, Options(proxy=Proxy(read_timeout=Duration(5))))
    assert laid.proxy.read_timeout == Duration(5)
    assert laid.proxy.connect_timeout == DEFAULTS.proxy.connect_timeout


def test_what_is_not_one_thing_is_replaced_whole() -> None:
    """A balancing method is one value: `hash KEY` over `least_conn` is `hash KEY`."""
    low = Options(balancing=Balancing(method=Method(("hash",), key="$uri", consistent=True)))
    high = Options(balancing=Balancing(method=Method(("least_conn",))))
    assert over(low, high).balancing.method == Method(("least_conn",))
