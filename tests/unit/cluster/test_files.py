"""A folder as the source: what is read, what a change does, and what keeps serving when something is wrong."""

import asyncio
import ctypes
import json
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from headgate.api import Ingress, Ref
from headgate.cluster.files import FolderSource
from headgate.cluster.store import Store
from headgate.model.finding import Finding, Severity

NOBODY = 65534


def ingress(name: str, host: str = "cafe.example.com") -> str:
    return f"""\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {name}
spec:
  rules:
  - host: {host}
"""


def raw_ingress(name: str, host: str = "cafe.example.com") -> dict[str, Any]:
    spec = {"rules": [{"host": host}]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name}, "spec": spec}


def ref(name: str) -> Ref:
    return Ref("Ingress", "default", name)


class World:
    """A folder, a store and the source between them."""

    def __init__(self, folder: Path, *roots: Path) -> None:
        self.folder = folder
        self.store = Store()
        self.source = FolderSource(roots or (folder,), self.store)
        self.calls: list[frozenset[Ref]] = []

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def hosts(self) -> dict[str, str]:
        found = self.store.snapshot().of_kind("Ingress")
        return {one.meta.name: one.spec.rules[0].host for one in found if isinstance(one, Ingress)}

    def findings(self) -> list[str]:
        """Findings as sentences, paths relative to the folder."""
        return [finding.sentence().replace(f"{self.folder}/", "") for finding in self.source.findings()]

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        self.source.load()
        task = asyncio.create_task(self.source.watch(self.calls.append))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def until(self, effect: Callable[[], bool]) -> None:
        """Wait for the effect, never for time."""
        deadline = time.monotonic() + 20
        while not effect():
            assert time.monotonic() < deadline, (self.hosts(), self.findings(), self.calls)
            await asyncio.sleep(0.01)

    async def after_another_change(self) -> None:
        """What was done before this is surely seen after it."""
        marker = self.write("zz-marker.yaml", ingress("marker", f"m{time.monotonic_ns()}.example.com"))
        wanted = marker.read_text()
        await self.until(lambda: self.hosts().get("marker", "?") in wanted)


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "manifests"
    folder.mkdir()
    return World(folder)


@pytest.fixture
def open_world() -> Iterator[World]:
    """A world in a folder that anybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield World(Path(folder))


def as_nobody(work: Callable[[], object]) -> None:
    """Root may read everything; a thread without root's rights over files may not. Others never could."""
    libc = ctypes.CDLL(None)
    thread = threading.Thread(target=lambda: (libc.setfsuid(NOBODY), work()))
    thread.start()
    thread.join()


def test_everything_in_the_folder_is_read(world: World) -> None:
    world.write("a.yaml", ingress("a"))
    world.write("b.yml", f"{ingress('b')}---\n{ingress('c')}")
    world.write("deep/er/d.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": []}))
    world.write("deep/er/e.yaml", ingress("e"))
    assert world.source.load() == {ref("a"), ref("b"), ref("c"), ref("e")}
    assert world.source.findings() == ()


@pytest.mark.parametrize(
    "name",
    [".hidden.yaml", ".git/a.yaml", ".a.yaml.swp", "a.yaml~", "#a.yaml#", ".#a.yaml", "a.txt", "a.yaml.bak", "README"],
)
def test_hidden_files_and_leftovers_of_editors_are_not_read(name: str, world: World) -> None:
    world.write(name, ingress("a"))
    assert world.source.load() == frozenset()


def test_a_file_named_by_its_path_is_read_whatever_it_is_called(world: World) -> None:
    path = world.write("manifest.txt", ingress("a"))
    assert World(world.folder, path).source.load() == {ref("a")}


def test_a_second_load_of_the_same_files_changes_nothing(world: World) -> None:
    world.write("a.yaml", ingress("a"))
    world.source.load()
    before = world.store.snapshot()
    assert world.source.load() == frozenset()
    assert world.store.snapshot() is before


def test_standard_input_is_a_source_like_any(world: World) -> None:
    assert world.source.load_stream(ingress("a").encode()) == {ref("a")}
    assert world.source.origin(ref("a")) == ("-", 1)
    assert world.source.load() == frozenset()
    assert world.hosts() == {"a": "cafe.example.com"}


def test_broken_standard_input_is_a_finding(world: World) -> None:
    assert world.source.load_stream(b"a: b: c") == frozenset()
    assert world.findings()[0].startswith("File -: line 1, column 5: mapping values are not allowed here")


