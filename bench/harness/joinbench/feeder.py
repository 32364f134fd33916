"""Lets the files of two streams appear on a schedule, in folders that a query watches."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Schedule:
    """One file of each stream in each period, from the start on."""

    files: int
    """Of each stream."""
    period: float
    """Seconds."""
    uncounted: int
    """Files of each stream during which the query warms up and its windows fill."""


class Feeder(threading.Thread):
    """Feeds `R` and `S` of a folder from those of another, on the same file system, where a link
    makes a file appear whole. The first files are there before the thread starts.
    """

    def __init__(self, written: Path, watched: Path, schedule: Schedule) -> None:
        super().__init__(name="feeder", daemon=True)
        self.written = written
        self.watched = watched
        self.schedule = schedule
        self.appeared: list[float] = []
        """When the files of each period were there, in seconds of the system's clock."""
        self.late = 0.0
        """How far it fell behind its schedule at most."""
        self.ended = threading.Event()
        for name in "RS":
            (watched / name).mkdir()
        self.add(0)

    def add(self, number: int) -> None:
        for name in "RS":
            file = Path(name) / f"{number:04d}.parquet"
            os.link(self.written / file, self.watched / file)
        self.appeared.append(time.time())

    def run(self) -> None:
        start = time.time()
        for number in range(1, self.schedule.files):
            due = start + number * self.schedule.period
            if self.ended.wait(max(0.0, due - time.time())):
                return
            self.add(number)
            self.late = max(self.late, self.appeared[-1] - due)

    def feed(self, query: object) -> None:
        """Returns when a query has read every file; with its error when it has failed."""
        self.start()
        while self.is_alive() and query.isActive:  # type: ignore[attr-defined]
            self.join(1)
        self.ended.set()
        self.join()
        query.processAllAvailable()  # type: ignore[attr-defined]
