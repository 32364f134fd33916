"""The machine's limit: `native/kernel.cpp`, compiled here with g++ and called in process.

`cpp-nl`, `cpp-nlsc` and `cpp-grid` time the loop alone, over columns in memory;
`cpp-grid-parquet` times the engines' span, from Parquet to counted and checksummed rows.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from joinbench.arm import Arm, Sample, Settings, Unavailable, timed
from joinbench.checksum import Rows, of_rows
from joinbench.datasets import BAND, Table, Workload

FLAGS = ["-O3", "-march=native", "-std=c++20", "-shared", "-fPIC", "-pthread"]
SOURCE = Path(__file__).parents[3] / "native" / "kernel.cpp"


class Columns(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_int64),
        ("ts", ctypes.c_void_p),
        ("key", ctypes.c_void_p),
        ("value", ctypes.c_void_p),
    )


class Query(ctypes.Structure):
    _fields_ = (
        ("window", ctypes.c_int64),
        ("key_band", ctypes.c_int32),
        ("value_band", ctypes.c_float),
    )


class Totals(ctypes.Structure):
    _fields_ = (
        ("matches", ctypes.c_int64),
        ("checksum", ctypes.c_int64),
        ("comparisons", ctypes.c_int64),
    )


def compiler() -> str | None:
    return shutil.which(os.environ.get("CXX", "g++"))


def library(settings: Settings) -> ctypes.CDLL:
    """Compiles the source unless this very text has been compiled here before, and loads it."""
    gxx = compiler()
    if gxx is None:
        raise Unavailable("there is no g++ on the PATH; install it to see the machine's limit")
    key = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    target = settings.work / "bench-native" / f"kernel-{key}.so"
    if not target.exists():
        settings.say("compiling the C++ kernel")
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_suffix(".partial")
        subprocess.run([gxx, *FLAGS, str(SOURCE), "-o", str(fresh)], check=True)
        fresh.rename(target)
    loaded = ctypes.CDLL(str(target))
    loaded.nested_loop.restype = Totals
    loaded.grid_join.restype = Totals
    loaded.take_pairs.restype = None
    return loaded


class Stream:
    """Three columns, kept alive for as long as C++ may read them."""

    def __init__(self, ts: Any, key: Any, value: Any) -> None:
        self.ts = np.ascontiguousarray(ts, dtype=np.int64)
        self.key = np.ascontiguousarray(key, dtype=np.int32)
        self.value = np.ascontiguousarray(value, dtype=np.float32)
        arrays = (self.ts, self.key, self.value)
        self.columns = Columns(len(self.ts), *(a.ctypes.data for a in arrays))

    @classmethod
    def of_files(cls, data: Path, stream: str) -> Stream:
        kinds = (("ts", "<i8"), ("i", "<i4"), ("f", "<f4"))
        return cls(*(np.fromfile(data / f"{stream}.{c}.bin", dtype=d) for c, d in kinds))

    @classmethod
    def of_table(cls, table: Table) -> Stream:
        ts, key, value = list(table.values())[:3]
        return cls(ts, key, value)


def query_of(workload: Workload) -> Query:
    if workload.kind == "band":
        return Query(workload.window_ms, BAND, BAND)
    return Query(workload.window_ms, 0, math.inf)


class Loop(Arm):
    """One loop shape on one thread count, over columns in memory."""

    def __init__(self, settings: Settings, name: str, threads: int) -> None:
        self.name = name
        self.settings = settings
        self.threads = threads
        self.library: Any = None
        self.streams: tuple[Stream, Stream]

    def is_slow(self, workload: Workload) -> bool:
        return workload.name == "C" and self.name != "cpp-grid"

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed"):
            raise Unavailable("it has no loop for this workload")
        if workload.kind == "keyed" and self.name != "cpp-grid":
            raise Unavailable("comparing every pair says nothing about an equal key")
        self.library = library(self.settings)
        self.streams = (Stream.of_files(data, "R"), Stream.of_files(data, "S"))

    def call(self, query: Query) -> Totals:
        r, s = (ctypes.byref(stream.columns) for stream in self.streams)
        threads = ctypes.c_int64(self.threads)
        if self.name == "cpp-grid":
            totals = self.library.grid_join(r, s, ctypes.byref(query), threads, None)
        else:
            vectorised = ctypes.c_int32(self.name == "cpp-nl")
            totals = self.library.nested_loop(r, s, ctypes.byref(query), threads, vectorised)
        assert isinstance(totals, Totals)
        return totals

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        query = query_of(workload)
        start = time.perf_counter()
        totals = self.call(query)
        seconds = time.perf_counter() - start
        work = {"tuples": float(workload.tuples)}
        if self.name != "cpp-grid":
            work["comparisons"] = float(totals.comparisons)
        rows = Rows(totals.matches, totals.checksum)
        return [Sample(self.name, "kernel", seconds, self.threads, rows, work)]

    def versions(self) -> dict[str, str]:
        gxx = compiler()
        if gxx is None:
            return {}
        done = subprocess.run([gxx, "-dumpfullversion"], capture_output=True, text=True)
        return {"g++": done.stdout.strip(), "g++ flags": " ".join(FLAGS[:3])}


def read(data: Path, stream: str) -> Table:
    table = pq.read_table(data / f"{stream}.parquet")  # type: ignore[no-untyped-call]
    return {name: table[name].to_numpy() for name in table.column_names}


class GridFromParquet(Loop):
    """The grid as an engine: read Parquet, join, gather every column of the pairs, checksum."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, "cpp-grid-parquet", settings.threads)

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed"):
            raise Unavailable("it has no loop for this workload")
        self.library = library(self.settings)

    def pairs(self, workload: Workload, r: Table, s: Table) -> list[npt.NDArray[np.int64]]:
        streams = (Stream.of_table(r), Stream.of_table(s))
        kept = ctypes.c_void_p()
        totals = self.library.grid_join(
            *(ctypes.byref(stream.columns) for stream in streams),
            ctypes.byref(query_of(workload)),
            ctypes.c_int64(self.threads),
            ctypes.byref(kept),
        )
        chosen = [np.empty(totals.matches, dtype=np.int64) for _ in "rs"]
        self.library.take_pairs(kept, *(ctypes.c_void_p(a.ctypes.data) for a in chosen))
        return chosen

    def query(self, workload: Workload, data: Path) -> Rows:
        tables = read(data, "R"), read(data, "S")
        chosen = self.pairs(workload, *tables)
        r, s = (
            {name: column[rows] for name, column in table.items()}
            for table, rows in zip(tables, chosen, strict=True)
        )
        return of_rows(workload, r, s)

    def is_slow(self, workload: Workload) -> bool:
        return False

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        return timed(self.name, self.threads, workload, lambda: self.query(workload, data))


def arms(settings: Settings) -> list[Arm]:
    counts = [t for t in (1, 2, 4, 8, 16, 32, 64) if t <= settings.threads]
    loops: list[Arm] = [
        Loop(settings, name, threads)
        for name in ("cpp-nl", "cpp-nlsc", "cpp-grid")
        for threads in counts
    ]
    return [*loops, GridFromParquet(settings)]