def test_a_pipe_that_was_named_is_read_once(world: World) -> None:
    """As in `headgate lint <(helm template …)`."""
    reading, writing = os.pipe()
    os.write(writing, ingress("a").encode())
    os.close(writing)
    piped = World(world.folder, Path(f"/dev/fd/{reading}"))
    assert piped.source.load() == {ref("a")}
    assert piped.source.load() == frozenset()
    assert piped.hosts() == {"a": "cafe.example.com"}
    os.close(reading)


def test_a_pipe_in_a_folder_keeps_nobody_waiting(world: World) -> None:
    os.mkfifo(world.folder / "pipe.yaml")
    world.write("a.yaml", ingress("a"))
    assert world.source.load() == {ref("a")}


def test_an_object_knows_its_file_and_line(world: World) -> None:
    path = world.write("sub/cafe.yaml", f"# first\n{ingress('a')}---\n{ingress('b')}")
    world.source.load()
    assert world.source.origin(ref("a")) == (str(path), 2)
    assert world.source.origin(ref("b")) == (str(path), 10)
    assert world.source.origin(ref("c")) is None


def test_paths_are_shown_as_the_folder_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = World(Path("examples"))
    here.write("cafe/cafe.yaml", ingress("a"))
    here.source.load()
    assert here.source.origin(ref("a")) == ("examples/cafe/cafe.yaml", 1)
    dot = World(Path())
    dot.source.load()
    assert dot.source.origin(ref("a")) == ("examples/cafe/cafe.yaml", 1)


def test_a_file_that_does_not_parse_is_a_finding_with_line_and_reason(world: World) -> None:
    path = world.write("a.yaml", "kind: Ingress\nmetadata: name: a\n")
    assert world.source.load() == frozenset()
    (finding,) = world.source.findings()
    assert finding.ref == Ref("File", "", str(path))
    assert (finding.severity, finding.reason) == (Severity.ERROR, "Unparsable")
    assert finding.field == "line 2, column 15"
    assert finding.message.startswith("mapping values are not allowed here")
    assert world.source.origin(finding.ref) == (str(path), 2)


def test_a_file_that_no_longer_parses_keeps_its_last_good_content(world: World) -> None:
    world.write("a.yaml", f"{ingress('a')}---\n{ingress('b')}")
    world.source.load()
    world.write("a.yaml", f"{ingress('a', 'new.example.com')}---\nkind: 'Ingr")
    assert world.source.load() == frozenset()
    assert world.hosts() == {"a": "cafe.example.com", "b": "cafe.example.com"}
    assert world.findings() == [
        "File a.yaml: line 9, column 7: the quote that opens here is never closed; the last good content stays in force"
    ]
    world.write("a.yaml", ingress("a", "new.example.com"))
    assert world.source.load() == {ref("a"), ref("b")}
    assert world.hosts() == {"a": "new.example.com"}
    assert world.findings() == []


def test_a_document_that_is_no_object_keeps_the_last_good_content_too(world: World) -> None:
    world.write("a.yaml", ingress("a"))
    world.source.load()
    world.write("a.yaml", "apiV")
    assert world.source.load() == frozenset()
    assert world.findings() == [
        "File a.yaml: line 1: this is text, and not an object with apiVersion and kind; "
        "the last good content stays in force"
    ]


def test_without_a_good_content_the_objects_beside_a_stray_document_count(world: World) -> None:
    world.write("a.yaml", f"stray\n---\n{ingress('a')}")
    assert world.source.load() == {ref("a")}
    world.write("a.yaml", f"stray\n---\n{ingress('a', 'new.example.com')}")
    assert world.source.load() == {ref("a")}
    assert world.findings() == ["File a.yaml: line 1: this is text, and not an object with apiVersion and kind"]


def test_a_broken_file_that_is_deleted_is_deleted(world: World) -> None:
    path = world.write("a.yaml", ingress("a"))
    world.source.load()
    path.write_text("a: b: c")
    world.source.load()
    path.unlink()
    assert world.source.load() == {ref("a")}
    assert world.hosts() == {}
    assert world.findings() == []


