"""`python -m tests.e2e [pytest's arguments]`: make ready what needs the network, go where nothing is left behind, run pytest there."""

import sys
from pathlib import Path

from tests.e2e.ground import Ground
from tests.e2e.readiness import demand_root, made_ready

HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    demand_root()
    prepared = made_ready()
    with Ground() as ground:
        return ground.run([sys.executable, "-m", "pytest", *(arguments or [str(HERE)])], prepared)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
