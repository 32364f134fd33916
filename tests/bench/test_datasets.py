"""The generator: the same streams every time, and the row counts that the engines must find."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from joinbench.datasets import (
    SETS,
    BandSet,
    KeyedSet,
    WindowSet,
    Workload,
    digest,
    ensure,
    pairs_in_window,
    tables,
)

TINY = BandSet("tiny", "band", 400, 100, 11, 0, 1_000)
TINY_KEYED = KeyedSet("tiny", "keyed", 400, 100, 12, 0, 1_000, keys=20, zipf=1.0)
TINY_WINDOW = WindowSet("tiny", "window", 300, 100, 13, 0, streams=3, keys=5)


def band_matches(workload: BandSet) -> int:
    """Slices of R that fit memory, each with every row of S in the window of one of its rows."""
    r, s = tables(workload).values()
    found = 0
    for rows in np.array_split(np.arange(workload.rows), max(1, workload.rows // 500)):
        ends = r["ts"][rows[0]] - workload.window_ms, r["ts"][rows[-1]] + workload.window_ms + 1
        reached = slice(*np.searchsorted(s["ts"], ends))
        near_time = np.abs(r["ts"][rows, None] - s["ts"][reached]) <= workload.window_ms
        near_x = np.abs(r["x"][rows, None] - s["a"][reached]) <= 10
        near_y = np.abs(r["y"][rows, None] - s["b"][reached]) <= np.float32(10)
        found += int((near_time & near_x & near_y).sum())
    return found


def test_the_smallest_set_has_the_rows_it_declares() -> None:
    workload = SETS["A0"]
    assert isinstance(workload, BandSet)
    assert band_matches(workload) == workload.results == 477


def test_pairs_in_the_window_are_those_a_nested_loop_would_compare() -> None:
    ts = tables(TINY)["R"]["ts"]
    near = np.abs(ts[:, None] - ts) <= TINY.window_ms
    assert pairs_in_window(TINY) == int(near.sum())


@pytest.mark.parametrize("workload", [TINY, TINY_KEYED, TINY_WINDOW], ids=lambda w: w.kind)
def test_files_hold_the_columns_that_the_generator_made(
    workload: Workload, tmp_path: Path
) -> None:
    folder = ensure(workload, tmp_path)
    for stream, table in tables(workload).items():
        written = pl.read_parquet(folder / f"{stream}.parquet" / "*.parquet")
        assert written.columns == list(table)
        for name, column in table.items():
            assert written[name].to_list() == column.tolist()
        key = next(name for name in ("x", "a", "k") if name in table)
        assert (np.fromfile(folder / f"{stream}.ts.bin", dtype="<i8") == table["ts"]).all()
        assert (np.fromfile(folder / f"{stream}.i.bin", dtype="<i4") == table[key]).all()


def test_times_ascend_in_every_stream() -> None:
    for workload in (TINY, TINY_KEYED, TINY_WINDOW):
        for table in tables(workload).values():
            assert (np.diff(table["ts"]) >= 0).all()


def test_a_finished_set_is_not_generated_again(tmp_path: Path) -> None:
    said: list[str] = []
    written = (ensure(TINY, tmp_path, said.append) / "R.ts.bin").stat()
    found = (ensure(TINY, tmp_path, said.append) / "R.ts.bin").stat()
    assert (found.st_ino, found.st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert len(said) == 1


def test_other_parameters_replace_a_cached_set(tmp_path: Path) -> None:
    ensure(TINY, tmp_path)
    longer = replace(TINY, rows=500)
    assert digest(longer) != digest(TINY)
    folder = ensure(longer, tmp_path)
    assert len(np.fromfile(folder / "R.ts.bin", dtype="<i8")) == 500


def test_an_interrupted_generation_is_started_over(tmp_path: Path) -> None:
    (tmp_path / "tiny.partial" / "R.parquet").mkdir(parents=True)
    folder = ensure(TINY, tmp_path)
    assert (folder / "meta.json").exists()
    assert not (tmp_path / "tiny.partial").exists()
