"""The rows of a workload's join, by comparing every row with every other."""

import numpy as np
from joinbench.checksum import Rows, of_rows
from joinbench.datasets import GrowthSet, Workload, tables


def brute_force(workload: Workload) -> Rows:
    r, s = tables(workload).values()
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
