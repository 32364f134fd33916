"""How the time of a small batch grows with what the window holds: one keyless band join over a
window, and over twice the window with half the band, at the same rates of input and output.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import mean, median

import numpy as np

from joinbench.arm import Arm, Sample, Unavailable
from joinbench.arms.stream import HDFS, ROCKSDB, Query, Run, StreamHost
from joinbench.checksum import Rows, of_rows
from joinbench.datasets import GrowthSet, Table, Workload, tables
from joinbench.streams import ensure_streams

CHUNK = 100_000


def pairs(workload: GrowthSet, r: Table, s: Table) -> Rows:
    """The join by itself: rows near in x by binary search, then those near in time."""
    order = np.argsort(s["a"], kind="stable")
    sorted_a = s["a"][order]
    low = np.searchsorted(sorted_a, r["x"] - workload.band, "left")
    high = np.searchsorted(sorted_a, r["x"] + workload.band, "right")
    found = []
    for start in range(0, workload.rows, CHUNK):
        first, counts = low[start : start + CHUNK], (high - low)[start : start + CHUNK]
        left = np.repeat(np.arange(start, start + len(counts)), counts)
        place = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        right = order[np.repeat(first, counts) + place]
        near = np.abs(r["ts"][left] - s["ts"][right]) <= workload.window_ms
        chosen = ({c: t[c][i[near]] for c in t} for t, i in ((r, left), (s, right)))
        found.append(of_rows(workload, *chosen))
    return Rows(sum(f.count for f in found), sum(f.checksum for f in found))


class Growth(Query):
    """Every sample is one small batch."""

    warms_itself = True

    def __init__(self, host: StreamHost, name: str, conf: Mapping[str, str]) -> None:
        super().__init__(host, name, True, conf)
        self.counted: list[Rows] = []

    def prepare(self, workload: Workload, data: Path) -> None:
        """Compares the rows, and thereby warms the session."""
        if not isinstance(workload, GrowthSet):
            raise Unavailable("it has no query for this workload")
        self.require_jar()
        streams = ensure_streams(workload, data)
        made = tables(workload).values()
        self.counted = []
        for asked in (workload, workload.doubled):
            expected, found = pairs(asked, *made), self.count(asked, self.frame(asked, streams))
            if found != expected:
                raise RuntimeError(f"{found} instead of {expected} on {asked}")
            self.counted.append(found)

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        assert isinstance(workload, GrowthSet)
        streams = ensure_streams(workload, data)
        samples = []
        for asked, rows in zip((workload, workload.doubled), self.counted, strict=True):
            run = self.host.run(self.frame(asked, streams))
            self.check(asked, run)
            half = {} if asked == workload else {"half": self.label(workload)}
            samples += self.batches(asked, rows, run, half)
        return samples

    def label(self, workload: GrowthSet) -> str:
        return f"{self.name}, window {workload.window_ms / 1000:g} s, band {workload.band}"

    def batches(
        self, workload: GrowthSet, rows: Rows, run: Run, half: dict[str, str]
    ) -> list[Sample]:
        small = [p for p in run.progress if p["numInputRows"] == 2 * workload.step]
        spent = {
            name: [float(p["durationMs"][name]) for p in small]
            for name in ("triggerExecution", "addBatch")
        }
        whole = spent["triggerExecution"]
        joins = [p["stateOperators"][0] for p in small]
        compared = [int(j["customMetrics"]["comparisons"]) for j in joins]
        facts = half | {
            "mean ms": mean(whole),
            "in the batch ms": median(spent["addBatch"]),
            "comparisons": median(compared),
            "state rows": median(int(j["numRowsTotal"]) for j in joins),
        }
        threads, work = self.host.settings.threads, {"tuples": 2.0 * workload.step}
        name = self.label(workload)
        return [Sample(name, "growth", ms / 1000, threads, rows, work, facts) for ms in whole]


def arms(host: StreamHost) -> list[Arm]:
    return [Growth(host, "growth-rocksdb", ROCKSDB), Growth(host, "growth-hdfs", HDFS)]
