"""The tree on disk: what differs is written, what was can be put back."""

import os
from pathlib import Path

import pytest

from headgate.api import Ref
from headgate.errors import Bug
from headgate.model.fileset import Block, File, file_of
from headgate.nginx.tree import Differences, Tree

SECRET = Ref("Secret", "default", "tls")


def plain(text: str) -> File:
    return file_of(Block(None, text))


def secret(text: str) -> File:
    return file_of(Block(SECRET, text), source=SECRET, secret=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(str(tmp_path))
    made.load()
    return made


def put(tree: Tree, files: dict[str, File], *, number: int = 1) -> Differences:
    differences = tree.differences(files)
    tree.write(files, differences, plain(f"{number}\n"))
    return differences


def content(tree: Tree) -> dict[str, tuple[str, int, int, int]]:
    files = {file: file.stat() for file in tree.root.rglob("*") if file.is_file()}
    return {
        str(file.relative_to(tree.root)): (file.read_text(), state.st_ino, state.st_mode, state.st_mtime_ns)
        for file, state in files.items()
    }


FIRST = {"nginx.conf": plain("main\n"), "conf.d/a.conf": plain("a\n"), "conf.d/b.conf": plain("b\n")}


def test_files_are_written_where_their_paths_say(tree: Tree) -> None:
    put(tree, {**FIRST, "stream-conf.d/deep/x.conf": plain("x\n")})
    assert (tree.root / "conf.d/a.conf").read_text() == "a\n"
    assert (tree.root / "stream-conf.d/deep/x.conf").read_text() == "x\n"
    assert (tree.root / "config-version.conf").read_text() == "1\n"


def test_a_file_that_did_not_change_is_not_written(tree: Tree) -> None:
    put(tree, FIRST)
    before = content(tree)["conf.d/a.conf"]
    changed = {**FIRST, "conf.d/b.conf": plain("B\n")}
    assert put(tree, changed).write == ("conf.d/b.conf",)
    assert content(tree)["conf.d/a.conf"] == before


def test_equal_text_is_equal_even_when_it_was_built_anew(tree: Tree) -> None:
    put(tree, FIRST)
    assert not tree.differences({path: plain("".join(list(file.text))) for path, file in FIRST.items()})


def test_a_file_that_is_no_longer_wanted_is_deleted(tree: Tree) -> None:
    put(tree, FIRST)
    put(tree, {"nginx.conf": FIRST["nginx.conf"]})
    assert not list((tree.root / "conf.d").iterdir())


def test_undo_puts_back_the_very_same_files(tree: Tree) -> None:
    put(tree, {**FIRST, "secrets/tls": secret("key\n")})
    tree.commit()
    before = content(tree)
    wanted = {"nginx.conf": plain("other\n"), "conf.d/a.conf": plain("A\n"), "conf.d/new.conf": plain("n\n")}
    put(tree, wanted, number=2)
    tree.undo()
    assert content(tree) == before
    assert tree.differences(wanted).write == ("nginx.conf", "conf.d/a.conf", "conf.d/new.conf")


def test_undo_goes_back_to_the_last_commit_over_several_writes(tree: Tree) -> None:
    put(tree, FIRST)
    tree.commit()
    before = content(tree)
    put(tree, {**FIRST, "conf.d/a.conf": plain("2\n"), "conf.d/c.conf": plain("c\n")}, number=2)
    put(tree, {"nginx.conf": plain("3\n"), "conf.d/a.conf": plain("3\n")}, number=3)
    tree.undo()
    assert content(tree) == before


def test_after_commit_there_is_no_way_back_and_nothing_kept(tree: Tree) -> None:
    put(tree, FIRST)
    tree.commit()
    put(tree, {**FIRST, "conf.d/a.conf": plain("A\n")}, number=2)
    tree.commit()
    tree.undo()
    assert (tree.root / "conf.d/a.conf").read_text() == "A\n"
    assert not list((tree.root / ".undo").iterdir())


def test_secrets_are_for_our_eyes_only_whatever_the_umask(tree: Tree) -> None:
    before = os.umask(0)
    try:
        put(tree, {**FIRST, "secrets/tls": secret("key\n")})
    finally:
        os.umask(before)
    assert (tree.root / "secrets").stat().st_mode & 0o777 == 0o700
    assert (tree.root / "secrets/tls").stat().st_mode & 0o777 == 0o600
    assert (tree.root / "conf.d/a.conf").stat().st_mode & 0o777 == 0o644


def test_what_a_failed_write_left_does_not_lend_its_mode_to_a_secret(tree: Tree) -> None:
    (tree.root / ".new").write_text("half")
    put(tree, {"secrets/tls": secret("key\n")})
    assert (tree.root / "secrets/tls").stat().st_mode & 0o777 == 0o600


def test_a_restart_over_an_equal_tree_finds_nothing_to_write(tree: Tree) -> None:
    wanted = {**FIRST, "secrets/tls": secret("kéy\n")}
    put(tree, wanted)
    again = Tree(str(tree.root))
    again.load()
    assert not again.differences(wanted)
    assert again.text("config-version.conf") == "1\n"


def test_a_restart_finds_files_that_nobody_wants_and_what_was_left_half_done(tree: Tree) -> None:
    put(tree, FIRST)
    (tree.root / "conf.d/stale.conf").write_text("stale\n")
    (tree.root / "secrets/stale").write_text("stale\n")
    (tree.root / ".new").write_text("half")
    (tree.root / ".undo/0").write_text("old")
    (tree.root / "mime.types").write_text("not ours")
    again = Tree(str(tree.root))
    again.load()
    put(again, FIRST)
    again.commit()
    assert set(content(again)) == {*FIRST, "config-version.conf", "mime.types"}


def test_a_restart_mends_a_secret_that_others_could_read_and_a_link_in_place_of_a_file(tree: Tree) -> None:
    wanted = {**FIRST, "secrets/tls": secret("key\n")}
    put(tree, wanted)
    (tree.root / "secrets/tls").chmod(0o644)
    (tree.root / "elsewhere").write_text("a\n")
    (tree.root / "conf.d/a.conf").unlink()
    (tree.root / "conf.d/a.conf").symlink_to(tree.root / "elsewhere")
    again = Tree(str(tree.root))
    again.load()
    assert set(put(again, wanted).write) == {"secrets/tls", "conf.d/a.conf"}
    assert (tree.root / "secrets/tls").stat().st_mode & 0o777 == 0o600
    assert not (tree.root / "conf.d/a.conf").is_symlink()


def test_the_number_is_written_first_and_put_back_last(tree: Tree) -> None:
    """So a run that is killed halfway leaves a number that nginx does not serve."""
    put(tree, FIRST)
    tree.commit()
    wanted = {"nginx.conf": plain("x\n"), "conf.d": plain("a folder stands here\n")}
    with pytest.raises(OSError, match=r"conf\.d"):
        put(tree, wanted, number=2)
    assert (tree.root / "config-version.conf").read_text() == "2\n"
    tree.undo()
    assert (tree.root / "config-version.conf").read_text() == "1\n"
    assert (tree.root / "nginx.conf").read_text() == "main\n"


@pytest.mark.parametrize("path", ["../x", "conf.d/../../x", "/etc/x"])
def test_no_path_leads_out_of_the_tree(tree: Tree, path: str) -> None:
    with pytest.raises(Bug, match="out of the tree"):
        put(tree, {path: plain("x\n")})
