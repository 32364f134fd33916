"""`window_aggregate` and the functions that go by time: several inputs, batches and streams."""

import datetime as dt
import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sample
import scalegate
import sessions
import stream_files
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError
from scalegate._operators import DESIGNS, DesignName

pytestmark = pytest.mark.streaming


def aggs() -> list:
    return [
        F.count("*").alias("n"),
        scalegate.first("x").alias("a"),
        scalegate.last("x").alias("z"),
    ]


def table(events: list[tuple]) -> pa.Table:
    columns = [list(c) for c in zip(*events, strict=True)] or [[], [], [], []]
    return pa.table(columns, schema=stream_files.SCHEMA)


def events_of(rng: random.Random, count: int) -> list[tuple]:
    """Without NULLs among the values, which DuckDB orders otherwise."""
    return [e for e in stream_files.events(rng, count) if e[2] is not None]


def frame(spark: SparkSession, events: list[tuple], parts: int = 3) -> DataFrame:
    return spark.createDataFrame(table(events), stream_files.COLUMNS).repartition(parts)


def by_duckdb(events: list[tuple], size: int, slide: int) -> set[tuple]:
    """(start, key, count, first and last x by time) of each window, in seconds."""
    connection = duckdb.connect()
    connection.register("rows_at_rest", table(events))
    rows = connection.sql(
        f"""
        WITH t AS (SELECT *, epoch_us(ts) AS us FROM rows_at_rest WHERE ts IS NOT NULL),
        w AS (SELECT t.*, (us // {slide} - i) * {slide} AS start
              FROM t, range({-(-size // slide)}) r(i))
        SELECT start, k, count(*), arg_min(x, struct_pack(us := us, x := x)),
               arg_max(x, struct_pack(us := us, x := x))
        FROM w WHERE us < start + {size} GROUP BY start, k
        """
    ).fetchall()
    return set(rows)


def flat(result: DataFrame) -> DataFrame:
    """With the window's start, in microseconds, for the window."""
    start = F.unix_micros(F.col("window.start").cast("timestamp")).alias("start")
    return result.select(start, *result.drop("window").columns)


def windows(result: DataFrame) -> set[tuple]:
    return {tuple(row) for row in flat(result).collect()}


@pytest.mark.smoke
def test_several_inputs_are_one_and_go_by_time(spark: SparkSession) -> None:
    rng = random.Random(5)
    events = events_of(rng, 300)
    result = scalegate.window_aggregate(
        [frame(spark, events[:120]), frame(spark, events[120:], 2)],
        "7 seconds",
        dt.timedelta(seconds=2),
        aggs=aggs(),
        keys="k",
    )
    assert result.columns == ["window", "k", "n", "a", "z"]
    assert windows(result) == by_duckdb(events, 7_000_000, 2_000_000)


@pytest.mark.parametrize(
    "design", [None, *sample.turn(["wiml", scalegate.operator("tumlmc", threads=2)], 1)]
)
def test_streams_give_the_windows_of_their_rows_at_rest(
    spark: SparkSession, tmp_path: Path, design: DesignName | scalegate.Operator | None
) -> None:
    rng = random.Random(6)
    both = [events_of(rng, 150) for _ in range(2)]
    for name, events in zip("lr", both, strict=True):
        parts = [events[:60], events[60:], [(stream_files.FAR, -1, -1.0, -1)]]
        stream_files.write_files(tmp_path / name, parts)
    sides = stream_files.sides(spark, tmp_path)
    result = scalegate.window_aggregate(
        sides, "20 seconds", "4 seconds", aggs=aggs(), keys=["k"], design=design
    )
    query = stream_files.run(flat(result), tmp_path)
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    expected = by_duckdb(both[0] + both[1], 20_000_000, 4_000_000)
    assert sorted(map(tuple, found), key=str) == sorted(expected, key=str)
    assert {o["operatorName"] for o in stream_files.operators(query)} == {"windowAggregate"}


SECOND = 1_000_000


def micros(time: dt.datetime) -> int:
    return round(time.timestamp()) * SECOND