def test_an_unreadable_file_keeps_its_last_good_content(open_world: World) -> None:
    path = open_world.write("a.yaml", ingress("a"))
    open_world.source.load()
    path.chmod(0)
    as_nobody(open_world.source.load)
    assert open_world.hosts() == {"a": "cafe.example.com"}
    assert open_world.findings() == [
        "File a.yaml: cannot be read: Permission denied; the last good content stays in force"
    ]
    path.chmod(0o644)
    as_nobody(open_world.source.load)
    assert open_world.findings() == []


def test_an_unreadable_folder_keeps_what_came_from_it(open_world: World) -> None:
    open_world.write("sub/a.yaml", ingress("a"))
    open_world.write("b.yaml", ingress("b"))
    open_world.source.load()
    (open_world.folder / "sub").chmod(0)
    (open_world.folder / "b.yaml").unlink()
    as_nobody(open_world.source.load)
    assert open_world.hosts() == {"a": "cafe.example.com"}
    assert open_world.findings() == ["File sub: cannot be read: Permission denied; what came from there stays in force"]
    (open_world.folder / "sub").chmod(0o755)
    open_world.source.load()
    assert open_world.findings() == []


def test_a_link_that_leads_nowhere_is_a_finding(world: World) -> None:
    (world.folder / "a.yaml").symlink_to("nowhere.yaml")
    assert world.source.load() == frozenset()
    assert world.findings() == ["File a.yaml: cannot be read: the link leads nowhere"]


def test_what_is_not_there_is_a_finding(tmp_path: Path) -> None:
    world = World(tmp_path, tmp_path / "nowhere")
    assert world.source.load() == frozenset()
    assert world.findings() == ["File nowhere: there is no such file or folder"]


def test_links_to_files_and_folders_are_followed_and_nothing_is_read_twice(world: World, tmp_path: Path) -> None:
    elsewhere = World(tmp_path / "elsewhere")
    elsewhere.write("b.yaml", ingress("b"))
    target = elsewhere.write("more/c.yaml", ingress("c"))
    (world.folder / "linked").symlink_to(elsewhere.folder)
    (world.folder / "again").symlink_to(elsewhere.folder)
    (world.folder / "c.yaml").symlink_to(target)
    (elsewhere.folder / "loop").symlink_to(world.folder)
    assert world.source.load() == {ref("b"), ref("c")}
    assert world.findings() == []


def test_a_file_under_several_names_is_known_by_its_own(world: World) -> None:
    path = world.write("b.yaml", ingress("b"))
    (world.folder / "a.yaml").symlink_to(path)
    hard = world.write("d.yaml", ingress("d"))
    (world.folder / "c.yaml").hardlink_to(hard)
    assert world.source.load() == {ref("b"), ref("d")}
    assert world.findings() == []
    assert world.source.origin(ref("b")) == (str(path), 1)


def test_overlapping_paths_are_read_once(world: World) -> None:
    world.write("sub/a.yaml", ingress("a"))
    both = World(world.folder, world.folder, world.folder / "sub", world.folder / "sub" / "a.yaml")
    assert both.source.load() == {ref("a")}
    assert both.findings() == []


def test_the_same_object_in_two_files_names_both_and_the_first_path_counts(world: World) -> None:
    world.write("b.yaml", ingress("a", "b.example.com"))
    world.source.load()
    first = world.write("a.yaml", ingress("a", "a.example.com"))
    assert world.source.load() == {ref("a")}
    assert world.hosts() == {"a": "a.example.com"}
    assert world.findings() == [
        "Ingress default/a: is in a.yaml (line 1) and again in b.yaml (line 1): the first one counts"
    ]
    first.unlink()
    assert world.source.load() == {ref("a")}
    assert world.hosts() == {"a": "b.example.com"}
    assert world.findings() == []


def test_the_same_object_twice_in_one_file_names_both_lines(world: World) -> None:
    world.write("a.yaml", f"{ingress('a', 'one.example.com')}---\n{ingress('a', 'two.example.com')}")
    world.source.load()
    assert world.hosts() == {"a": "one.example.com"}
    assert world.findings() == [
        "Ingress default/a: is in a.yaml (line 1) and again in a.yaml (line 9): the first one counts"
    ]


def test_an_object_that_moves_to_another_file_does_not_change(world: World) -> None:
    world.write("a.yaml", ingress("a")).rename(world.folder / "b.yaml")
    world.source.load()
    (world.folder / "b.yaml").rename(world.folder / "c.yaml")
    assert world.source.load() == frozenset()
    assert world.source.origin(ref("a")) == (str(world.folder / "c.yaml"), 1)


