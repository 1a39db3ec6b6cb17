"""The run folder: pid, sockets, the emergency log, and the mark of the last generation that was live.

A layout goes in; what nginx left there comes out. The emergency log is one of nginx's own error logs, at level
`emerg`: it grows only when something is refused, so we remember where it ended and read what came after.
"""

import os
from contextlib import suppress
from pathlib import Path

from headgate.model.layout import Layout
from headgate.nginx.words import Complaint, complaint_in


class RunFolder:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._marker = Path(layout.run) / "live"

    def last_live(self) -> int:
        """The generation that was live last, by this run or the one before; 0 when none ever was."""
        try:
            return int(self._marker.read_text())
        except (OSError, ValueError):
            return 0

    def mark_live(self, generation: int) -> None:
        new = self._marker.with_name(".live")
        new.write_text(f"{generation}\n")
        new.replace(self._marker)

    def has_socket(self) -> bool:
        """nginx takes its sockets away as soon as it is told to quit."""
        return Path(self._layout.version_socket).exists()

    def log_size(self) -> int:
        try:
            return Path(self._layout.emergency_log).stat().st_size
        except FileNotFoundError:
            return 0

    def complaint(self, pid: int, offset: int) -> Complaint | None:
        """What the master of this pid complained of after the log had that size."""
        if self.log_size() <= offset:
            return None
        with Path(self._layout.emergency_log).open("rb") as log:
            log.seek(offset)
            text = log.read().decode(errors="replace")
        return complaint_in(text, pid=pid, root=self._layout.tree)

    def clear(self) -> None:
        """Nothing runs. A socket that is there already cannot be bound; a pid may be somebody else's one day."""
        for stale in Path(self._layout.run).glob("*.sock"):
            if str(stale) != self._layout.syslog_socket:  # that one is ours, and lives longer than an nginx
                stale.unlink(missing_ok=True)
        Path(self._layout.pid_file).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            os.truncate(self._layout.emergency_log, 0)  # not removed: workers are known by having it open
