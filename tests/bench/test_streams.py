"""The sets as streams of files, and what the arms that join them say of themselves."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
import sessions
from brute_force import brute_force, brute_force_windows
from joinbench import streams
from joinbench.arm import Settings, Unavailable
from joinbench.arms import flink, growth, stream
from joinbench.checksum import of_windows
from joinbench.datasets import (
    AroundSet,
    AsOfSet,
    BandSet,
    GrowthSet,
    IntervalSet,
    KeyedSet,
    WindowSet,
    Workload,
    closed_windows,
    ensure,
    tables,
)
from joinbench.streams import SHIFT_MS, ensure_streams, wanted_ends
from pyspark.sql import SparkSession
from sample import SOAK

pytestmark = pytest.mark.classic("the harness measures what runs in its own process's JVM")

# The harness has the name of the class for the one Spark that it measures.
NO_LINKS = dict([sessions.NO_LINKS])
BANDS = BandSet("tiny", "band", 1_200, 100, 11, 0, 6_000)
KEYS = KeyedSet("tiny", "keyed", 805, 3_000, 12, 0, 100, keys=20)
AS_OF = AsOfSet("tiny", "asof", 900, 1_000, 14, 0, keys=5, left_rows=400)
AROUND = AroundSet("tiny", "around", 900, 1_000, 14, 0, 100, keys=5, left_rows=400)
OVERLAP = IntervalSet(
    "tiny", "interval", 500, 1_000, 15, 0, left_rows=400, span=500, longest=(20, 30), keys=3
)
WINDOWS = WindowSet("tiny", "window", 300, 100, 13, 0, 1_000, streams=3, keys=5, slide_ms=250)
GROWTH = GrowthSet("tiny", "growth", 2_200, 1_000, 9, 0, 500, band=10_000_000, step=20, steps=5)


def files(workload: Workload, root: Path, name: str) -> list[pl.DataFrame]:
    folder = ensure_streams(workload, ensure(workload, root)) / name
    ordered = sorted(folder.glob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    return [pl.read_parquet(path) for path in ordered]


@pytest.mark.parametrize("workload", [BANDS, KEYS, GROWTH, AS_OF], ids=lambda w: w.kind)
def test_the_files_of_a_stream_hold_its_rows_in_order(workload: Workload, tmp_path: Path) -> None:
    for name, table in tables(workload).items():
        rows = pl.concat(files(workload, tmp_path, name))
        times = rows["ts"].cast(pl.Int64).to_numpy() // 1000 - SHIFT_MS
        assert times.tolist() == table["ts"].tolist()
        for column in rows.columns[1:]:
            assert rows[column].to_list() == table[column].tolist()


@pytest.mark.parametrize("workload", [BANDS, KEYS, GROWTH], ids=lambda w: w.kind)
def test_both_streams_files_cover_the_same_times_and_share_none(
    workload: Workload, tmp_path: Path
) -> None:
    r, s = (files(workload, tmp_path, name) for name in "RS")
    assert len(r) == len(s) == len(wanted_ends(workload))
    for before, after in pairwise(r):
        assert before["ts"].max() < after["ts"].min()
    assert [(f["ts"].min(), f["ts"].max()) for f in r] == [
        (f["ts"].min(), f["ts"].max()) for f in s
    ]


def test_a_growing_set_is_full_before_its_small_batches(tmp_path: Path) -> None:
    sizes = [len(file) for file in files(GROWTH, tmp_path, "R")]
    assert sizes[-5:] == [20] * 5
    assert sum(sizes[:-5]) == GROWTH.filled
    assert GROWTH.filled >= 2 * GROWTH.window_ms * GROWTH.rate / 1000


def test_the_growing_set_is_joined_by_binary_search_as_by_brute_force() -> None:
    expected = brute_force(GROWTH)
    assert expected.count > 100
    assert growth.pairs(GROWTH, *tables(GROWTH).values()) == expected


def test_twice_the_window_and_half_the_band_give_as_many_matches() -> None:
    wide = replace(GROWTH, rows=20_000, band=1_000_000)
    one, two = (growth.pairs(w, *tables(w).values()).count for w in (wide, wide.doubled))
    assert abs(one - two) < one / 10


@pytest.fixture
def host(root: Path, spark: SparkSession, tmp_path: Path) -> stream.StreamHost:
    """On a session of its own, whose settings the arms change."""
    host = stream.StreamHost(Settings(root, tmp_path, 2, "1g", True, lambda _: None))
    host.spark.session = spark.newSession()
    return host


@pytest.mark.parametrize("workload", [BANDS, AS_OF, AROUND, OVERLAP], ids=lambda w: w.kind)
def test_streams_give_the_rows_of_the_brute_force_and_are_timed(
    workload: Workload, host: stream.StreamHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BATCHES", 2)
    data = ensure(workload, tmp_path)
    arms = {arm.name: arm for arm in stream.arms(host)}
    ours = arms["scalegate-hdfs"]
    ours.conf = {**ours.conf, **NO_LINKS}
    ours.prepare(workload, data)
    (sample,) = ours.run(workload, data)
    # Rows that wait for the watermark come in a batch of their own.
    waiting = workload.kind in ("asof", "around")
    assert sample.rows == brute_force(workload)
    assert sample.work == {"tuples": workload.tuples}
    assert sample.facts["batches"] == 2 + waiting
    assert sample.facts["most state rows"] > 0
    # The limit reads all sets alike.
    if workload is BANDS or SOAK:
        limit = arms["limit"]
        limit.conf = NO_LINKS
        limit.prepare(workload, data)
        (sample,) = limit.run(workload, data)
        assert sample.facts["batches"] == 2


def test_streams_are_read_in_as_many_batches_as_asked_for(
    host: stream.StreamHost, tmp_path: Path
) -> None:
    host.settings = replace(host.settings, batches=1)
    data = ensure(BANDS, tmp_path)
    (limit,) = (arm for arm in stream.arms(host) if arm.name == "limit")
    limit.prepare(BANDS, data)
    (sample,) = limit.run(BANDS, data)
    assert sample.facts["batches"] == 1


def test_that_spark_refuses_a_join_of_streams_without_a_key_is_its_reason(
    host: stream.StreamHost, tmp_path: Path
) -> None:
    (arm,) = (arm for arm in stream.arms(host) if arm.name == "spark-hdfs")
    with pytest.raises(Unavailable, match="without equality predicate is not supported"):
        arm.prepare(BANDS, ensure(BANDS, tmp_path))


@pytest.mark.parametrize("functions", [("sum", "max"), ("count", "avg")])
def test_closed_windows_are_those_of_the_brute_force_that_end_by_the_last_time(
    functions: tuple[str, str],
) -> None:
    windows = replace(WINDOWS, functions=functions)
    last = max(int(table["ts"][-1]) for table in tables(windows).values())
    assert of_windows(closed_windows(windows)) == brute_force_windows(windows, until=last)


@pytest.mark.parametrize("name", ["scalegate-hdfs", "spark-hdfs"])
def test_windows_of_streams_are_compared_before_they_are_timed(
    name: str, host: stream.StreamHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BATCHES", 2)
    data = ensure(WINDOWS, tmp_path)
    (arm,) = (arm for arm in stream.arms(host) if arm.name == name)
    arm.conf = {**arm.conf, **NO_LINKS}
    arm.prepare(WINDOWS, data)
    (sample,) = arm.run(WINDOWS, data)
    assert sample.work == {"tuples": 900}
    assert sample.facts["batches"] == 3
    monkeypatch.setattr(stream, "closed_windows", lambda w: closed_windows(replace(w, seed=14)))
    with pytest.raises(RuntimeError, match="instead of"):
        arm.prepare(WINDOWS, data)


def test_flink_is_asked_what_it_can_answer(tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path, 2, "1g", False, print)
    arm, kept = flink.arms(settings)
    arm.classpath.found = "flink.jar"
    told = arm.command(WINDOWS, tmp_path)
    assert kept.command(WINDOWS, tmp_path)[: len(told)] == told
    assert told[told.index(arm.program.main) + 1 :] == [
        "window",
        str(tmp_path),
        "1000",
        "250",
        "3",
        "2",
        str(flink.RUNS),
    ]
    arm.prepare(KEYS, tmp_path)
    for cannot in (replace(WINDOWS, functions=("count", "avg")), GROWTH):
        with pytest.raises(Unavailable):
            arm.prepare(cannot, tmp_path)
