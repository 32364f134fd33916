"""The data sets: what each one is, and the generator that writes it once.

A set lies in a folder of its own: `<stream>.parquet/` (a folder of part files, so that an engine
that reads by file can use several cores), and one little-endian file per numeric column for
programs without a Parquet reader: `<stream>.ts.bin` (int64, milliseconds, ascending),
`.i.bin` (int32: x, a or the key), `.f.bin` (float32: y, b or the value).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

GENERATOR_VERSION = 1
PARTS = 4
BAND = 10
ALONE = ("gate", "core", "live", "figures")
"""Kinds whose programs make their own streams."""

Column = npt.NDArray[Any]
Table = dict[str, Column]


@dataclass(frozen=True)
class Workload:
    """What is common to all sets. `results` is the number of rows that the join must deliver."""

    name: str
    kind: str
    rows: int
    rate: int
    seed: int
    results: int
    window_ms: int = 0
    checksum: int | None = None
    """Of those rows, as `joinbench.checksum` defines it, where several engines agree on it."""

    @property
    def tuples(self) -> int:
        """Tuples of all streams together."""
        return 2 * self.rows


@dataclass(frozen=True)
class BandSet(Workload):
    """R⟨ts, x, y, z⟩ and S⟨ts, a, b, c, d⟩: |x−a| ≤ 10, |y−b| ≤ 10, |r.ts−s.ts| ≤ window."""


@dataclass(frozen=True)
class SelfSet(Workload):
    """R⟨ts, x, y, z⟩ with itself, S⟨ts, a, b⟩: |x−a| ≤ 10, |y−b| ≤ 10, |r.ts−s.ts| ≤ window."""

    streams: int = 1

    @property
    def tuples(self) -> int:
        return self.rows


@dataclass(frozen=True)
class KeyedSet(Workload):
    """R and S⟨ts, k, v⟩: equal key and |r.ts−s.ts| ≤ window; keys uniform, Zipf, or one hot."""

    # `zipf` is the exponent, 0 for uniform keys; `hot` is the share of rows that have one key.
    keys: int = 10_000
    zipf: float = 0.0
    hot: float = 0.0


@dataclass(frozen=True)
class AsOfSet(KeyedSet):
    """R and S⟨ts, k, v⟩: each row of R with the last row of S before it, or at it, with its key.

    No two rows of S have one time; both sides rise in time.
    """

    left_rows: int = 0
    """Of R; `rows` are those of S. `hot` is a share of S."""

    @property
    def tuples(self) -> int:
        return self.left_rows + self.rows

    @property
    def keyed(self) -> bool:
        return self.keys > 1


@dataclass(frozen=True)
class AroundSet(AsOfSet):
    """R and S⟨ts, k, v⟩: each row of R with the sum, the maximum and the average of those rows of
    S that have its key, from a window before its time to it; of several windows these are added.
    """

    files: str = ""
    """The set whose files these are; its own where there is none."""
    more_ms: tuple[int, ...] = ()
    """Further windows, all longer."""

    @property
    def windows_ms(self) -> tuple[int, ...]:
        return (self.window_ms, *self.more_ms)


@dataclass(frozen=True)
class IntervalSet(Workload):
    """R and S⟨ts, e, v, k⟩: intervals from ts to e that overlap, of equal keys where there are
    several; or, where they are `compared`, r.ts < s.ts and r.e > s.e.
    """

    left_rows: int = 0
    """Of R; `rows` are those of S."""
    span: int = 90_000_000
    """Times are from 0 to it."""
    longest: tuple[int, int] = (0, 0)
    """Intervals are shorter, on either side; those of R are points where it is 0. Those of S do
    not overlap each other where it is 0."""
    keys: int = 1
    compared: bool = False
    """Ends are at most so far from times, both ways."""

    @property
    def tuples(self) -> int:
        return self.left_rows + self.rows


@dataclass(frozen=True)
class GrowthSet(Workload):
    """R⟨ts, x, y⟩ and S⟨ts, a, b⟩: |x−a| ≤ band and |r.ts−s.ts| ≤ window; uniform in 0…10⁸. As a
    stream it comes in large batches until the window is full twice, and then in small ones.
    """

    band: int = 50
    step: int = 10_000
    """Rows of each stream in a small batch."""
    steps: int = 50

    @property
    def filled(self) -> int:
        """Rows of each stream before the small batches."""
        return self.rows - self.step * self.steps

    @property
    def doubled(self) -> GrowthSet:
        """Twice the window and half the band: as many matches."""
        return replace(self, window_ms=2 * self.window_ms, band=self.band // 2)


@dataclass(frozen=True)
class WindowSet(Workload):
    """Streams s0…⟨ts, k, v⟩, aggregated as one, by key over windows that slide."""

    streams: int = 4
    keys: int = 1_000
    slide_ms: int = 1_000
    """Of which a window is a whole number long."""
    functions: tuple[str, str] = ("sum", "max")
    """Of v."""

    @property
    def tuples(self) -> int:
        return self.streams * self.rows


SETS: dict[str, Workload] = {
    s.name: s
    for s in (
        BandSet("A0", "band", 30_000, 1_000, 7, 477, 2_000),
        BandSet("A", "band", 60_000, 1_000, 1, 4_731, 10_000, 5_067_641_212_714),
        BandSet("B", "band", 180_000, 1_000, 2, 75_564, 60_000, 81_088_573_387_893),
        BandSet("C", "band", 1_200_000, 10_000, 3, 4_534_301, 60_000, 4_869_244_782_384_925),
        SelfSet("BS", "self", 500_000, 1_000, 18, 736_576, 60_000),
        KeyedSet("K", "keyed", 1_000_000, 10_000, 4, 19_001_421, 10_000, 20_404_602_652_063_851),
        KeyedSet(
            "Z", "keyed", 1_000_000, 10_000, 5, 34_342_600, 100, 36_631_969_774_205_648, zipf=1.0
        ),
        KeyedSet("U", "keyed", 2_000_000, 10_000, 8, 6_027, 1, 6_393_724_371_032),
        KeyedSet(
            "H", "keyed", 2_000_000, 10_000, 8, 15_004_803, 1, 16_058_260_783_666_364, hot=0.5
        ),
        AsOfSet("AS0", "asof", 20_000, 1_000, 11, 20_000, keys=1, left_rows=20_000),
        AsOfSet("ASM", "asof", 100_000, 1_000, 11, 100_000, keys=1, left_rows=100_000),
        AsOfSet("AS", "asof", 1_000_000, 1_000, 11, 1_000_000, keys=1, left_rows=1_000_000),
        AsOfSet(
            "ASK",
            "asof",
            20_000_000,
            1_000,
            12,
            4_999_728,
            keys=1_000,
            zipf=1.1,
            left_rows=5_000_000,
        ),
        AsOfSet(
            "ASD",
            "asof",
            20_000_000,
            1_000,
            12,
            4_997_472,
            keys=1_000,
            zipf=1.1,
            hot=0.9,
            left_rows=5_000_000,
        ),
        AroundSet("WA0", "around", 20_000, 1_000, 13, 20_000, 10_000, keys=10, left_rows=20_000),
        *(
            AroundSet(
                f"WA{seconds}",
                "around",
                20_000_000,
                1_000,
                12,
                5_000_000,
                seconds * 1_000,
                keys=1_000,
                zipf=1.1,
                left_rows=5_000_000,
                files="ASK",
            )
            for seconds in (1, 10, 100)
        ),
        AroundSet(
            "WA3",
            "around",
            20_000_000,
            1_000,
            12,
            5_000_000,
            1_000,
            keys=1_000,
            zipf=1.1,
            left_rows=5_000_000,
            files="ASK",
            more_ms=(5_000, 60_000),
        ),
        # As streams.
        AsOfSet(
            "ASS",
            "asof",
            2_000_000,
            1_000,
            18,
            499_725,
            checksum=535_729_024_903_380,
            keys=1_000,
            zipf=1.1,
            left_rows=500_000,
        ),
        *(
            AroundSet(
                f"WAS{seconds}",
                "around",
                2_000_000,
                1_000,
                18,
                500_000,
                seconds * 1_000,
                checksum,
                keys=1_000,
                zipf=1.1,
                left_rows=500_000,
                files="ASS",
            )
            for seconds, checksum in (
                (1, 520_025_489_564_871),
                (10, 608_809_984_105_605),
                (100, 551_597_510_723_620),
            )
        ),
        IntervalSet(
            "OV0", "interval", 20_000, 1_000, 14, 60_396, left_rows=30_000, longest=(9_000, 9_000)
        ),
        IntervalSet(
            "OV",
            "interval",
            1_200_000,
            1_000,
            14,
            300_100_915,
            left_rows=10_000_000,
            longest=(1_500, 3_000),
        ),
        IntervalSet(
            "OVK",
            "interval",
            1_200_000,
            1_000,
            15,
            299_858_342,
            left_rows=10_000_000,
            longest=(36_000, 72_000),
            keys=24,
        ),
        IntervalSet(
            "OVS",
            "interval",
            500_000,
            1_000,
            19,
            4_162_777,
            checksum=4_464_973_199_025_630,
            left_rows=500_000,
            span=500_000,
            longest=(200, 200),
            keys=24,
        ),
        IntervalSet("IR", "interval", 300_000, 1_000, 16, 1_007_584, left_rows=2_000_000),
        IntervalSet("IRL", "interval", 2_000_000, 1_000, 16, 1_045_498, left_rows=2_000_000),
        IntervalSet(
            "IE",
            "interval",
            1_000_000,
            1_000,
            17,
            9_980_855,
            left_rows=1_000_000,
            longest=(2_700, 2_700),
            compared=True,
        ),
        WindowSet("W", "window", 300_000, 2_500, 6, 179_000, 60_000),
        # W for ten times as long.
        WindowSet("WL", "window", 3_000_000, 2_500, 6, 1_259_000, 60_000),
        WindowSet(
            "W2",
            "window",
            1_000_000,
            10_000,
            10,
            1_702_517,
            30_000,
            keys=40_000,
            slide_ms=3_000,
            functions=("count", "avg"),
        ),
        GrowthSet("G", "growth", 2_500_000, 10_000, 9, 0, 100_000),
        # Structures without a data set of their own, such as the gate, are timed under this name.
        Workload("gate", "gate", 0, 1, 0, 0),
        # Programs of the core that make their own streams.
        Workload("core", "core", 0, 1, 0, 0),
        # Streams that come while they are joined.
        Workload("live", "live", 0, 1, 0, 0),
        Workload("figures", "figures", 0, 1, 0, 0),
    )
}


def timestamps(workload: Workload) -> Column:
    return np.arange(workload.rows, dtype=np.int64) * 1000 // workload.rate


def band_tables(workload: BandSet | SelfSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)
    n = workload.rows

    def common() -> tuple[Column, Column]:
        key = rng.integers(1, 10_001, n, dtype=np.int32)
        return key, (rng.random(n) * 9_999 + 1).astype(np.float32)

    x, y = common()
    z = np.char.zfill(rng.integers(0, 10**18, n).astype(str), 20)
    r: Table = {"ts": timestamps(workload), "x": x, "y": y, "z": z}
    a, b = common()
    c, d = rng.random(n), rng.random(n) < 0.5
    return {"R": r, "S": {"ts": timestamps(workload), "a": a, "b": b, "c": c, "d": d}}


def keyed_tables(workload: KeyedSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)
    weight = 1 / np.arange(1, workload.keys + 1) ** workload.zipf
    weight /= weight.sum()

    def stream() -> Table:
        if workload.zipf:
            key = rng.choice(workload.keys, workload.rows, p=weight)
        else:
            key = rng.integers(0, workload.keys, workload.rows)
        if workload.hot:
            key[rng.random(workload.rows) < workload.hot] = 0
        value = rng.random(workload.rows).astype(np.float32)
        return {"ts": timestamps(workload), "k": key.astype(np.int32), "v": value}

    return {"R": stream(), "S": stream()}


def asof_tables(workload: AsOfSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)
    weight = 1 / np.arange(1, workload.keys + 1) ** workload.zipf
    weight /= weight.sum()

    def stream(ts: Column) -> Table:
        key = rng.choice(workload.keys, len(ts), p=weight)
        return {"ts": ts, "k": key.astype(np.int32), "v": rng.random(len(ts)).astype(np.float32)}

    r = stream(np.sort(rng.integers(0, workload.rows, workload.left_rows, dtype=np.int64)))
    s = stream(timestamps(workload))
    s["k"][rng.random(workload.rows) < workload.hot] = 0
    return {"R": r, "S": s}


def interval_tables(workload: IntervalSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)

    def stream(rows: int, longest: int, disjoint: bool) -> Table:
        if disjoint:
            ends = rng.choice(workload.span, 2 * rows, replace=False)
            ends.sort()
            ts, end = ends[::2], ends[1::2]
        else:
            ts = np.sort(rng.integers(0, workload.span, rows))
            least = -longest if workload.compared else 0
            end = np.maximum(0, ts + (rng.integers(least, longest, rows) if longest else 0))
        key = rng.integers(0, workload.keys, rows)
        return {
            "ts": ts.astype(np.int64),
            "e": end.astype(np.int32),
            "v": rng.random(rows).astype(np.float32),
            "k": key.astype(np.int32),
        }

    left, right = workload.longest
    return {
        "R": stream(workload.left_rows, left, False),
        "S": stream(workload.rows, right, right == 0),
    }


def growth_tables(workload: GrowthSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)

    def stream(key: str, value: str) -> Table:
        keys = rng.integers(0, 10**8, workload.rows, dtype=np.int32)
        values = rng.random(workload.rows).astype(np.float32)
        return {"ts": timestamps(workload), key: keys, value: values}

    return {"R": stream("x", "y"), "S": stream("a", "b")}


def window_tables(workload: WindowSet) -> dict[str, Table]:
    rng = np.random.default_rng(workload.seed)

    def stream() -> Table:
        key = rng.integers(0, workload.keys, workload.rows).astype(np.int32)
        value = rng.integers(0, 1_000_000, workload.rows).astype(np.int64)
        return {"ts": timestamps(workload), "k": key, "v": value}

    return {f"s{i}": stream() for i in range(workload.streams)}


def closed_windows(workload: WindowSet) -> Table:
    """The windows ⟨end_ms, k, a, b⟩ that end no later than the last row's time, by themselves."""
    panes = 1 + int(timestamps(workload)[-1]) // workload.slide_ms
    of: dict[str, Column] = {
        "count": np.zeros((panes, workload.keys), np.int64),
        "sum": np.zeros((panes, workload.keys), np.int64),
        "max": np.full((panes, workload.keys), -1, np.int64),
    }
    for stream in window_tables(workload).values():
        at = (stream["ts"] // workload.slide_ms, stream["k"])
        np.add.at(of["count"], at, 1)
        np.add.at(of["sum"], at, stream["v"])
        np.maximum.at(of["max"], at, stream["v"])
    rows = []
    for end in range(1, int(timestamps(workload)[-1]) // workload.slide_ms + 1):
        held = slice(max(0, end - workload.window_ms // workload.slide_ms), end)
        counts, sums = of["count"][held].sum(axis=0), of["sum"][held].sum(axis=0)
        key = np.flatnonzero(counts)
        results = {
            "count": counts[key],
            "sum": sums[key],
            "max": of["max"][held].max(axis=0)[key],
            "avg": sums[key] / counts[key],
        }
        a, b = (results[f] for f in workload.functions)
        rows.append(
            {"end_ms": np.full(len(key), end * workload.slide_ms), "k": key, "a": a, "b": b}
        )
    return {c: np.concatenate([r[c] for r in rows]) for c in rows[0]}


def tables(workload: Workload) -> dict[str, Table]:
    """The streams of a set, by name. The same parameters always give the same columns."""
    if isinstance(workload, BandSet):
        return band_tables(workload)
    if isinstance(workload, SelfSet):
        return {"R": band_tables(workload)["R"]}
    if isinstance(workload, AsOfSet):
        return asof_tables(workload)
    if isinstance(workload, KeyedSet):
        return keyed_tables(workload)
    if isinstance(workload, GrowthSet):
        return growth_tables(workload)
    if isinstance(workload, IntervalSet):
        return interval_tables(workload)
    if isinstance(workload, WindowSet):
        return window_tables(workload)
    return {}


def pairs_in_window(workload: Workload) -> int:
    """Pairs that a nested loop must compare: those whose times are near enough."""
    ts = timestamps(workload)
    last = np.searchsorted(ts, ts + workload.window_ms, "right")
    return int((last - np.searchsorted(ts, ts - workload.window_ms, "left")).sum())


def digest(workload: Workload) -> str:
    """Of what decides the files; what the join must deliver of them follows from it."""
    parameters = {k: v for k, v in asdict(workload).items() if k != "checksum"}
    text = json.dumps([GENERATOR_VERSION, PARTS, parameters], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_parquet(folder: Path, table: Table) -> None:
    folder.mkdir()
    columns = pa.table(table)
    size = -(-columns.num_rows // PARTS)
    for part in range(PARTS):
        rows = columns.slice(part * size, size)
        pq.write_table(rows, folder / f"part-{part}.parquet")  # type: ignore[no-untyped-call]


def write_columns(folder: Path, stream: str, table: Table) -> None:
    """Writes the numeric columns that a join reads under the same three names for every kind."""
    key, value = list(table)[1:3]
    wide = "<i8" if table[value].dtype.kind == "i" else "<f4"
    suffix = "v" if wide == "<i8" else "f"
    for name, column, dtype in (("ts", "ts", "<i8"), ("i", key, "<i4"), (suffix, value, wide)):
        table[column].astype(dtype).tofile(folder / f"{stream}.{name}.bin")


def ensure(workload: Workload, root: Path, say: Callable[[str], None] = lambda _: None) -> Path:
    """The set's folder, generated now unless a finished one with the same parameters is there."""
    if isinstance(workload, AroundSet) and workload.files:
        return ensure(SETS[workload.files], root, say)
    folder = root / workload.name
    if workload.kind in ALONE:
        return root
    meta = folder / "meta.json"
    if meta.exists() and json.loads(meta.read_text())["digest"] == digest(workload):
        return folder
    say(f"generating data set {workload.name} ({workload.tuples:,} tuples)")
    fresh = root / f"{workload.name}.partial"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for stream, table in tables(workload).items():
        write_parquet(fresh / f"{stream}.parquet", table)
        write_columns(fresh, stream, table)
    facts = asdict(workload) | {"band": BAND if workload.kind == "band" else 0}
    facts |= {"pairs": pairs_in_window(workload), "digest": digest(workload)}
    (fresh / "meta.json").write_text(json.dumps(facts, indent=2) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return folder
