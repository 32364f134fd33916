"""Aggregates over sliding windows on panes, by plain Spark and by DuckDB: the same rows."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sample
import sessions
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = 600
SECOND = 1_000_000

# Sizes, slides and starts in seconds; windows end as others begin, and not.
WINDOWS = [(60, 10, 0), (50, 20, 7), (90, 7, -3), (33, 16, 5)]
KEYS = ["", "k", "k, name"]
# Both engines read these alike; v is a whole number of quarters, so its sums are exact.
FUNCTIONS = [
    "count(*)",
    "count(v)",
    "sum(v)",
    "avg(v)",
    "min(name)",
    "max(i)",
    "count(*) FILTER (WHERE i > 0)",
    "bool_or(i > 15)",
]


@pytest.fixture(scope="module")
def events() -> pa.Table:
    """On both sides of 1970, with NULLs and ties everywhere."""
    rng = np.random.default_rng(31)

    def column(values: Any, kind: pa.DataType) -> pa.Array:
        return pa.array(values, type=kind, mask=rng.random(ROWS) < 0.08)

    micros = rng.integers(-400, 400, ROWS) * SECOND + rng.integers(0, 2, ROWS) * 250_000
    return pa.table(
        {
            "ts": column(micros, pa.int64()).cast(pa.timestamp("us", tz="UTC")),
            "k": column(rng.integers(0, 4, ROWS), pa.int32()),
            "name": column([f"n{n}" for n in rng.integers(0, 3, ROWS)], pa.string()),
            "i": column(rng.integers(-20, 20, ROWS), pa.int32()),
            "v": column(rng.integers(-90, 90, ROWS) / 4, pa.float64()),
        }
    )


@pytest.fixture(scope="module")
def frame(spark: SparkSession, events: pa.Table) -> Iterator[DataFrame]:
    made = spark.createDataFrame(events).repartition(3)
    made.createOrReplaceTempView("window_events")
    yield made
    spark.catalog.dropTempView("window_events")


def on_panes(df: DataFrame) -> bool:
    return "PaneWindows" in sessions.plan(df)


def spark_rows(df: DataFrame) -> Counter[Any]:
    return Counter(tuple(row) for row in df.collect())


def listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def duckdb_rows(events: pa.Table, keys: str, size: int, slide: int, start: int) -> Counter[Any]:
    """Every row once for each window that holds it, as `window` is defined."""
    width, step, offset = size * SECOND, slide * SECOND, start * SECOND
    into = f"((epoch_us(ts) - {offset}) % {step} + {step}) % {step}"
    first = f"epoch_us(ts) - {into}"
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'")
    con.register("arriving", events)
    found = con.execute(
        f"""WITH expanded AS (
              SELECT *, UNNEST(range({first}, epoch_us(ts) - {width}, -{step})) AS first
              FROM arriving WHERE ts IS NOT NULL)
            SELECT {listed("first // 1", keys, *FUNCTIONS)} FROM expanded
            GROUP BY {listed("first", keys)}"""
    ).fetchall()
    con.close()
    return Counter(found)


@pytest.mark.parametrize(("by", "keys"), sample.covering(WINDOWS, KEYS), ids=str)
def test_sql_windows(
    spark: SparkSession,
    frame: DataFrame,
    events: pa.Table,
    by: tuple[int, int, int],
    keys: str,
) -> None:
    size, slide, start = by
    window = f"window(ts, '{size} seconds', '{slide} seconds', '{start} seconds')"
    query = (
        f"SELECT {listed('unix_micros(window.start)', keys, *FUNCTIONS)} "
        f"FROM window_events GROUP BY {listed(window, keys)}"
    )
    ours = spark.sql(query)
    assert on_panes(ours)
    found = spark_rows(ours)
    with sessions.plain(spark):
        theirs = spark.sql(query)
        assert not on_panes(theirs)
        assert found == spark_rows(theirs)
    assert found == duckdb_rows(events, keys, size, slide, start)


def test_a_dataframes_windows_keep_sparks_schema(spark: SparkSession, frame: DataFrame) -> None:
    def grouped() -> DataFrame:
        by = F.window("ts", "1 minute", "10 seconds", "5 seconds")
        return frame.groupBy(by, "name").agg(F.sum("v").alias("total"), F.collect_set("k"))

    ours = grouped()
    assert on_panes(ours)
    with sessions.plain(spark):
        theirs = grouped()
        assert ours.schema == theirs.schema
        wanted = Counter((w, n, t, frozenset(ks)) for w, n, t, ks in theirs.collect())
    assert Counter((w, n, t, frozenset(ks)) for w, n, t, ks in ours.collect()) == wanted


@pytest.mark.skipif(not hasattr(F, "arrow_udf"), reason="PySpark 4.0 has no arrow_udf")
def test_a_python_function_that_aggregates_is_left_to_spark(
    spark: SparkSession, frame: DataFrame
) -> None:
    @F.arrow_udf("bigint")
    def valid(values: pa.Array) -> int:
        return len(values) - values.null_count

    by = F.window("ts", "1 minute", "10 seconds")
    grouped = frame.groupBy(by).agg(valid("v").alias("n"))
    assert not on_panes(grouped)
    assert on_panes(frame.groupBy(by).agg(F.count("v").alias("n")))


@pytest.mark.parametrize(
    ("partitions", "adaptive"), sample.covering([1, 2, 3, 7], ["true", "false"])
)
def test_partitions_do_not_matter(
    spark: SparkSession, frame: DataFrame, partitions: int, adaptive: str
) -> None:
    query = (
        "SELECT window.start, k, sum(i), max(name), max_by(name, struct(ts, name)) "
        "FROM window_events GROUP BY window(ts, '45 seconds', '9 seconds'), k"
    )
    wanted = spark_rows(spark.sql(query))
    settings = {
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.sql.adaptive.enabled": adaptive,
    }
    before = {key: spark.conf.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        assert spark_rows(spark.sql(query)) == wanted
    finally:
        for key, kept in before.items():
            assert kept is not None
            spark.conf.set(key, kept)
