"""File names: `<namespace>-<name>`, as people who know F5's controller expect to find them.

Two different objects can ask for one name (`a-b/c` and `a/b-c`): the one that comes first keeps it, the other gets a short hash
behind. So does a name that no file can have: Kubernetes allows longer ones than a disk does. Names go in the order of refs, so
everyone who computes them agrees.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import count

from headgate.api import Ref

_LONGEST = 200  # a disk takes 255 bytes, and a hash and an ending may follow
_UNFIT = re.compile(r"[^A-Za-z0-9.-]", re.ASCII)


def file_names(refs: Iterable[Ref]) -> dict[Ref, str]:
    names: dict[Ref, str] = {}
    taken: set[str] = set()
    for ref in sorted(refs):
        name = f"{ref.namespace}-{ref.name}"
        if name in taken or len(name) > _LONGEST or _UNFIT.search(name):
            name = next(other for other in _others(ref, name) if other not in taken)
        taken.add(name)
        names[ref] = name
    return names


def _others(ref: Ref, name: str) -> Iterator[str]:
    """More than one, since somebody may ask for the very name that the first hash makes."""
    stem = _UNFIT.sub("", name)[:_LONGEST]
    for attempt in count():
        told = f"{ref} {attempt}" if attempt else str(ref)
        digest = hashlib.blake2b(told.encode(errors="surrogatepass"), digest_size=4).hexdigest()
        yield f"{stem}-{digest}"