def test_a_folder_that_vanishes_keeps_everything(world: World, tmp_path: Path) -> None:
    world.write("a.yaml", ingress("a"))
    world.source.load()
    world.folder.rename(tmp_path / "away")
    assert world.source.load() == frozenset()
    (finding,) = world.source.findings()
    assert finding == Finding(
        Ref("File", "", str(world.folder)),
        Severity.ERROR,
        "Missing",
        "there is no such file or folder; what came from there stays in force",
    )
    (tmp_path / "away").rename(world.folder)
    assert world.source.load() == frozenset()
    assert world.findings() == []


def test_a_mount_point_without_its_file_system_keeps_everything(world: World, tmp_path: Path) -> None:
    """Then the folder is still there, but empty and on another device: here a link changes to such a one."""
    world.write("a.yaml", ingress("a"))
    (tmp_path / "mount").symlink_to(world.folder)
    mounted = World(tmp_path, tmp_path / "mount")
    mounted.source.load()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        (tmp_path / "mount").unlink()
        (tmp_path / "mount").symlink_to(elsewhere)
        assert mounted.source.load() == frozenset()
    assert mounted.findings() == [
        "File mount: is empty since its file system went away; what came from there stays in force"
    ]


def test_a_file_of_no_length_is_a_file_that_was_not_written(world: World) -> None:
    """A full disk leaves such files behind."""
    path = world.write("a.yaml", ingress("a"))
    world.source.load()
    path.write_text("")
    assert world.source.load() == frozenset()
    assert world.findings() == [
        "File a.yaml: is empty: to delete its objects, delete the file; the last good content stays in force"
    ]
    path.write_text("# nothing here any more\n")
    assert world.source.load() == {ref("a")}
    assert world.findings() == []


def test_a_folder_that_is_emptied_is_emptied(world: World) -> None:
    world.write("a.yaml", ingress("a")).unlink()
    world.write("b.yaml", ingress("b"))
    world.source.load()
    (world.folder / "b.yaml").unlink()
    assert world.source.load() == {ref("b")}


def test_a_file_that_was_named_and_is_deleted_is_gone(world: World) -> None:
    path = world.write("a.yaml", ingress("a"))
    single = World(world.folder, path)
    single.source.load()
    path.unlink()
    assert single.source.load() == {ref("a")}
    single.source.load()
    assert single.findings() == ["File a.yaml: there is no such file or folder"]


async def test_a_saved_change_arrives(world: World) -> None:
    world.write("a.yaml", ingress("a"))
    async with world.watched():
        world.write("a.yaml", ingress("a", "new.example.com"))
        await world.until(lambda: world.hosts() == {"a": "new.example.com"})
        assert world.calls == [{ref("a")}]


async def test_a_change_of_the_same_length_right_after_loading_arrives(world: World) -> None:
    world.write("a.yaml", ingress("a", "one.example.com"))
    async with world.watched():
        world.write("a.yaml", ingress("a", "two.example.com"))
        await world.until(lambda: world.hosts() == {"a": "two.example.com"})


async def test_a_file_replaced_by_rename_arrives(world: World) -> None:
    """As most editors save."""
    world.write("a.yaml", ingress("a"))
    async with world.watched():
        world.write(".a.yaml.tmp", ingress("a", "new.example.com")).rename(world.folder / "a.yaml")
        await world.until(lambda: world.hosts() == {"a": "new.example.com"})


async def test_a_file_deleted_and_written_anew_was_never_gone(world: World) -> None:
    """As some other editors save."""
    path = world.write("a.yaml", ingress("a"))
    async with world.watched():
        path.unlink()
        world.write("a.yaml", ingress("a"))
        await world.after_another_change()
        assert all(ref("a") not in call for call in world.calls)


async def test_new_folders_and_deleted_files_are_noticed(world: World) -> None:
    async with world.watched():
        path = world.write("new/sub/a.yaml", ingress("a"))
        await world.until(lambda: "a" in world.hosts())
        path.unlink()
        await world.until(lambda: "a" not in world.hosts())
        assert world.calls == [{ref("a")}, {ref("a")}]


