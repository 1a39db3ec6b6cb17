"""File names: as people expect them, never the same for two objects, never longer than a disk takes."""

import random

from headgate.api import Ref
from headgate.render.names import file_names


def refs(*names: str) -> list[Ref]:
    return [Ref("Ingress", *name.split("/")) for name in names]


def test_namespace_and_name() -> None:
    assert list(file_names(refs("shop/web")).values()) == ["shop-web"]


def test_the_first_keeps_the_name_and_the_other_gets_a_hash() -> None:
    first, second = refs("a/b-c", "a-b/c")
    names = file_names([second, first])
    assert names[first] == "a-b-c"
    assert names[second].startswith("a-b-c-")


def test_everyone_who_computes_them_agrees() -> None:
    those = refs("a/b-c", "a-b/c", "a-b-c/d", "a/b-c-d", "a-b/c-d", "x/y")
    mixed = random.Random(1).sample(those, len(those))
    assert file_names(those) == file_names(mixed)
    assert len(set(file_names(those).values())) == len(those)


def test_somebody_may_ask_for_the_very_name_that_the_hash_makes() -> None:
    pair = refs("a/b-c", "a-b/c")
    taken = file_names(pair)[pair[1]]
    crowd = [*pair, *refs(f"a/{taken.removeprefix('a-')}")]
    assert len(set(file_names(crowd).values())) == 3


def test_names_that_are_too_long_are_cut_and_differ() -> None:
    long = [Ref("Ingress", "n" * 63, "i" * 250 + end) for end in ("a", "b")]
    names = file_names(long)
    assert len(set(names.values())) == 2
    assert all(len(f"{name}.conf".encode()) <= 255 for name in names.values())


def test_a_name_that_never_met_an_api_server_leads_nowhere_else() -> None:
    names = file_names(
        [Ref("Ingress", "..", "../../etc/passwd"), Ref("Secret", "a", "b\n;"), Ref("Secret", "a", "\ud800")]
    )
    assert not any(set(name) & set("/\n;") for name in names.values())
    assert len(set(names.values())) == 3
