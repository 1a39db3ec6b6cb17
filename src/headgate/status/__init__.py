"""What came of a pass, in: patches of statuses and events about objects, out. Pure; whoever talks to the cluster writes them.

Accepted and live are separate truths: an object that we understood and nginx refused says so, with what serves instead. Only differences
come out: statuses are compared with what the cluster shows, events with what was said last (`Told`, which the caller keeps from
report to report). So reporting is idempotent, and a new leader simply reports again.
"""

from headgate.model.report import Report
from headgate.status.addresses import Sources, addresses_of
from headgate.status.events import events
from headgate.status.patches import patches
from headgate.status.seen import Seen, Shown
from headgate.status.told import Told

__all__ = ["Seen", "Shown", "Sources", "Told", "addresses_of", "report"]


def report(seen: Seen, shown: Shown, told: Told, *, statuses: bool) -> tuple[Report, Told]:
    """What to tell the cluster now, and what will have been told then. `statuses`: whether statuses are ours to write."""
    written = patches(seen, shown, told) if statuses else ()
    notes, sayings = events(seen, shown, told)
    return Report(written, notes), told.after(seen, shown, sayings, statuses=statuses)
