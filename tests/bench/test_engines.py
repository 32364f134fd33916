"""The arms that need no JVM give the rows, and the checksum, of a brute force in numpy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from brute_force import brute_force, brute_force_windows
from joinbench.arm import Arm, Settings, Unavailable
from joinbench.arms import duckdb, kernel, polars
from joinbench.checksum import Rows, of_rows
from joinbench.datasets import (
    AroundSet,
    AsOfSet,
    BandSet,
    IntervalSet,
    KeyedSet,
    WindowSet,
    Workload,
    ensure,
    tables,
)

SETTINGS = Settings(Path(), Path(), 2, "1g", True, lambda _: None)
BANDS = BandSet("tiny", "band", 1_200, 100, 11, 0, 6_000)
KEYS = KeyedSet("tiny", "keyed", 800, 100, 12, 0, 1_000, keys=20, zipf=1.0)
ASOF = AsOfSet("tiny", "asof", 900, 1_000, 14, 0, keys=9, zipf=1.0, hot=0.5, left_rows=300)
AROUND = AroundSet("tiny", "around", 900, 1_000, 14, 0, 50, keys=9, zipf=1.0, left_rows=300)
SEVERAL = replace(AROUND, more_ms=(120, 300))
OVERLAPS = IntervalSet(
    "tiny", "interval", 300, 1_000, 15, 0, left_rows=500, span=20_000, longest=(90, 200)
)
POINTS = replace(OVERLAPS, longest=(0, 0))
COMPARED = replace(OVERLAPS, longest=(150, 150), compared=True)
ANY_KEY = replace(ASOF, keys=1, hot=0.0)

SUMS = WindowSet("tiny", "window", 300, 100, 13, 0, 1_000, streams=3, keys=5, slide_ms=250)
MEANS = replace(SUMS, window_ms=900, slide_ms=300, functions=("count", "avg"))


def engines(settings: Settings) -> list[Arm]:
    return [*duckdb.arms(settings), *polars.arms(settings), kernel.GridFromParquet(settings)]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return replace(SETTINGS, work=tmp_path_factory.mktemp("work"))


@pytest.mark.parametrize(
    "workload",
    [BANDS, KEYS, ASOF, ANY_KEY, AROUND, SEVERAL, OVERLAPS, POINTS, COMPARED],
    ids=[
        "bands",
        "keys",
        "as of",
        "as of any key",
        "around",
        "several",
        "overlap",
        "points",
        "compared",
    ],
)
def test_every_engine_agrees_with_the_brute_force(
    workload: Workload, settings: Settings, tmp_path: Path
) -> None:
    data = ensure(workload, tmp_path)
    expected = brute_force(workload)
    assert expected.count > 3
    ran = []
    for arm in engines(settings):
        try:
            arm.prepare(workload, data)
        except Unavailable:
            continue
        (sample,) = arm.run(workload, data)
        assert sample.rows == expected, arm.name
        ran.append(arm.name)
        arm.close()
    assert {
        "duckdb-abs",
        "polars-where" if workload.kind == "interval" else "polars-bins",
    } <= set(ran)
    if workload.kind in ("band", "keyed") and kernel.compiler() is not None:
        assert "cpp-grid-parquet" in ran


@pytest.mark.parametrize("workload", [SUMS, MEANS], ids=["sums", "means"])
def test_duckdb_finds_the_windows_of_the_brute_force(
    workload: WindowSet, settings: Settings, tmp_path: Path
) -> None:
    expected = brute_force_windows(workload)
    assert expected.count > 50
    arm = duckdb.arms(settings)[0]
    arm.prepare(workload, ensure(workload, tmp_path))
    (sample,) = arm.run(workload, tmp_path)
    assert sample.rows == expected
    arm.close()


@pytest.mark.skipif(kernel.compiler() is None, reason="there is no g++")
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", ["cpp-nl", "cpp-nlsc", "cpp-grid"])
def test_loops_count_the_same_pairs_on_any_number_of_threads(
    name: str, threads: int, settings: Settings, tmp_path: Path
) -> None:
    loop = kernel.Loop(settings, name, threads)
    data = ensure(BANDS, tmp_path)
    loop.prepare(BANDS, data)
    (sample,) = loop.run(BANDS, data)
    r, s = tables(BANDS).values()
    match = np.abs(r["ts"][:, None] - s["ts"]) <= BANDS.window_ms
    match &= np.abs(r["x"][:, None] - s["a"]) <= 10
    match &= np.abs(r["y"][:, None] - s["b"]) <= np.float32(10)
    i, j = np.nonzero(match)
    checksum = r["ts"][i] * 31 + s["ts"][j] * 17 + r["x"][i].astype(int) * 7 + s["a"][j]
    assert sample.rows == Rows(len(i), int(checksum.sum()))


def test_an_empty_result_has_checksum_zero(settings: Settings, tmp_path: Path) -> None:
    apart = replace(BANDS, rows=3, window_ms=0)
    data = ensure(apart, tmp_path)
    for arm in (*duckdb.arms(settings)[:2], *polars.arms(settings)):
        arm.prepare(apart, data)
        assert arm.run(apart, data)[0].rows == Rows(0, 0), arm.name
        arm.close()


def test_swapping_the_partners_of_two_rows_changes_the_checksum() -> None:
    r, s = tables(BANDS).values()
    first, second = np.array([3, 9]), np.array([9, 3])
    pick = {name: column[first] for name, column in r.items()}
    straight = of_rows(BANDS, pick, {name: column[first] for name, column in s.items()})
    crossed = of_rows(BANDS, pick, {name: column[second] for name, column in s.items()})
    assert straight.count == crossed.count
    assert straight.checksum != crossed.checksum
