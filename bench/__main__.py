"""`python -m bench [NAME…]`: run measurements and print one table of values, bars and verdicts, with the facts of the machine.

The bars are those of the design; what has none is there to be read. A bar that is missed is a result like any other: machines
differ, and the verdict stands in the table.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from bench import change, parse, requests, startup
from bench.facts import facts
from bench.table import Measure, markdown

MEASUREMENTS: Mapping[str, Callable[[Path], list[Measure]]] = {
    "startup": startup.measure,
    "change": change.measure,
    "parse": parse.measure,
    "requests": requests.measure,
}


def main() -> None:
    arguments = _arguments()
    ground = Path(tempfile.mkdtemp(prefix="headgate-bench-", dir=arguments.folder))
    ground.chmod(0o755)  # root's workers are somebody else, and must be able to enter
    try:
        machine = facts(ground)
        measures = []
        for name in arguments.names or MEASUREMENTS:
            measures += _measured(name, ground / name)
    finally:
        # All at once and at the end: ext4 takes long to make files where others have just been deleted.
        shutil.rmtree(ground, ignore_errors=True)
    print("\n".join(f"- {fact}: {value}" for fact, value in machine.items()), markdown(measures), sep="\n\n")
    if arguments.json is not None:
        rows = [{**msgspec.to_builtins(measure), "verdict": measure.verdict} for measure in measures]
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode({"facts": machine, "measures": rows})))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Headgate against its bars.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MEASUREMENTS)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where files are made (default: the folder for temporary files)"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - MEASUREMENTS.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}: choose of {', '.join(MEASUREMENTS)}")
    return arguments


def _measured(name: str, ground: Path) -> list[Measure]:
    began = time.monotonic()
    measures = MEASUREMENTS[name](ground)
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return measures


if __name__ == "__main__":
    main()
