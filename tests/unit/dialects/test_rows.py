"""The two tables as they are: F5's annotations and its ConfigMap keys."""

import pytest

from headgate.dialects import ANNOTATIONS, CONFIGMAP, read_annotations, read_configmap
from headgate.dialects.nginx_org import OTHERS
from headgate.dialects.table import Row
from headgate.model.defaults import DEFAULTS
from headgate.model.options import Hsts, Options, over

EVERY_ROW = [*ANNOTATIONS.rows.values(), *CONFIGMAP.rows.values()]


def test_annotations_bear_their_prefix() -> None:
    assert all(name.startswith("nginx.org/") for name in [*ANNOTATIONS.rows, *ANNOTATIONS.later])


def test_a_name_means_the_same_on_an_ingress_and_in_the_configmap() -> None:
    shared = [row for row in CONFIGMAP.rows.values() if ANNOTATIONS.prefix + row.name in ANNOTATIONS.rows]
    assert shared
    for row in shared:
        annotation = ANNOTATIONS.rows[ANNOTATIONS.prefix + row.name]
        assert (row.read, row.value, row.doc, row.default) == (
            annotation.read,
            annotation.value,
            annotation.doc,
            annotation.default,
        )


@pytest.mark.parametrize("each", EVERY_ROW, ids=lambda row: row.name)
def test_every_row_is_documented(each: Row) -> None:
    assert each.doc.endswith(".")
    assert each.value


@pytest.mark.parametrize("each", [row for row in EVERY_ROW if row.default], ids=lambda row: row.name)
def test_a_default_in_the_reference_is_the_default(each: Row) -> None:
    assert over(DEFAULTS, each.read(each.default)) == DEFAULTS


@pytest.mark.parametrize("each", [row for row in EVERY_ROW if row.needs], ids=lambda row: row.name)
def test_what_a_row_needs_is_a_row(each: Row) -> None:
    assert each.needs in (ANNOTATIONS.rows if each.name in ANNOTATIONS.rows else CONFIGMAP.rows)


def test_no_key_is_spoken_and_later_at_once() -> None:
    for table in (ANNOTATIONS, CONFIGMAP, *OTHERS):
        assert not set(table.rows) & set(table.later)


def test_an_ingress_without_a_word_of_ours_says_nothing() -> None:
    reading = read_annotations({"example.com/a": "b"}, snippets=False)
    assert (reading.options, reading.problems, reading.remarks) == (Options(), (), ())


def test_the_relatives_of_nginx_org_are_read_too() -> None:
    raw = {"nginx.com/slow-start": "5s", "nginx.com/jwt-key": "k", "appprotect.f5.com/app-protect-enable": "on"}
    reading = read_annotations(raw, snippets=False)
    assert [each.field for each in reading.remarks] == ["nginx.com/slow-start"]
    assert {each.field for each in reading.problems} == {"nginx.com/jwt-key", "appprotect.f5.com/app-protect-enable"}


def test_the_configmap_needs_no_switch_for_snippets() -> None:
    reading = read_configmap({"server-snippets": "return 200;", "main-snippets": "env A;"})
    assert reading.problems == ()
    assert reading.options.snippets.server == "return 200;"


def test_the_configmap_needs_hsts_for_its_family() -> None:
    assert [each.field for each in read_configmap({"hsts-max-age": "5"}).problems] == ["hsts-max-age"]
    assert read_configmap({"hsts-max-age": "5", "hsts": "true"}).options.hsts == Hsts(enabled=True, max_age=5)
