"""As-of joins against pandas' `merge_asof`, DuckDB's ASOF, Spark's own, and a ranking by hand."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyspark
import pytest
import sample
import sessions
import stream_files
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError
from scalegate._asof import Direction

START = np.datetime64("2024-03-09T22:00:00", "us")
WIDTHS = [None, "40 seconds", "0 seconds"]


def events(seed: int, rows: int, value: str) -> pd.DataFrame:
    """Events without ties: of one key no two times are the same."""
    rng = np.random.default_rng(seed)
    seconds = rng.choice(rows * 6, rows, replace=False).astype("int64")
    return pd.DataFrame(
        {
            "ts": pd.Series(START + seconds.astype("timedelta64[s]")).astype("datetime64[us]"),
            "i": seconds,
            "symbol": rng.choice(["A", "B", "C"], rows, p=[0.7, 0.2, 0.1]),
            value: np.arange(rows, dtype="int64"),
        }
    )


TRADES = events(1, 300, "trade")
QUOTES = events(2, 300, "quote")


@pytest.fixture(scope="session")
def trades(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TRADES).repartition(3)


@pytest.fixture(scope="session")
def quotes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(QUOTES).repartition(3)


def pairs(rows: Any) -> Counter[tuple[Any, Any]]:
    """Of each trade its quote, or None."""
    return Counter((int(t), None if q is None or pd.isna(q) else int(q)) for t, q in rows)


def ours(joined: DataFrame) -> Counter[tuple[Any, Any]]:
    assert "as of: " in sessions.plan(joined)
    return pairs((row.trade, row.quote) for row in joined.collect())


@pytest.mark.parametrize(
    ("direction", "exact"),
    [
        pytest.param("backward", True, marks=pytest.mark.smoke),
        ("forward", True),
        ("nearest", True),
        ("backward", False),
        ("forward", False),
        pytest.param("nearest", False, marks=pytest.mark.smoke),
    ],
)
def test_rows_are_those_of_pandas(
    trades: DataFrame, quotes: DataFrame, direction: Any, exact: bool
) -> None:
    for width, by in sample.covering(WIDTHS if exact else WIDTHS[:2], [None, "symbol"]):
        expected = pd.merge_asof(
            TRADES.sort_values("ts"),
            QUOTES.sort_values("ts"),
            on="ts",
            by=by,
            direction=direction,
            tolerance=None if width is None else pd.Timedelta(width),
            allow_exact_matches=exact,
        )
        joined = trades.asof_join(
            quotes, on=by, direction=direction, tolerance=width, allow_exact=exact
        )
        assert ours(joined) == pairs(zip(expected.trade, expected.quote))


HOW = ["left", "inner", "semi", "anti"]


@pytest.mark.parametrize("how", HOW)
def test_types_of_join_are_those_of_duckdb(
    trades: DataFrame, quotes: DataFrame, how: Any
) -> None:
    tables = {"t": pa.Table.from_pandas(TRADES), "q": pa.Table.from_pandas(QUOTES)}
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    # Each type one way: rows with a match and without one are found both ways.
    for forward in sample.turn((False, True), HOW.index(how)):
        left = connection.sql(
            "SELECT trade, quote FROM t ASOF LEFT JOIN q ON t.symbol = q.symbol AND t.ts "
            f"{'<=' if forward else '>='} q.ts"
        ).fetchall()
        rows = {
            "left": left,
            "inner": [row for row in left if row[1] is not None],
            "semi": [(t, None) for t, q in left if q is not None],
            "anti": [(t, None) for t, q in left if q is None],
        }[how]
        joined = trades.asof_join(
            quotes, on="symbol", how=how, direction="forward" if forward else "backward"
        )
        if how in ("semi", "anti"):
            joined = joined.withColumn("quote", F.lit(None))
        assert ours(joined) == pairs(rows)


def ranked(
    keep: Callable[[pd.DataFrame], pd.Series], by: list[str], count: int
) -> Counter[tuple[Any, Any]]:
    """All pairs of one symbol that are kept, of each trade the first in the order."""
    both = TRADES.merge(QUOTES, on="symbol", suffixes=("", "_right"))
    both["distance"] = (both.ts - both.ts_right).abs()
    both = both[keep(both)].sort_values(["trade", *by])
    return pairs(both.groupby("trade").head(count)[["trade", "quote"]].itertuples(index=False))


def test_a_condition_holds_before_a_row_is_chosen(trades: DataFrame, quotes: DataFrame) -> None:
    joined = trades.asof_join(
        quotes, on="symbol", how="inner", condition=quotes.quote % 3 < trades.trade % 3
    )
    both = TRADES.merge(QUOTES, on="symbol", suffixes=("", "_right"))
    kept = both[(both.ts_right <= both.ts) & (both.quote % 3 < both.trade % 3)]
    last = kept.sort_values("ts_right").groupby("trade").tail(1)
    assert ours(joined) == pairs(zip(last.trade, last.quote))
    assert joined.columns == ["ts", "i", "symbol", "trade", "ts_right", "i_right", "quote"]


@pytest.mark.parametrize("k", [1, 3])
def test_the_nearest_rows_are_those_of_a_ranking(
    trades: DataFrame, quotes: DataFrame, k: int
) -> None:
    joined = trades.nearest_join(quotes, k=k, on="symbol", how="inner", tolerance="1 minute")
    minute = pd.Timedelta("1 minute")
    expected = ranked(lambda both: both.distance <= minute, ["distance", "ts_right"], k)
    assert ours(joined) == expected
    by_number = trades.nearest_join(
        quotes, k=k, on="symbol", how="inner", time=("i", "i"), tolerance=60
    )
    assert ours(by_number) == expected


def by_plain_spark(spark: SparkSession, joined: DataFrame) -> Counter[tuple[Any, Any]]:
    with sessions.plain(spark):
        return pairs((row.trade, row.quote) for row in joined.select("*").collect())


@pytest.mark.skipif(pyspark.__version__ < "4.3", reason="Spark has ASOF JOIN since 4.3")
@pytest.mark.parametrize(
    ("match", "left"),
    sample.covering(["t.ts >= q.ts", "q.ts < t.ts", "t.i <= q.i", "q.i > t.i"], ["", "LEFT "]),
)
def test_sparks_own_asof_join_is_run_here(
    spark: SparkSession, trades: DataFrame, quotes: DataFrame, match: str, left: str
) -> None:
    trades.createOrReplaceTempView("t")
    quotes.createOrReplaceTempView("q")
    spark.conf.set("spark.sql.join.asofJoin.enabled", "true")
    joined = spark.sql(
        f"SELECT trade, quote FROM t {left}ASOF JOIN q MATCH_CONDITION ({match}) "
        "ON t.symbol = q.symbol AND q.quote % 2 = 0"
    )
    assert ours(joined) == by_plain_spark(spark, joined)


@pytest.mark.skipif(pyspark.__version__ < "4.2", reason="Spark has NEAREST since 4.2")
@pytest.mark.parametrize(
    ("distance", "join"),
    sample.covering(["abs(t.i - q.i)", "abs(q.i - t.i * 1.0D)"], ["INNER JOIN", "LEFT JOIN"]),
)
def test_sparks_own_nearest_rows_are_found_here(
    spark: SparkSession, trades: DataFrame, quotes: DataFrame, join: str, distance: str
) -> None:
    # Of rows as near Spark takes any: no time of the one side lies in the middle of two others.
    trades.withColumn("i", F.col("i") * 4).createOrReplaceTempView("t")
    quotes.withColumn("i", F.col("i") * 4 + 1).createOrReplaceTempView("q")
    for how in ("EXACT NEAREST 3", "APPROX NEAREST"):
        joined = spark.sql(f"SELECT trade, quote FROM t {join} q {how} BY DISTANCE {distance}")
        assert ours(joined) == by_plain_spark(spark, joined)


DIRECTIONS = ["backward", "forward", "nearest"]


@pytest.mark.classic("pandas on Spark takes its numbers from a session of its own there")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_merge_asof_of_pandas_on_spark_is_run_here(
    spark: SparkSession, trades: DataFrame, quotes: DataFrame, direction: str
) -> None:
    import pyspark.pandas as ps

    ways = [(True, None), (False, pd.Timedelta("40 seconds"))]
    for exact, width in sample.turn(ways, DIRECTIONS.index(direction)):
        given: dict[str, Any] = {
            "on": "ts",
            "by": "symbol",
            "direction": direction,
            "allow_exact_matches": exact,
            "tolerance": width,
        }
        # Spark 4.0's refuses ANSI sessions where nobody says so; later ones take them.
        with ps.option_context("compute.fail_on_ansi_mode", False):
            merged = ps.merge_asof(trades.pandas_api(), quotes.pandas_api(), **given).to_spark(
                index_col="index"
            )
        if direction == "nearest":
            # Of two as near Spark takes any, and pandas the earlier one, as here.
            expected = pd.merge_asof(TRADES.sort_values("ts"), QUOTES.sort_values("ts"), **given)
            assert ours(merged) == pairs(zip(expected.trade, expected.quote))
        else:
            assert ours(merged) == by_plain_spark(spark, merged)


@pytest.mark.streaming
def test_a_stream_is_joined_with_a_table(
    trades: DataFrame, quotes: DataFrame, tmp_path: Path
) -> None:
    stream = stream_files.of(trades, tmp_path / "trades")
    # Those of an inner join are among those of a left one.
    hows: list[Any] = ["left", "anti", *["inner"] * sample.SOAK]
    for how in hows:
        joined = stream.asof_join(quotes, on="symbol", how=how, tolerance="1 minute")
        assert joined.isStreaming
        batch = trades.asof_join(quotes, on="symbol", how=how, tolerance="1 minute")
        assert stream_files.given(joined, tmp_path / how) == sorted(batch.collect(), key=str)


def test_ties_are_told_apart_by_the_columns_that_are_named(spark: SparkSession) -> None:
    left = spark.sql("SELECT 1 AS id, 10 AS ts")
    right = spark.sql(
        "SELECT * FROM VALUES (10, 2, 'a'), (10, 1, 'b'), (10, 3, 'c') AS q(ts, v, w)"
    )
    assert left.asof_join(right, ties="v").first().w == "c"
    assert left.asof_join(right, ties=["v"], direction="forward").first().w == "b"
    by_condition = left.asof_join(right, ties="v", condition=right.v < 3)
    assert by_condition.first().w == "a"


def test_keys_of_two_names_are_both_kept(trades: DataFrame, quotes: DataFrame) -> None:
    renamed = quotes.withColumnRenamed("symbol", "ticker")
    joined = trades.asof_join(renamed, left_on="symbol", right_on="ticker", how="inner")
    assert joined.columns == [
        "ts",
        "i",
        "symbol",
        "trade",
        "ts_right",
        "i_right",
        "ticker",
        "quote",
    ]
    assert ours(joined) == ours(trades.asof_join(quotes, on="symbol", how="inner"))


REFUSED = [
    ({"direction": "back"}, "direction='back': choose one of 'backward', 'forward', 'nearest'"),
    ({"tolerance": "-5 seconds"}, "tolerance='-5 seconds' is negative"),
    ({"tolerance": 5}, 'tolerance=5 has no unit: write "5 seconds"'),
    ({"allow_exact": "no"}, "allow_exact='no': say True or False"),
    (
        {"how": "right"},
        "how='right': a join with the nearest rows gives rows for those of its left",
    ),
    ({"how": "full"}, "choose one of 'left', 'inner', 'semi', 'anti'"),
    ({"ties": "bidd"}, "ties: the right side has no column 'bidd'"),
    ({"ties": 3}, "ties=3: give a column name of the right side"),
    ({"time": ("ts", "quote")}, "the time columns differ in type"),
    ({"time": ("symbol", "ts")}, "times are timestamp, timestamp_ntz, date or integers"),
    ({"time": ("i", "quote"), "tolerance": 1.5}, "the columns are integers; give a whole one"),
    ({"condition": "trade > quote"}, "condition='trade > quote' is not a Column"),
    ({"on": "symbl"}, "on: the left side has no column 'symbl'"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_bad_arguments_are_refused(
    trades: DataFrame, quotes: DataFrame, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScalegateError) as error:
        trades.asof_join(quotes, **arguments)
    assert message in str(error.value)


def test_a_number_of_rows_that_is_none_is_refused(trades: DataFrame, quotes: DataFrame) -> None:
    for k in (None, 0, -1, 1.5, True, 100_001):
        with pytest.raises(ScalegateError, match="give a whole number of rows from 1 to 100000"):
            trades.nearest_join(quotes, k=k)


def arriving(spark: SparkSession, directory: Path, rows: pd.DataFrame, delay: str) -> DataFrame:
    """A stream of the rows, a file a batch, and then of one that moves the watermark past all."""
    directory.mkdir()
    shuffled = rows.sample(frac=1.0, random_state=7)
    last = rows.head(1).assign(ts=START + np.timedelta64(30, "D"), symbol="none")
    last[rows.columns[-1]] = -1
    parts = [*np.array_split(np.arange(len(rows)), 3), None]
    for number, part in enumerate(parts):
        chosen = last if part is None else shuffled.iloc[part]
        table = pa.Table.from_pandas(chosen, preserve_index=False)
        stream_files.write_file(directory, table, number)
    schema = spark.read.parquet(str(directory)).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    timed = stream.parquet(str(directory)).withColumn("ts", F.col("ts").cast("timestamp"))
    return timed.withWatermark("ts", delay)


@pytest.mark.streaming
@pytest.mark.parametrize(
    ("direction", "tolerance"),
    [
        ("backward", None),
        *[("backward", "40 seconds")] * sample.SOAK,
        ("forward", "3 minutes"),
        pytest.param("nearest", "1 minute", marks=pytest.mark.connect),
    ],
)
def test_two_streams_give_what_pandas_gives(
    spark: SparkSession, tmp_path: Path, direction: Direction, tolerance: str | None
) -> None:
    left = arriving(spark, tmp_path / "trades", TRADES, "1 hour")
    right = arriving(spark, tmp_path / "quotes", QUOTES, "1 hour")
    joined = left.asof_join(right, on="symbol", direction=direction, tolerance=tolerance)
    query = stream_files.run(joined.select("trade", "quote", "symbol"), tmp_path)
    got = spark.read.parquet(str(tmp_path / "out")).where("symbol <> 'none'")
    expected = pd.merge_asof(
        TRADES.sort_values("ts"),
        QUOTES.sort_values("ts"),
        on="ts",
        by="symbol",
        direction=direction,
        tolerance=None if tolerance is None else pd.Timedelta(tolerance),
    )
    assert pairs((row.trade, row.quote) for row in got.collect()) == pairs(
        zip(expected.trade, expected.quote)
    )
    assert {join["operatorName"] for join in stream_files.operators(query)} == {"windowJoin"}


@pytest.mark.streaming
def test_streams_that_cannot_be_joined_are_refused(
    spark: SparkSession, trades: DataFrame
) -> None:
    stream = spark.readStream.format("rate").load().toDF("ts", "quote")
    with pytest.raises(ScalegateError, match="Join two streams, or a stream on the left"):
        trades.asof_join(stream)
    with pytest.raises(ScalegateError, match="'forward' of two streams needs a tolerance"):
        stream.asof_join(stream, direction="forward")
    with pytest.raises(Exception, match="call withWatermark"):
        stream.asof_join(stream).writeStream.format("noop").start()