async def test_a_configmap_mount_changes_as_a_whole(world: World) -> None:
    """The kubelet swaps `..data`; the names that people see never change."""
    world.write("..2026_11_16_1/a.yaml", ingress("a"))
    world.write("..2026_11_16_1/b.yaml", ingress("b"))
    data = world.folder / "..data"
    data.symlink_to("..2026_11_16_1")
    for name in ("a.yaml", "b.yaml"):
        (world.folder / name).symlink_to(f"..data/{name}")
    async with world.watched():
        assert set(world.hosts()) == {"a", "b"}
        assert world.findings() == []
        world.write("..2026_11_16_2/a.yaml", ingress("a", "new.example.com"))
        world.write("..2026_11_16_2/b.yaml", ingress("b", "new.example.com"))
        (world.folder / "..data_tmp").symlink_to("..2026_11_16_2")
        (world.folder / "..data_tmp").rename(data)
        await world.until(lambda: set(world.hosts().values()) == {"new.example.com"})
        assert world.calls == [{ref("a"), ref("b")}]


async def test_a_half_written_file_changes_nothing_until_it_is_whole(world: World) -> None:
    """No beginning of a JSON text is JSON: however slow the writer, nothing but the whole counts."""
    world.write(
        "a.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": [raw_ingress("a"), raw_ingress("b")]})
    )
    news = [raw_ingress("a", "new.example.com"), raw_ingress("b", "new.example.com")]
    async with world.watched():
        with (world.folder / "a.json").open("w") as file:
            for character in json.dumps({"kind": "List", "apiVersion": "v1", "items": news}):
                file.write(character)
                file.flush()
                await asyncio.sleep(0.002)
        await world.until(lambda: world.hosts() == dict.fromkeys("ab", "new.example.com"))
        assert [call for call in world.calls if call] == [{ref("a"), ref("b")}]
        assert world.findings() == []


async def test_a_file_is_read_when_it_has_stopped_changing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time the source waits for the file to settle, more of it is written."""
    path = world.write("a.yaml", ingress("a"))
    rest = [f"---\n{ingress(name)}" for name in "bcde"]
    wait = time.sleep

    def write_more(seconds: float) -> None:
        wait(seconds)
        if rest and "new" in path.read_text():
            path.write_text(path.read_text() + rest.pop(0))

    async with world.watched():
        await world.after_another_change()
        monkeypatch.setattr(time, "sleep", write_more)
        path.write_text(ingress("a", "new.example.com"))
        await world.until(lambda: world.hosts()["a"] == "new.example.com")
        assert rest == []
        assert world.calls[-1] == {ref(name) for name in "abcde"}


async def test_a_broken_change_is_told_without_names_and_mended_with_them(world: World) -> None:
    path = world.write("a.yaml", ingress("a"))
    async with world.watched():
        path.write_text("a: b: c")
        await world.until(lambda: len(world.findings()) == 1)
        assert world.calls == [frozenset()]
        assert world.hosts() == {"a": "cafe.example.com"}
        path.write_text(ingress("a", "new.example.com"))
        await world.until(lambda: world.hosts() == {"a": "new.example.com"})
        assert world.findings() == []
        assert world.calls == [frozenset(), {ref("a")}]


async def test_touching_a_file_changes_nothing(world: World) -> None:
    path = world.write("a.yaml", ingress("a"))
    async with world.watched():
        os.utime(path, (1, 1))
        await world.after_another_change()
        assert all(ref("a") not in call for call in world.calls)


async def test_what_cannot_be_read_is_tried_again(world: World, tmp_path: Path) -> None:
    """A file that gives an error when it is read, as on a bad disk; what mends it does not show in the file itself."""
    (world.folder / "a.yaml").symlink_to("/proc/self/mem")
    async with world.watched():
        assert world.findings() == ["File a.yaml: cannot be read: Input/output error"]
        good = world.write(".good", ingress("a"))
        (world.folder / ".link").symlink_to(good)
        (world.folder / ".link").rename(world.folder / "a.yaml")
        await world.until(lambda: "a" in world.hosts())
        assert world.findings() == []


async def test_a_folder_that_vanishes_and_returns_is_followed_again(world: World, tmp_path: Path) -> None:
    world.write("a.yaml", ingress("a"))
    async with world.watched():
        world.folder.rename(tmp_path / "away")
        await world.until(lambda: len(world.findings()) == 1)
        assert world.hosts() == {"a": "cafe.example.com"}
        (tmp_path / "away" / "a.yaml").write_text(ingress("a", "new.example.com"))
        (tmp_path / "away").rename(world.folder)
        await world.until(lambda: world.hosts() == {"a": "new.example.com"})
        await world.until(lambda: world.findings() == [])
