"""`python -m tests.cluster.binaries` builds what the tests need; with `all`, also what makes a whole node."""

import sys

from tests.cluster.binaries import NODE, SERVERS, binary

for name in (*SERVERS, *NODE) if sys.argv[1:] == ["all"] else SERVERS:
    print(binary(name))
