"""Whom to blame: nginx's complaint in, the objects at fault out, each with nginx's own words.

A line that belongs to a suspect decides at once. Much else does not: values that only clash when nginx merges them are
reported at the closing brace of `http`, an unknown variable at no line at all, and a duplicate at whichever of the two
stands later, which may be the innocent one. Then the message's own names are followed, and after that a bisection over
parts (see `inquiry`). When one culprit is known the other suspects are swept for plain mistakes, a few hundred files
at a time: a parse of parts is cheaper than one of the whole, and the next whole parse need not stop at each of them.
"""

import asyncio
from collections.abc import Iterator, Sequence

from headgate.api import Ref
from headgate.model.outcome import Blame
from headgate.nginx.inquiry import Inquiry
from headgate.nginx.words import Complaint

SWEPT_AT_ONCE = 200  # 10,000 files: 50 parses of some 30 ms; the whole takes seconds and grows quadratically


async def blame(complaint: Complaint, inquiry: Inquiry, sound: dict[str, str]) -> tuple[Blame, ...]:
    """At least one culprit wherever anybody can be found; `sound` remembers texts that need not be swept again."""
    culprit = await accused(complaint, inquiry)
    if culprit is None:
        return ()
    first = Blame(culprit, complaint.message)
    if culprit not in inquiry.owned:
        return (first,)
    return (first, *await sweep(culprit, inquiry, sound))


async def accused(complaint: Complaint, inquiry: Inquiry) -> Ref | None:
    source = inquiry.source_of(complaint)
    if source in inquiry.suspects:
        return await inquiry.guest_at_fault(complaint.path, complaint.gist) or source
    if (secret := inquiry.secret_in(complaint)) is not None:
        return secret
    named = await asyncio.to_thread(inquiry.mentioning, complaint)
    if complaint.bind:  # a test run does not mind a port in use: trials could prove nothing
        return named[0] if len(named) == 1 else None
    if inquiry.spread and await inquiry.complains(()):
        return inquiry.spread[0]
    found = await inquiry.search(named, complaint.gist)
    if found is None and len(named) < len(inquiry.suspects):
        found = await inquiry.search(tuple(inquiry.suspects), complaint.gist)
    return found or next(iter(inquiry.spread), None) or source


async def sweep(culprit: Ref, inquiry: Inquiry, sound: dict[str, str]) -> list[Blame]:
    """Other suspects with a plain mistake of their own."""
    paths = [
        path
        for ref, owned in inquiry.owned.items()
        for path in owned
        if ref != culprit and sound.get(path) is not inquiry.files[path].text
    ]
    found: dict[Ref, Blame] = {}
    for some in chunks(sorted(paths), SWEPT_AT_ONCE):
        for blamed in await sweep_some(some, inquiry, sound):
            found.setdefault(blamed.ref, blamed)
    return list(found.values())


async def sweep_some(paths: list[str], inquiry: Inquiry, sound: dict[str, str]) -> list[Blame]:
    found: list[Blame] = []
    while paths and (complaint := await inquiry.complains(paths)) is not None:
        if complaint.path not in paths:
            return found  # nginx does not say where: the next whole parse will ask
        paths.remove(complaint.path)
        source = inquiry.source_of(complaint)
        if source in inquiry.owned and complaint.plainly_wrong and complaint.path not in inquiry.guests:
            found.append(Blame(source, complaint.message))
    sound.update((path, inquiry.files[path].text) for path in paths)
    return found


def chunks(paths: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(paths), size):
        yield list(paths[start : start + size])
