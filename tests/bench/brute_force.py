"""The rows of a workload's join, by comparing every row with every other; those of its windows,
by comparing every row with every window.
"""

import numpy as np
from joinbench.checksum import Rows, of_rows, of_windows
from joinbench.datasets import (
    AroundSet,
    AsOfSet,
    GrowthSet,
    IntervalSet,
    Table,
    WindowSet,
    Workload,
    tables,
)


def brute_force(workload: Workload) -> Rows:
    r, s = tables(workload).values()
    if isinstance(workload, AroundSet):
        return rows_before(workload, r, s)
    if isinstance(workload, AsOfSet):
        return last_before(workload, r, s)
    if isinstance(workload, IntervalSet):
        return of_intervals(workload, r, s)
    match = np.abs(r["ts"][:, None] - s["ts"]) <= workload.window_ms
    if workload.kind == "keyed":
        match &= r["k"][:, None] == s["k"]
    elif isinstance(workload, GrowthSet):
        match &= np.abs(r["x"][:, None] - s["a"]) <= workload.band
    else:
        match &= np.abs(r["x"][:, None] - s["a"]) <= 10
        match &= np.abs(r["y"][:, None] - s["b"]) <= np.float32(10)
    i, j = np.nonzero(match)
    left = {name: column[i] for name, column in r.items()}
    return of_rows(workload, left, {name: column[j] for name, column in s.items()})


def of_intervals(workload: IntervalSet, r: Table, s: Table) -> Rows:
    if workload.compared:
        match = (r["ts"][:, None] < s["ts"]) & (r["e"][:, None] > s["e"])
    else:
        match = (r["ts"][:, None] <= s["e"]) & (r["e"][:, None] >= s["ts"])
        match &= r["k"][:, None] == s["k"]
    i, j = np.nonzero(match)
    left = {name: column[i] for name, column in r.items()}
    return of_rows(workload, left, {name: column[j] for name, column in s.items()})


def last_before(workload: AsOfSet, r: Table, s: Table) -> Rows:
    may = (s["ts"] <= r["ts"][:, None]) & (s["k"] == r["k"][:, None])
    found = np.flatnonzero(may.any(axis=1))
    last = np.where(may, s["ts"], -1).argmax(axis=1)[found]
    left = {name: column[found] for name, column in r.items()}
    return of_rows(workload, left, {name: column[last] for name, column in s.items()})


def rows_before(workload: AroundSet, r: Table, s: Table) -> Rows:
    value = np.floor(s["v"].astype(np.float64) * 1_000_000).astype(np.int64)
    may = (s["ts"] <= r["ts"][:, None]) & (s["k"] == r["k"][:, None])
    a, b = np.zeros(len(r["ts"]), np.int64), np.zeros(len(r["ts"]))
    for window_ms in workload.windows_ms:
        near = may & (s["ts"] >= r["ts"][:, None] - window_ms)
        found = [value[row] for row in near]
        a += np.array([of.sum() + of.max() if len(of) else 0 for of in found])
        b += np.array([of.mean() if len(of) else 0.0 for of in found])
    return of_windows({"end_ms": r["ts"], "k": r["k"], "a": a, "b": b})


FUNCTIONS = {"sum": np.sum, "max": np.max, "count": len, "avg": np.mean}


def brute_force_windows(workload: WindowSet, until: int | None = None) -> Rows:
    """All windows that hold rows, or those that end no later than `until`."""
    streams = tables(workload).values()
    ts, key, value = (np.concatenate([s[name] for s in streams]) for name in ("ts", "k", "v"))
    rows = []
    last = int(ts.max()) + workload.window_ms if until is None else until
    for end in range(0, last + 1, workload.slide_ms):
        inside = (ts >= end - workload.window_ms) & (ts < end)
        for k in np.unique(key[inside]):
            of = value[inside & (key == k)]
            rows.append((end, k, *(FUNCTIONS[name](of) for name in workload.functions)))
    columns = zip(("end_ms", "k", "a", "b"), zip(*rows, strict=True), strict=True)
    return of_windows({name: np.array(column) for name, column in columns})
