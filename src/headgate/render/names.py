"""File names: `<namespace>-<name>`, as people who know F5's controller expect to find them.

Two different objects can ask for one name (`a-b/c` and `a/b-c`): the one that comes first keeps it, the other gets a short hash
behind. Names go in the order of refs, so everyone who computes them agrees.
"""

import hashlib
from collections.abc import Iterable

from headgate.api import Ref


def file_names(refs: Iterable[Ref]) -> dict[Ref, str]:
    names: dict[Ref, str] = {}
    taken: set[str] = set()
    for ref in sorted(refs):
        name = f"{ref.namespace}-{ref.name}"
        if name in taken:
            digest = hashlib.blake2b(str(ref).encode(), digest_size=4).hexdigest()
            name = f"{name}-{digest}"
        taken.add(name)
        names[ref] = name
    return names