def test_a_window_waits_for_the_lowest_watermark(spark: SparkSession, tmp_path: Path) -> None:
    """Of two streams, one ends far behind the other, and goes on from the checkpoint."""
    rng = random.Random(8)
    fast, slow = events_of(rng, 160), events_of(rng, 160)
    stream_files.write_files(tmp_path / "l", [fast[:80], fast[80:]])
    stream_files.write_files(tmp_path / "r", [slow[:20], slow[20:60]])

    def result() -> list[tuple]:
        inputs = stream_files.sides(spark, tmp_path)
        made = scalegate.window_aggregate(
            inputs, "10 seconds", "2 seconds", aggs=aggs(), keys="k"
        )
        rows = stream_files.collect(flat(made), tmp_path)
        return [tuple(row) for row in rows]

    expected = by_duckdb(fast + slow, 10 * SECOND, 2 * SECOND)
    lowest = micros(max(at for at, *_ in slow[:60]) - dt.timedelta(seconds=3))
    closed = {row for row in expected if row[0] + 10 * SECOND <= lowest}
    first = result()
    assert set(first) == closed and len(closed) < len(expected) / 2
    for name, rows in (("l", []), ("r", slow[60:])):
        parts = [rows, [(stream_files.FAR, -1, -1.0, -1)]]
        stream_files.write_files(tmp_path / name, parts, first=2)
    assert sorted(first + result(), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("slide", [2, 9])
def test_three_streams_without_keys_and_their_updates(
    spark: SparkSession, tmp_path: Path, slide: int
) -> None:
    rng = random.Random(9)
    parts = [events_of(rng, 60) for _ in range(3)]
    for name, rows in zip("abc", parts, strict=True):
        stream_files.write_files(tmp_path / name, [rows[:20], rows[20:]])
    inputs = [stream_files.read(spark, tmp_path / name) for name in "abc"]
    # In batches the output mode says when windows are given.
    result = scalegate.window_aggregate(
        inputs, "9 seconds", f"{slide} seconds", aggs=aggs(), emit="final"
    )
    rows = stream_files.collect(flat(result), tmp_path, mode="update")
    latest = {row.start: tuple(row) for row in rows}
    events = [(at, 0, x, i) for part in parts for at, _, x, i in part]
    expected = by_duckdb(events, 9 * SECOND, slide * SECOND)
    assert len(rows) > len(latest), "a window that two batches have rows of comes twice"
    assert set(latest.values()) == {(start, *found) for start, _, *found in expected}


def test_ties_and_nulls_do_not_depend_on_the_order_of_rows(spark: SparkSession) -> None:
    rows = [(1, "b"), (1, "a"), (1, None), (2, "d"), (2, "c"), (None, "e")]
    for _ in range(4 if sample.SOAK else 2):
        random.Random(0).shuffle(rows)
        df = spark.createDataFrame(rows, "t INT, v STRING").repartition(4)
        found = df.select(
            scalegate.first_by_time("v", "t"), scalegate.last_by_time(F.col("v"), F.col("t"))
        )
        assert tuple(found.first() or ()) == (None, "d")
    assert df.where("t IS NULL").select(scalegate.first_by_time("v", "t")).first() == (None,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": "0 seconds"}, "above zero"),
        ({"slide": "-1 second"}, "above zero"),
        ({"slide": "90 microseconds"}, "is 111111 times slide='90 microseconds'"),
        ({"slide": "11 seconds"}, "would be in none"),
        ({"start": "5 seconds"}, "shifts the windows by"),
        ({"size": "ten"}, "not an interval"),
        ({"time": "x"}, "is of type double"),
        ({"time": "tz"}, "has no column 'tz'"),
        ({"keys": ["q"]}, "has no column 'q'"),
        ({"aggs": []}, "give a list of aggregates"),
        ({"aggs": ["x"]}, "which is no aggregate"),
        ({"emit": "now"}, "emit='now': choose one of final, update"),
        ({"emit": "final"}, "inputs are no streams"),
        ({"inputs": []}, "inputs is empty"),
        ({"inputs": [1]}, "no Spark DataFrame"),
    ],
)
def test_bad_arguments_are_named(spark: SparkSession, change: dict, message: str) -> None:
    arguments = {
        "inputs": frame(spark, []),
        "size": "10 seconds",
        "slide": "5 seconds",
        "aggs": aggs(),
        "keys": "k",
    }
    with pytest.raises(scalegate.ScalegateError, match=message):
        scalegate.window_aggregate(**(arguments | change))


def test_inputs_of_other_columns_are_named(spark: SparkSession) -> None:
    df = frame(spark, [])
    with pytest.raises(scalegate.ScalegateError, match="differ in 'x'"):
        scalegate.window_aggregate([df, df.drop("x")], "1 second", aggs=aggs())


