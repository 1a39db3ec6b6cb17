"""`python -m tests.cluster [pytest's arguments]`: build what is missing, enter the namespace, run pytest there.

Without a path among the arguments it is this tier that runs. Any other test runs inside as well: loopback is all that
they need, so `python -m tests.cluster -n auto tests` is everything in one go.
"""

import sys
from pathlib import Path

from tests.cluster.binaries import SERVERS, binary
from tests.cluster.namespace import enter

HERE = Path(__file__).parent


def main(arguments: list[str]) -> None:
    for name in SERVERS:
        binary(name)
    names_tests = any(Path(each.partition("::")[0]).exists() for each in arguments if not each.startswith("-"))
    enter([sys.executable, "-m", "pytest", *arguments, *([] if names_tests else [str(HERE)])])


if __name__ == "__main__":
    main(sys.argv[1:])
