"""The data sets as streams: two ordered streams of Parquet files.

The i-th file of either stream covers the same span of time, and no time is split between two
files: the next file's rows are all above the watermark that the one before leaves. Times are
TIMESTAMP columns, and none lies at the epoch, which is Spark's first watermark.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from joinbench.datasets import (
    Column,
    GrowthSet,
    Table,
    Workload,
    digest,
    tables,
    timestamps,
)

FILES_VERSION = 1
BATCHES = 10
SHIFT_MS = 86_400_000
FIRST_WRITTEN = 1_700_000_000
"""Spark reads the files of a stream in the order of their modification times."""


def wanted_ends(workload: Workload, files: int | None = None) -> list[int]:
    even = workload.filled if isinstance(workload, GrowthSet) else workload.rows
    parts = files or BATCHES
    until = [even * (part + 1) // parts for part in range(parts)]
    if isinstance(workload, GrowthSet):
        until += range(even + workload.step, workload.rows + 1, workload.step)
    return until


def last_times(workload: Workload, files: int | None = None) -> Column:
    """Of each file of either stream the last time that it may hold."""
    ts = timestamps(workload)
    last: Column = ts[np.array(wanted_ends(workload, files)) - 1]
    return last


def ends(times: Column, last: Column) -> list[int]:
    """The rows of a stream before which its files end."""
    return [int(end) for end in np.searchsorted(times, last, "right")]


TIMES = ("ts", "e")
"""The columns that are times: an interval has two."""


def with_time(table: Table) -> pa.Table:
    def time(column: Column) -> pa.Array:
        micros = pa.array((column.astype(np.int64) + SHIFT_MS) * 1000)
        return micros.cast(pa.timestamp("us", tz="UTC"))

    columns = {name: time(table[name]) if name in TIMES else table[name] for name in table}
    return pa.table(columns)


def common_ends(workload: Workload, files: int | None = None) -> list[int]:
    """The same of each stream of a set whose streams have the same times."""
    return ends(timestamps(workload), last_times(workload, files))


def write_stream(folder: Path, table: Table, until: list[int]) -> None:
    folder.mkdir(parents=True)
    rows = with_time(table)
    for number, (start, end) in enumerate(zip([0, *until], until, strict=False)):
        path = folder / f"{number:04d}.parquet"
        pq.write_table(rows.slice(start, end - start), path)  # type: ignore[no-untyped-call]
        os.utime(path, (FIRST_WRITTEN + number, FIRST_WRITTEN + number))


def ensure_streams(workload: Workload, data: Path, files: int | None = None) -> Path:
    """The folder of `R` and `S`, written now unless a finished one is there; in as many files as
    asked for, or as there are batches.
    """
    last = last_times(workload, files)
    until = common_ends(workload, files)
    folder = data / ("streams" if files is None else f"streams-{files}")
    meta = folder / "meta.json"
    facts = json.dumps([FILES_VERSION, SHIFT_MS, until, digest(workload)])
    if meta.exists() and meta.read_text() == facts:
        return folder
    fresh = data / f"{folder.name}.partial"
    for left_over in (folder, fresh):
        shutil.rmtree(left_over, ignore_errors=True)
    for stream, table in tables(workload).items():
        write_stream(fresh / stream, table, ends(table["ts"], last))
    (fresh / "meta.json").write_text(facts)
    fresh.rename(folder)
    return folder
