"""How long a result waits with a trigger of one second: scalegate's join and Spark's own, of two
streams whose files appear one after the other, at half of the load that Spark's join sustains.

The latency of a file's results is the time from its appearance to the end of the batch that read
it. A period of the files is longer than the trigger's by a part of it that goes into it a whole
number of times, so that files appear at every moment between two triggers equally often.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from joinbench.arm import Arm, Sample, Unavailable
from joinbench.arms.stream import HDFS, Progress, Query, Run, StreamHost
from joinbench.datasets import Workload
from joinbench.feeder import Feeder, Schedule
from joinbench.streams import common_ends, ensure_streams

TRIGGER = "1 second"
LOAD = 24_000
"""Tuples of both streams a second: half of what Spark's join does with its state in memory."""
SCHEDULE = Schedule(files=80, period=25 / 24, uncounted=32)
"""On the set K, 12,500 rows of each stream a file."""
EVERY_FILE = 1_000_000
"""As many files a batch as there are."""


def end(batch: Progress) -> float:
    """When it ended, in seconds of the system's clock."""
    start = datetime.fromisoformat(batch["timestamp"].replace("Z", "+00:00")).timestamp()
    return start + float(batch["durationMs"]["triggerExecution"]) / 1000


def given(progress: Sequence[Progress], stream: str, until: Sequence[int]) -> list[float]:
    """When the results of each file of a stream were there. Files are read in their order, so
    the rows read so far tell which ones a batch has read.
    """
    read, found = 0, []
    for batch in progress:
        (source,) = (s for s in batch["sources"] if s["description"].endswith(f"/{stream}]"))
        read += int(source["numInputRows"])
        while len(found) < len(until) and until[len(found)] <= read:
            found.append(end(batch))
    return found


class Latency(Query):
    """Every sample is one file. A run has its warm-up within it."""

    warms_itself = True

    def __init__(self, host: StreamHost, name: str, ours: bool, schedule: Schedule) -> None:
        super().__init__(host, name, ours, HDFS)
        self.schedule = schedule
        self.batches: list[float] = []
        self.waiting = 0
        self.late = 0.0

    def is_slow(self, workload: Workload) -> bool:
        return False

    def prepare(self, workload: Workload, data: Path) -> None:
        """Compares the rows, one file of each stream a batch, and thereby warms the session."""
        if workload.kind != "keyed":
            raise Unavailable("it has no query for this workload")
        self.require_jar()
        written = ensure_streams(workload, data, self.schedule.files)
        self.rows = self.count(workload, self.frame(workload, written))

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        written = ensure_streams(workload, data, self.schedule.files)
        with tempfile.TemporaryDirectory(dir=data) as watched:
            feeder = Feeder(written, Path(watched), self.schedule)
            frame = self.frame(workload, Path(watched), EVERY_FILE)
            run = self.host.watch(frame, {"processingTime": TRIGGER}, feeder.feed)
        self.check(workload, run)
        return self.samples(workload, run, feeder)

    def check(self, workload: Workload, run: Run) -> None:
        """Nor when other rows were given than were compared."""
        super().check(workload, run)
        if self.rows is None:
            return
        found = sum(max(0, int(p["sink"]["numOutputRows"])) for p in run.progress)
        if found != self.rows.count:
            raise RuntimeError(f"{found:,} rows were given instead of {self.rows.count:,}")

    def samples(self, workload: Workload, run: Run, feeder: Feeder) -> list[Sample]:
        until, first = common_ends(workload, self.schedule.files), self.schedule.uncounted
        there = feeder.appeared
        when = [given(run.progress, name, until) for name in "RS"]
        self.batches += [
            ms / 1000
            for p, ms in zip(run.progress, run.milliseconds("triggerExecution"), strict=True)
            if end(p) > there[first]
        ]
        self.waiting = max(self.waiting, *(sum(t > there[-1] for t in of) for of in when))
        self.late = max(self.late, feeder.late)
        waits = [of[i] - there[i] for i in range(first, len(until)) for of in when]
        work, told = {"tuples": float(workload.tuples)}, self.facts(workload)
        threads = self.host.settings.threads
        return [Sample(self.name, "trigger", s, threads, self.rows, work, told) for s in waits]

    def facts(self, workload: Workload) -> dict[str, Any]:
        """Of all rounds so far, the worst where it is a matter of keeping up."""
        load = workload.tuples / self.schedule.files / self.schedule.period
        return {
            "load tuples/s": load,
            "median batch s": median(self.batches),
            "longest batch s": max(self.batches),
            "files waiting at the end": self.waiting,
            "feeder late ms": 1000 * self.late,
        }


def arms(host: StreamHost, schedule: Schedule = SCHEDULE) -> list[Arm]:
    return [
        Latency(host, "scalegate", True, schedule),
        Latency(host, "spark", False, schedule),
    ]
