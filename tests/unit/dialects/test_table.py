"""Reading a table: rows, unknown keys with the nearest name, keys of later, guards, snippets, needs and aliases."""

from collections.abc import Mapping

from headgate.dialects.table import Dialect, Later, dialect, read, row
from headgate.dialects.values import boolean, duration, snippet
from headgate.model.options import Hsts, Options, Proxy, Redirects, Snippets
from headgate.model.values import Duration

TABLE = dialect(
    "test.org/",
    [
        row(
            "test.org/read-timeout",
            duration,
            lambda v: Options(proxy=Proxy(read_timeout=v)),
            doc="How long.",
            default="60s",
        ),
        row("test.org/hsts", boolean, lambda v: Options(hsts=Hsts(enabled=v)), doc="Send it."),
        row(
            "test.org/hsts-all",
            boolean,
            lambda v: Options(hsts=Hsts(include_subdomains=v)),
            doc="For all.",
            needs="test.org/hsts",
        ),
        row("test.org/lines", snippet, lambda v: Options(snippets=Snippets(server=v)), doc="Lines.", snippet=True),
        row("test.org/redirect", boolean, lambda v: Options(redirects=Redirects(plain=v)), doc="Redirect."),
        row(
            "test.org/old-redirect",
            boolean,
            lambda v: Options(redirects=Redirects(plain=v)),
            doc="The same.",
            alias_of="test.org/redirect",
        ),
    ],
    [Later("test.org/colour"), Later("test.org/password", guards=True)],
)


def said(raw: Mapping[str, str], *, table: Dialect = TABLE, snippets: bool = False) -> Options:
    reading = read(table, raw, snippets=snippets)
    assert reading.problems == ()
    assert reading.remarks == ()
    return reading.options


def problem(key: str, value: str = "true", *, snippets: bool = False) -> str:
    reading = read(TABLE, {key: value}, snippets=snippets)
    (only,) = reading.problems
    assert only.field == key
    assert reading.options == Options()
    return only.message


def remark(key: str) -> str:
    reading = read(TABLE, {key: "x"}, snippets=False)
    assert reading.problems == ()
    (only,) = reading.remarks
    assert only.field == key
    return only.message


def test_a_row_sets_its_field() -> None:
    assert said({"test.org/read-timeout": "5s"}).proxy.read_timeout == Duration(5000)


def test_several_rows_are_laid_over_each_other() -> None:
    options = said({"test.org/hsts": "true", "test.org/hsts-all": "false", "test.org/read-timeout": "1s"})
    assert options == Options(
        proxy=Proxy(read_timeout=Duration(1000)), hsts=Hsts(enabled=True, include_subdomains=False)
    )


def test_keys_of_other_prefixes_are_none_of_ours() -> None:
    assert said({"other.org/read-timeout": "5s", "test.organ/hsts": "x", "plain": "x", "": "x"}) == Options()


def test_an_empty_key_hides_nothing() -> None:
    assert said({"": "x", "test.org/hsts": "true"}).hsts.enabled is True


def test_a_wrong_value_is_shown_with_what_would_be_right() -> None:
    assert problem("test.org/read-timeout", "soon") == '"soon": write a number with a unit, such as 10s'


def test_a_long_value_is_shown_on_one_line_and_cut() -> None:
    shown = problem("test.org/read-timeout", "a\n  b " + "c" * 100)
    assert shown.startswith('"a b ccc')
    assert "…" in shown
    assert "\n" not in shown
    assert len(shown) < 130


def test_one_wrong_value_does_not_hide_the_others() -> None:
    reading = read(TABLE, {"test.org/read-timeout": "soon", "test.org/hsts": "maybe"}, snippets=False)
    assert [each.field for each in reading.problems] == ["test.org/hsts", "test.org/read-timeout"]


def test_an_unknown_key_is_told_with_the_nearest_name() -> None:
    assert remark("test.org/read-timeuot") == "there is no such key; did you mean test.org/read-timeout?"


def test_a_key_in_other_letters_is_near() -> None:
    assert "did you mean test.org/hsts?" in remark("test.org/HSTS")


def test_a_key_of_later_is_near_too() -> None:
    assert "did you mean test.org/colour?" in remark("test.org/color")


def test_the_prefix_alone_makes_no_key_near() -> None:
    assert remark("test.org/zzz") == "there is no such key; it is ignored"


def test_a_key_of_later_is_ignored_with_a_remark() -> None:
    assert remark("test.org/colour") == "Headgate does not speak it yet; it is ignored"


def test_a_key_of_later_that_guards_is_a_problem() -> None:
    assert "would leave open what it guards" in problem("test.org/password")


def test_snippets_want_the_switch() -> None:
    assert "--enable-snippets" in problem("test.org/lines", "return 200;")
    assert said({"test.org/lines": "return 200;"}, snippets=True).snippets.server == "return 200;"


def test_a_snippet_is_checked_where_it_is_allowed() -> None:
    assert "a } closes a block" in problem("test.org/lines", "}", snippets=True)


def test_a_row_that_needs_another_is_a_problem_without_it() -> None:
    assert problem("test.org/hsts-all") == "it says nothing without test.org/hsts: add that, or take this out"


def test_an_alias_counts_where_the_name_is_not_said() -> None:
    assert said({"test.org/old-redirect": "false"}).redirects.plain is False
    assert said({"test.org/old-redirect": "false", "test.org/redirect": "true"}).redirects.plain is True


def test_a_row_takes_its_line_in_the_reference_from_its_parser() -> None:
    assert TABLE.rows["test.org/read-timeout"].value == duration.__doc__
    assert TABLE.rows["test.org/read-timeout"].default == "60s"
