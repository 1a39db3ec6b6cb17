"""What `nginx -t` costs: our configuration against the usual shape, with the same locations and with one a path.

Runs alternate, so that what else the machine does falls on all alike. Time is CPU time, a median: nginx parses alone and waits
for nothing, so on a quiet machine it is what a clock shows, and on a busy one it still means something. Memory is the peak.
"""

from pathlib import Path
from statistics import median

from bench.certificates import pairs, secret
from bench.folders import application
from bench.measure import Run, run
from bench.nginxes import free_ports
from bench.product import settings, store_of, written
from bench.shapes import Ground, Places, routes, usual
from bench.table import Measure, Unit
from headgate.nginx.capabilities import find

COUNT = 5_000
ROUNDS = 3
TLS_ROUNDS = 1  # reading 5,000 keys takes long, and nothing is at stake
OURS, SAME, ONE = "ours", "usual", "usual-one"
ONE_A_PATH = Places.ONE.value


def measure(ground: Path) -> list[Measure]:
    return [*_plain(ground / "plain"), *_tls(ground / "tls")]


def _plain(ground: Path) -> list[Measure]:
    port, tls_port = free_ports(2)
    manifests = (each for number in range(COUNT) for each in application(number))
    confs = {OURS: written(store_of(manifests).snapshot(), settings(port, tls_port), ground / OURS)}
    for name, places in ((SAME, Places.BY_ELEMENT), (ONE, Places.ONE)):
        confs[name] = _write_usual(Ground(ground / name, port, tls_port), places, [""] * COUNT)
    runs = _alternated(confs, ROUNDS)
    case = f"nginx -t, {COUNT:,} hosts"
    return [
        *_ratios(f"{case}: ours / usual", runs[OURS], runs[SAME], bars=(0.5, 0.6)),
        *_ratios(f"{case}: ours / usual with {ONE_A_PATH}", runs[OURS], runs[ONE], bars=(None, None)),
    ]


def _tls(ground: Path) -> list[Measure]:
    port, tls_port = free_ports(2)
    made = pairs(COUNT)
    manifests = [each for number in range(COUNT) for each in application(number, secret=f"tls-{number:05}")]
    manifests += [secret(number, pair) for number, pair in enumerate(made)]
    confs = {OURS: written(store_of(manifests).snapshot(), settings(port, tls_port), ground / OURS)}
    files = _write_pairs(ground / "pairs", [pair.pem for pair in made])
    confs[SAME] = _write_usual(Ground(ground / SAME, port, tls_port), Places.BY_ELEMENT, files)
    runs = _alternated(confs, TLS_ROUNDS)
    return _ratios(f"nginx -t, {COUNT:,} TLS hosts: ours / usual", runs[OURS], runs[SAME], bars=(None, None))


def _write_usual(ground: Ground, places: Places, files: list[str]) -> Path:
    ground.folder.mkdir(parents=True)
    with ground.conf.open("w") as conf:
        conf.writelines(usual(routes(files), ground, places))
    return ground.conf


def _write_pairs(folder: Path, pems: list[str]) -> list[str]:
    folder.mkdir(parents=True)
    for number, pem in enumerate(pems):
        (folder / f"{number:05}").write_text(pem)
    return [str(folder / f"{number:05}") for number in range(len(pems))]


def _alternated(confs: dict[str, Path], rounds: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in confs}
    for _ in range(rounds):
        for name, conf in confs.items():
            runs[name].append(run([find(), "-t", "-q", "-c", str(conf), "-p", str(conf.parent), "-e", "stderr"]))
    return runs


def _ratios(name: str, ours: list[Run], others: list[Run], *, bars: tuple[float | None, float | None]) -> list[Measure]:
    seconds, other_seconds = (median(each.cpu_seconds for each in runs) for runs in (ours, others))
    peak, other_peak = (max(each.peak_megabytes for each in runs) for runs in (ours, others))
    return [
        Measure(
            f"{name}, time", seconds / other_seconds, Unit.RATIO, bars[0], f"{seconds:.2f} s / {other_seconds:.2f} s"
        ),
        Measure(f"{name}, memory", peak / other_peak, Unit.RATIO, bars[1], f"{peak:.0f} MB / {other_peak:.0f} MB"),
    ]
