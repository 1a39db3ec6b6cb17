"""One Ingress changed among 5,000: translate, diff, render and write, as a pass of the loop does them, without nginx.

The store has the new object already, and nginx is taken to have accepted the pass before; both are outside of the clock.
"""

import time
from pathlib import Path
from statistics import median

import msgspec

from bench.folders import application, endpoint_slice
from bench.nginxes import free_ports
from bench.product import layout, settings, store_of
from bench.table import Measure, Unit
from headgate.api import Ref
from headgate.api.decode import decode
from headgate.controller.held import Held
from headgate.controller.holding import translate_holding
from headgate.model.change import Unchanged, diff
from headgate.model.shape import Model
from headgate.nginx.ground import prepare
from headgate.nginx.tree import Tree
from headgate.nginx.verify import version_file
from headgate.render import RenderMemo, render
from headgate.translate import Memo

COUNT = 5_000
FULL_PASSES = 3
EDITS = 15


def measure(ground: Path) -> list[Measure]:
    full = [_Passes(ground / f"full-{turn}").first() for turn in range(FULL_PASSES - 1)]
    passes = _Passes(ground / "edits")
    full.append(passes.first())
    whole = median(full)
    numbers = range(7, COUNT, COUNT // EDITS)
    path = median(passes.after(_path_changed(number)) for number in numbers)
    moved = median(passes.after(_endpoint_moved(number)) for number in numbers)
    case = f"one Ingress changed among {COUNT:,}"
    note = f"median of {len(numbers)} edits"
    return [
        Measure(f"first pass over {COUNT:,}", whole * 1000, Unit.MILLISECONDS, note=f"median of {FULL_PASSES}"),
        Measure(case, path * 1000, Unit.MILLISECONDS, 150, note),
        Measure(f"{case} / first pass", path / whole, Unit.RATIO, 1 / 20, note),
        Measure(f"one EndpointSlice changed among {COUNT:,}", moved * 1000, Unit.MILLISECONDS, note=note),
    ]


class _Passes:
    """What the loop remembers from pass to pass."""

    def __init__(self, folder: Path) -> None:
        self._store = store_of(each for number in range(COUNT) for each in application(number))
        self._settings = settings(*free_ports(2))
        self._layout = layout(folder)
        prepare(self._layout)
        self._tree = Tree(self._layout.tree)
        self._tree.load()
        self._held = Held()
        self._memo, self._render_memo = Memo(), RenderMemo()
        self._live = Model()
        self._generation = 0

    def first(self) -> float:
        return self._pass(None)

    def after(self, manifest: dict[str, object]) -> float:
        """A pass over one changed object."""
        changed = decode(manifest)
        assert changed is not None
        names = self._store.put([changed])
        assert names, "the edit changed nothing"
        return self._pass(names)

    def _pass(self, stale: frozenset[Ref] | None) -> float:
        began = time.perf_counter()
        snapshot = self._store.snapshot()
        wanted = translate_holding(snapshot, self._held, self._settings, memo=self._memo, stale=stale)
        model = wanted.translation.model
        change = diff(self._live, model)
        files = render(model, self._settings.capabilities, self._layout, memo=self._render_memo).files.files
        self._generation += 1
        self._tree.write(files, self._tree.differences(files), version_file(self._layout, self._generation))
        seconds = time.perf_counter() - began
        assert not isinstance(change, Unchanged)
        self._tree.commit()
        self._live = model
        self._held.accept(model, wanted.served, self._generation)
        return seconds


def _path_changed(number: int) -> dict[str, object]:
    """The Ingress of an application with another last path."""
    ingress = msgspec.json.decode(msgspec.json.encode(application(number)[0]))
    ingress["spec"]["rules"][0]["http"]["paths"][-1]["path"] = "/accounts"
    return dict(ingress)


def _endpoint_moved(number: int) -> dict[str, object]:
    return endpoint_slice(number, ["10.200.0.1", "10.200.0.2"], 9090)
