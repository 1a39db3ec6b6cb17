"""A dialect is a table: one row per spelled setting, naming the model field that it sets.

From the same rows come parsing, the sentences about mistakes, the reference page and inheritance.
`Proxy(connect_timeout=v)` in a row is checked by mypy, so a typo, a renamed field and a parser of the wrong type are
all type errors.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from msgspec import Struct

from headgate.model.finding import Problem
from headgate.model.options import Options, over

T = TypeVar("T")


class Row(Struct, frozen=True):
    name: str
    read: Callable[[str], Options]
    value: str  # what may be written, for the reference page
    doc: str
    default: str = ""
    needs: str = ""  # another row that must be said too
    snippet: bool = False  # only where snippets were switched on
    inherits: bool = False  # a minion Ingress takes it from its master
    alias_of: str = ""


class Later(Struct, frozen=True):
    """A key of the dialect that is not spoken yet.

    `guards`: leaving it out would open what its author wanted closed, so the object is refused.
    """

    name: str
    guards: bool = False


class Dialect(Struct, frozen=True):
    prefix: str
    rows: Mapping[str, Row]
    later: Mapping[str, Later]


class Reading(Struct, frozen=True):
    """What was said; what is wrong with it; what is merely worth knowing."""

    options: Options = Options()
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()


def row(
    name: str,
    parse: Callable[[str], T],
    sets: Callable[[T], Options],
    *,
    doc: str,
    default: str = "",
    needs: str = "",
    snippet: bool = False,
    inherits: bool = False,
    alias_of: str = "",
) -> Row:
    def read(text: str) -> Options:
        return sets(parse(text))

    value = " ".join((parse.__doc__ or "").split())
    return Row(
        name=name,
        read=read,
        value=value,
        doc=doc,
        default=default,
        needs=needs,
        snippet=snippet,
        inherits=inherits,
        alias_of=alias_of,
    )


def dialect(prefix: str, rows: Iterable[Row], later: Iterable[Later]) -> Dialect:
    return Dialect(prefix, {row.name: row for row in rows}, {name.name: name for name in later})


def read(table: Dialect, raw: Mapping[str, str], *, snippets: bool) -> Reading:
    """Read every key that bears the prefix of the table."""
    said = Options()
    problems: list[Problem] = []
    remarks: list[Problem] = []
    for key in sorted(key for key in raw if key.startswith(table.prefix)):
        found = table.rows.get(key)
        if found is None:
            (problems if _guards(table, key) else remarks).append(_unknown(table, key))
        elif (problem := _forbidden(found, raw, snippets=snippets)) is not None:
            problems.append(problem)
        elif not found.alias_of or found.alias_of not in raw:
            try:
                said = over(said, found.read(raw[key]))
            except ValueError as why:
                problems.append(Problem(key, f"{_shown(raw[key])}: {why}"))
    return Reading(said, tuple(problems), tuple(remarks))


def _forbidden(found: Row, raw: Mapping[str, str], *, snippets: bool) -> Problem | None:
    if found.snippet and not snippets:
        return Problem(found.name, "snippets are switched off; start Headgate with --enable-snippets to allow them")
    if found.needs and found.needs not in raw:
        return Problem(found.name, f"it says nothing without {found.needs}: add that, or take this out")
    return None


def _guards(table: Dialect, key: str) -> bool:
    return key in table.later and table.later[key].guards


def _unknown(table: Dialect, key: str) -> Problem:
    if key in table.later:
        if table.later[key].guards:
            return Problem(
                key, "Headgate does not speak it yet, and serving without it would leave open what it guards"
            )
        return Problem(key, "Headgate does not speak it yet; it is ignored")
    # Without the prefix, which all of them have: with it everything would be near.
    names = {name.removeprefix(table.prefix): name for name in [*table.rows, *table.later]}
    near = get_close_matches(key.removeprefix(table.prefix).lower(), names, n=1, cutoff=0.6)
    said = f"did you mean {names[near[0]]}?" if near else "it is ignored"
    return Problem(key, f"there is no such key; {said}")


def _shown(text: str) -> str:
    """The value in quotes, on one line and not too long."""
    line = " ".join(text.split())
    return f'"{line[:60]}…"' if len(line) > 60 else f'"{line}"'
