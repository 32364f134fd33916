"""Streaming joins: the rows of the batch joins, however cut into batches and often killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyspark
import pytest
import sample
import scalegate
import sessions
import stream_files
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from waits import BOUND, wait_until

pytestmark = pytest.mark.streaming

KILLS = int(os.environ.get("SCALEGATE_KILLS", "1"))

# These start a program with a classic session of its own, and kill what it runs in.
own_program = pytest.mark.classic("the stream is that of a program with a session of its own")

CONDITIONS = {
    "key": "l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL 5 SECONDS AND l.ts + INTERVAL 2 SECONDS",
    "band": "abs(l.x - r.x) <= 0.5 AND r.ts BETWEEN l.ts - INTERVAL 4 SECONDS AND l.ts + "
    "INTERVAL 4 SECONDS",
    "theta": "l.x * 2 < r.x AND r.ts BETWEEN l.ts - INTERVAL 3 SECONDS AND l.ts + "
    "INTERVAL 3 SECONDS",
    "intervals": "l.ts <= r.ts + to_microseconds(CAST(r.x * 500000 AS BIGINT)) AND "
    "r.ts <= l.ts + to_microseconds(CAST(l.x * 500000 AS BIGINT))",
}


def by_duckdb(directory: Path, what: str, how: str) -> Counter[Any]:
    """What the join gives of the events at rest, as pairs of ids."""
    columns = "l.id" if how in ("semi", "anti") else "l.id, r.id"
    tables = {side: f"read_parquet('{directory}/{side}/*.parquet')" for side in ("l", "r")}
    rows = duckdb.sql(
        f"SELECT {columns} FROM {tables['l']} l {how} JOIN {tables['r']} r ON {CONDITIONS[what]}"
    ).fetchall()
    return Counter(row for row in rows if -1 not in row)


def ids(rows: DataFrame) -> Counter[Any]:
    wanted = [name for name in ("id", "id_right") if name in rows.columns]
    found = (tuple(row) for row in rows.select(wanted).collect())
    return Counter(row for row in found if -1 not in row)


def streams(directory: Path, seed: int, batches: int) -> None:
    rng, cuts = random.Random(seed), random.Random(seed + batches)
    for side, count in (("l", 300), ("r", 260)):
        stream_files.write(directory / side, stream_files.events(rng, count), cuts, batches)


@pytest.mark.parametrize(
    ("what", "how", "batches"),
    [
        ("key", "inner", 4),
        ("key", "full", 5),
        ("band", "semi", 4),
        ("theta", "right", 4),
        ("intervals", "left", 3),
        pytest.param("theta", "anti", 4, marks=pytest.mark.connect),
        # Other tests here and elsewhere run these joins of streams, in order or by an operator.
        *([("band", "left", 5), ("band", "full", 3), ("intervals", "full", 5)] * sample.SOAK),
    ],
)
def test_a_stream_gives_what_the_events_at_rest_give(
    spark: SparkSession, tmp_path: Path, what: str, how: str, batches: int
) -> None:
    streams(tmp_path, seed=len(what) * 100 + batches, batches=batches)
    joined = stream_files.join(*stream_files.sides(spark, tmp_path), what, how)
    joins = stream_files.operators(stream_files.run(joined, tmp_path))
    assert {join["operatorName"] for join in joins} == {"windowJoin"}
    assert sum(join["numRowsDroppedByWatermark"] for join in joins) == 0
    expected = by_duckdb(tmp_path, what, how)
    assert len(expected) > 50
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == expected
    at_rest = [spark.read.parquet(str(tmp_path / side)) for side in ("l", "r")]
    if not (how == "full" and what != "key"):
        assert ids(stream_files.join(*at_rest, what, how)) == expected


@pytest.mark.parametrize(
    "batches", sample.turn([pytest.param(3, marks=pytest.mark.connect), 5], 0)
)
def test_a_cube_of_streams_gives_what_the_events_at_rest_give(
    spark: SparkSession, tmp_path: Path, batches: int
) -> None:
    rng = random.Random(5)
    for side in ("l", "r", "t"):
        events = stream_files.events(rng, 90)
        stream_files.write(tmp_path / side, events, random.Random(batches), batches)
    left, right, third = (stream_files.read(spark, tmp_path / side) for side in ("l", "r", "t"))
    on = (F.abs(left.x - right.x) <= 3) & (left.x + right.x < third.x * 3)
    near = left.cube_join(right, third, within="2 seconds", on=on, layout=(1, 2, 1))
    assert near.columns[4:] == ["ts_2", "k_2", "x_2", "id_2", "ts_3", "k_3", "x_3", "id_3"]
    joins = stream_files.operators(stream_files.run(near, tmp_path))
    assert {join["operatorName"] for join in joins} == {"windowJoin"}
    unmarked = third.withColumn("ts", F.timestamp_micros(F.unix_micros("ts")))
    with pytest.raises(Exception, match="time of third has none: call withWatermark"):
        stream_files.run(left.cube_join(right, unmarked, within="2 seconds"), tmp_path / "none")
    tables = ", ".join(f"read_parquet('{tmp_path}/{s}/*.parquet') {s}" for s in ("l", "r", "t"))
    times = " AND ".join(
        f"abs(epoch_us({a}.ts) - epoch_us({b}.ts)) <= 2000000" for a, b in ("lr", "rt", "lt")
    )
    expected = duckdb.sql(
        f"SELECT l.id, r.id, t.id FROM {tables} "
        f"WHERE {times} AND abs(l.x - r.x) <= 3 AND l.x + r.x < t.x * 3 AND l.id >= 0"
    ).fetchall()
    found = spark.read.parquet(str(tmp_path / "out")).select("id", "id_2", "id_3").collect()
    assert Counter(map(tuple, found)) == Counter(expected)
    assert len(expected) > 200


def in_batches(
    spark: SparkSession,
    tmp_path: Path,
    join: Callable[[DataFrame, DataFrame], DataFrame],
    ordered: bool = True,
) -> list[Row]:
    """The rows of a join, the same and in the same order however its streams are cut; without an
    order in one way alone but for campaigns, since DuckDB says which rows they are."""
    given = []
    for batches in (3, 5) if ordered or sample.SOAK else (5,):
        directory = tmp_path / str(batches)
        streams(directory, seed=21, batches=batches)
        rows = stream_files.collect(join(*stream_files.sides(spark, directory)), directory)
        given.append([row for row in rows if -1 not in (row.id, row.id_right)])
    assert len(given[0]) > 100
    assert given[0] == given[-1] if ordered else Counter(given[0]) == Counter(given[-1])
    return given[0]


@pytest.mark.parametrize("how", sample.turn(["inner", "left"], 1))
def test_rows_come_in_order_whatever_the_batches(
    spark: SparkSession, tmp_path: Path, how: str
) -> None:
    rows = in_batches(
        spark,
        tmp_path,
        lambda left, right: left.band_join(
            right, {"x": ("x", 0.5)}, within="4 seconds", how=how, ordered=True
        ),
    )
    assert any(row.id_right is None for row in rows) == (how == "left")
    pairs = [max(row.ts, row.ts_right) for row in rows if row.id_right is not None]
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("key", [None, "k"])
def test_the_last_rows_of_streams_are_those_that_duckdb_counts(
    spark: SparkSession, tmp_path: Path, key: str | None
) -> None:
    def last(left: DataFrame, right: DataFrame) -> DataFrame:
        within = scalegate.rows(7, per_key=key)
        return left.window_join(right, on=left.x * 2 < right.x, within=within)

    rows = in_batches(spark, tmp_path, last, ordered=key is None)
    by, same = ("", "") if key is None else ("PARTITION BY k", "AND l.k = r.k")
    tables = [f"read_parquet('{tmp_path}/5/{side}/*.parquet')" for side in ("l", "r")]
    counted = duckdb.sql(
        f"""
        WITH both_sides AS
            (SELECT 0 AS side, * FROM {tables[0]} UNION ALL SELECT 1, * FROM {tables[1]}),
        counts AS
            (SELECT *, sum(1 - side) OVER earlier AS ls, sum(side) OVER earlier AS rs
             FROM both_sides WINDOW earlier AS
                ({by} ORDER BY ts, side, k NULLS FIRST, x NULLS FIRST, id
                 ROWS UNBOUNDED PRECEDING))
        SELECT l.id, r.id FROM counts l JOIN counts r ON l.side = 0 AND r.side = 1
            AND l.x * 2 < r.x {same}
            AND (r.rs BETWEEN l.rs - 6 AND l.rs OR l.ls BETWEEN r.ls - 6 AND r.ls)
        """
    ).fetchall()
    assert Counter((row.id, row.id_right) for row in rows) == Counter(
        pair for pair in counted if -1 not in pair
    )


def test_a_matrix_of_cells_gives_what_one_task_gives(spark: SparkSession, tmp_path: Path) -> None:
    streams(tmp_path, seed=8, batches=3)
    left, right = stream_files.sides(spark, tmp_path)
    condition = left.x * 2 < right.x
    joined = left.window_join(right, on=condition, within="3 seconds", how="left", layout=(3, 1))
    stream_files.run(joined, tmp_path)
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == by_duckdb(tmp_path, "theta", "left")


def test_the_plan_tells_of_keys_and_times_by_what_they_are(
    spark: SparkSession, tmp_path: Path
) -> None:
    streams(tmp_path, seed=6, batches=1)
    left, right = stream_files.sides(spark, tmp_path)
    by_key = left.interval_join(right, on="k", lower="-5 seconds", upper="2 seconds")
    near = left.window_join(right, on=left.x * 2 < right.x, within="3 seconds")
    for frame, said in ((by_key, "keys: k = key of right"), (near, "time of right - ")):
        (line,) = [row for row in sessions.plan(frame).splitlines() if "WindowJoin I" in row]
        assert said in line and "__" not in line


def test_a_join_feeds_a_window_aggregate(spark: SparkSession, tmp_path: Path) -> None:
    streams(tmp_path, seed=5, batches=4)
    joined = stream_files.join(*stream_files.sides(spark, tmp_path), "band", "inner")
    stream_files.run(joined.groupBy(F.window("ts", "10 seconds")).count(), tmp_path)
    given = spark.read.parquet(str(tmp_path / "out")).where("window.start < '2024-06-01'")
    total = given.agg(F.sum("count")).head()
    assert total is not None
    assert total[0] == sum(by_duckdb(tmp_path, "band", "inner").values())
    assert given.select("window").distinct().count() == given.count()


@own_program
def test_no_row_is_lost_or_doubled_when_the_process_is_killed(
    spark: SparkSession, tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    rng = random.Random(int(os.environ.get("SCALEGATE_SEED", time.time_ns())))
    seed, what = rng.randrange(1 << 30), rng.choice(["key", "band", "theta"])
    how = rng.choice(["left", "full", "semi", "anti"])
    print(f"killed {KILLS} times: {how} join by {what}, SCALEGATE_SEED {seed}")
    streams(tmp_path, seed=seed, batches=3 * KILLS + 5)
    script = Path(__file__).with_name("stream_victim.py")
    command = [sys.executable, str(script), str(tmp_path), what, how]
    for kill in range(KILLS):
        victim = subprocess.Popen(
            command,
            env=clean_environment,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        wanted = 3 * (kill + 1)
        wait_until(
            lambda wanted=wanted, victim=victim: (
                batches_begun(tmp_path) >= wanted or victim.poll() is not None
            ),
            f"{wanted} batches",
        )
        time.sleep(rng.random() * 0.4)  # at any point of a batch
        os.killpg(victim.pid, signal.SIGKILL)
        victim.communicate(timeout=BOUND)  # Its JVM has the pipe too: at its end both are gone.
    joined = stream_files.join(*stream_files.sides(spark, tmp_path), what, how)
    joins = stream_files.operators(stream_files.run(joined, tmp_path))
    assert {join["operatorName"] for join in joins} == {"windowJoin"}
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == by_duckdb(tmp_path, what, how)


@own_program
def test_a_lost_executor_costs_no_row(
    spark: SparkSession, tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    streams(tmp_path, seed=11, batches=7)
    script = Path(__file__).with_name("stream_victim.py")
    command = [sys.executable, script, tmp_path, "band", "left", "local-cluster[2,1,1024]"]
    cluster = subprocess.Popen(
        list(map(str, command)),
        env={**clean_environment, "SPARK_HOME": str(Path(pyspark.__file__).parent)},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: batches_begun(tmp_path) >= 3, "three batches", cluster)
        find = ["pgrep", "-g", str(cluster.pid), "-f", "CoarseGrainedExecutorBackend"]
        executors = subprocess.run(find, capture_output=True, text=True, check=True)
        os.kill(int(executors.stdout.split()[0]), signal.SIGKILL)
        out, errors = cluster.communicate(timeout=BOUND)
    finally:
        if cluster.poll() is None:
            os.killpg(cluster.pid, signal.SIGKILL)
    assert cluster.returncode == 0, errors[-3000:]
    assert "operators: windowJoin\n" in out
    assert "rebuilds: 0\n" not in out
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == by_duckdb(tmp_path, "band", "left")


@pytest.mark.connect
def test_the_state_can_be_read_back(spark: SparkSession, tmp_path: Path) -> None:
    streams(tmp_path, seed=3, batches=3)
    joined = stream_files.join(*stream_files.sides(spark, tmp_path), "key", "left")
    stream_files.run(joined, tmp_path)
    for side in ("left", "right"):
        state = scalegate.join_state(spark, tmp_path / "checkpoint", side)
        assert state.columns[:2] == ["partition_id", "batch"]
        assert "id" in state.columns[-1]
        assert [row[-1] for row in state.collect()] == [-1]
    with pytest.raises(scalegate.ScalegateError, match=r"right' side, not 'both'$"):
        scalegate.join_state(spark, tmp_path / "checkpoint", "both")
    with pytest.raises(scalegate.ScalegateError, match=r"'right' and, .* 'left', 'first'\)$"):
        scalegate.join_state(spark, tmp_path, operator="first")  # type: ignore[arg-type]


def batches_begun(directory: Path) -> int:
    return len(list((directory / "checkpoint" / "offsets").glob("[0-9]*")))


def test_metrics_of_a_query_in_batches(spark: SparkSession, tmp_path: Path) -> None:
    streams(tmp_path, 5, 1)
    joined = stream_files.join(*stream_files.sides(spark, tmp_path), "key", "inner")
    query = stream_files.run(joined, tmp_path)
    told = scalegate.metrics(query)
    operator = stream_files.operators(query)[-1]
    (row,) = told.to_dict("records")
    assert row["name"] == "windowJoin"
    assert row["state_rows"] == operator["numRowsTotal"]
    assert row["comparisons"] == operator["customMetrics"]["comparisons"]
    with pytest.raises(scalegate.ScalegateError, match='leave per="operator"'):
        scalegate.metrics(query, "source")
    with pytest.raises(scalegate.ScalegateError, match="per is one of operator, task, source"):
        scalegate.metrics(query, "query")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("what", "how", "algorithm"),
    [
        ("band", "full", scalegate.operator("pim", threads=2, merge_ratio=0.5)),
        ("key", "left", "hp"),
        pytest.param("theta", "semi", "scalejoin", marks=pytest.mark.connect),
    ],
    ids=str,
)
def test_an_operator_of_the_papers_joins_streams(
    spark: SparkSession, tmp_path: Path, what: str, how: str, algorithm: Any
) -> None:
    streams(tmp_path, seed=17, batches=3)
    sides = stream_files.sides(spark, tmp_path)
    joined = stream_files.join(*sides, what, how, algorithm=algorithm)
    joins = stream_files.operators(stream_files.run(joined, tmp_path))
    assert {join["operatorName"] for join in joins} == {"windowJoin"}
    expected = by_duckdb(tmp_path, what, how)
    assert len(expected) > 50
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == expected