def test_streams_and_batches_are_not_mixed(spark: SparkSession, tmp_path: Path) -> None:
    stream_files.write_files(tmp_path / "l", [])
    both = [stream_files.read(spark, tmp_path / "l"), frame(spark, [])]
    for inputs, says in ((both, "is no stream"), (both[::-1], "is a stream")):
        with pytest.raises(scalegate.ScalegateError, match=rf"inputs\[1\] {says}"):
            scalegate.window_aggregate(inputs, "1 second", aggs=aggs())


def test_streams_with_a_watermark_and_without_are_not_mixed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Rows of the one without would be late by the watermarks of the others."""
    stream_files.write_files(tmp_path / "l", [])
    marked = stream_files.read(spark, tmp_path / "l")
    remade = marked.withColumn("ts", F.col("ts") + F.expr("INTERVAL 1 HOUR"))
    for inputs, at in (([marked, marked, remade], 2), ([remade, marked], 0)):
        with pytest.raises(scalegate.ScalegateError, match=rf"inputs\[{at}\] has no watermark"):
            scalegate.window_aggregate(inputs, "1 second", aggs=aggs())
    for inputs in ([marked, marked], [remade, remade]):
        assert scalegate.window_aggregate(inputs, "1 second", aggs=aggs()).isStreaming


@pytest.fixture(scope="module")
def meters(spark: SparkSession) -> DataFrame:
    time = F.timestamp_seconds(F.col("id") * 7 % 900).alias("ts")
    return spark.range(700).select(time, (F.col("id") % 5).alias("k"), F.col("id").alias("x"))


def of_meters(meters: DataFrame, by: DesignName | scalegate.Operator | None) -> DataFrame:
    inputs = [meters, meters.where("k > 2")]
    return scalegate.window_aggregate(
        inputs, "5 minutes", "1 minute", aggs=aggs(), keys="k", start="9 s", design=by
    )


@pytest.fixture(scope="module")
def rows_of_panes(meters: DataFrame) -> list[Row]:
    return sorted(flat(of_meters(meters, None)).collect())


@pytest.mark.parametrize(
    "design", [pytest.param(DESIGNS[0], marks=pytest.mark.connect), *DESIGNS[1:]]
)
def test_a_design_of_the_papers_gives_the_rows_of_panes(
    meters: DataFrame, rows_of_panes: list[Row], design: DesignName
) -> None:
    def windows(by: DesignName | scalegate.Operator) -> DataFrame:
        return of_meters(meters, by)

    expected = rows_of_panes
    assert sorted(flat(windows(design)).collect()) == expected
    assert f"({design}(inputs=2))" in sessions.plan(windows(design))
    on_panes = scalegate.operator(design, inputs=3, panes=True)
    assert sorted(flat(windows(on_panes)).collect()) == expected
    assert f"({design}(inputs=3, panes=true))" in sessions.plan(windows(on_panes))
    if design == "wiml":
        of_the_paper = scalegate.operator(design, inputs=2, winset="michael")
        assert sorted(flat(windows(of_the_paper)).collect()) == expected
        assert "(wiml(inputs=2, winset=michael))" in sessions.plan(windows(of_the_paper))
    if design in ("wiml", "tumlmc"):
        skip_list = scalegate.operator(design, inputs=2, shortcuts=True)
        assert sorted(flat(windows(skip_list)).collect()) == expected


def test_a_design_that_is_none_or_has_no_windows_is_refused(meters: DataFrame) -> None:
    def refused(message: str, design: Any, slide: str = "9 s") -> None:
        with pytest.raises((ScalegateError, IllegalArgumentException), match=message):
            windows = meters.window_aggregate("18 s", slide, aggs=[F.sum("x")], design=design)
            windows.collect()

    refused("design='hp': choose one of mq, mqlf", "hp")
    refused("design='pim\\(threads=2\\)': choose one", scalegate.operator("pim", threads=2))
    refused("no aggregate over sliding windows that overlap", "wiml", slide="18 s")
    with pytest.raises(ScalegateError, match="panes='yes': give True or False"):
        scalegate.operator("mq", panes="yes")  # type: ignore[arg-type]
    with pytest.raises(ScalegateError, match="algorithm='mq\\(inputs=2\\)'"):
        meters.interval_join(meters, lower="-1 s", algorithm=scalegate.operator("mq", inputs=2))
