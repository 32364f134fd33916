"""Aggregates over the rows around each row against pandas by hand, DuckDB and plain Spark."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sample
import scalegate
import sessions
import stream_files
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError

START = np.datetime64("2024-03-09T22:00:00", "us")
WIDTHS = [("-40 seconds", 0), ("-2 minutes", "1 minute"), ("5 seconds", "30 seconds"), (0, 0)]


def events(seed: int, rows: int, value: str) -> pd.DataFrame:
    """Events of few seconds, of which several have the same time."""
    rng = np.random.default_rng(seed)
    seconds = rng.integers(0, rows * 4, rows)
    return pd.DataFrame(
        {
            "ts": pd.Series(START + seconds.astype("timedelta64[s]")).astype("datetime64[us]"),
            "tick": seconds,
            "symbol": rng.choice(["A", "B", "C"], rows, p=[0.7, 0.2, 0.1]),
            value: rng.permutation(rows).astype("int64"),
        }
    )


TRADES = events(1, 300, "trade")
QUOTES = events(2, 400, "bid")


@pytest.fixture(scope="session")
def trades(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TRADES).repartition(3)


@pytest.fixture(scope="session")
def quotes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(QUOTES).repartition(3)


def rows(frame: DataFrame, *columns: str) -> dict[int, tuple[Any, ...]]:
    assert "IntervalAggregate" in sessions.plan(frame)
    found = [(row.trade, tuple(row[c] for c in columns)) for row in frame.collect()]
    assert len(found) == len(TRADES)
    return dict(found)


def seconds(width: str | int) -> int:
    return int(pd.Timedelta(width).total_seconds()) if isinstance(width, str) else width


def by_hand(
    lower: int, upper: int, keyed: bool, of: Callable[[Any, pd.DataFrame], tuple[Any, ...]]
) -> dict[int, tuple[Any, ...]]:
    """Of each trade what `of` says of it and the quotes around it, from the oldest one on."""
    ordered = QUOTES.sort_values(["tick", "bid"])
    result = {}
    for trade in TRADES.itertuples():
        within = ordered.tick.between(trade.tick + lower, trade.tick + upper)
        if keyed:
            within &= ordered.symbol == trade.symbol
        result[trade.trade] = of(trade, ordered[within])
    return result


@pytest.mark.parametrize(
    ("width", "keyed"),
    sample.marked(sample.covering(WIDTHS, [True, False]), pytest.mark.smoke, 0),
    ids=str,
)
def test_rows_are_those_of_pandas(
    trades: DataFrame, quotes: DataFrame, width: tuple[Any, Any], keyed: bool
) -> None:
    lower, upper = width
    aggs = [
        F.count("*").alias("n"),
        F.max("bid").alias("high"),
        F.sum("bid").alias("total"),
        F.sort_array(F.collect_list("bid")).alias("all"),
        F.median("bid").alias("middle"),
    ]
    expected = by_hand(
        seconds(lower),
        seconds(upper),
        keyed,
        lambda _, q: (
            len(q),
            *((int(q.bid.max()), int(q.bid.sum())) if len(q) else (None, None)),
            sorted(q.bid),
            float(q.bid.median()) if len(q) else None,
        ),
    )
    on = "symbol" if keyed else None
    by_time = (("ts", "ts"), (lower, upper))
    by_number = (("tick", "tick"), (seconds(lower), seconds(upper)))
    # Each with a key and without one: keys come in every second of the widths.
    for time, ends in sample.turn([by_time, by_number], WIDTHS.index(width) // 2):
        around = trades.interval_aggregate(
            quotes, on=on, time=time, lower=ends[0], upper=ends[1], aggs=aggs
        )
        assert around.columns == [*TRADES.columns, "n", "high", "total", "all", "middle"]
        assert rows(around, "n", "high", "total", "all", "middle") == expected


def test_rows_are_those_of_duckdb(trades: DataFrame, quotes: DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("t", pa.Table.from_pandas(TRADES))
    connection.register("q", pa.Table.from_pandas(QUOTES))
    expected = connection.sql(
        "SELECT trade, n, low, lead FROM t, LATERAL (SELECT count(*) AS n, min(bid) AS low, "
        "count(*) FILTER (bid % 2 = 0) AS lead FROM q WHERE q.symbol = t.symbol AND "
        "q.tick BETWEEN t.tick - 60 AND t.tick - 1)"
    ).fetchall()
    around = trades.interval_aggregate(
        quotes.withColumnRenamed("symbol", "name"),
        left_on="symbol",
        right_on="name",
        lower="-60 seconds",
        upper="-1 second",
        aggs=[
            F.count("*").alias("n"),
            F.min("bid").alias("low"),
            F.count_if(F.col("bid") % 2 == 0).alias("lead"),
        ],
    )
    assert rows(around, "n", "low", "lead") == {trade: tuple(rest) for trade, *rest in expected}


def test_functions_by_time(trades: DataFrame, quotes: DataFrame) -> None:
    around = trades.interval_aggregate(
        quotes.withColumn("time", F.struct("ts", "bid")).withColumn("at", F.col("ts")),
        on="symbol",
        lower="-2 minutes",
        aggs=[scalegate.first("at").alias("oldest"), scalegate.last("tick").alias("newest")],
    )
    expected = by_hand(
        -120,
        0,
        True,
        lambda _, q: (
            (q.ts.iloc[0].to_pydatetime(), int(q.tick.iloc[-1])) if len(q) else (None, None)
        ),
    )
    assert rows(around, "oldest", "newest") == expected


@pytest.mark.parametrize(
    ("width", "keyed"),
    sample.marked(sample.covering(WIDTHS, [False, True]), pytest.mark.smoke, 0),
    ids=str,
)
def test_the_prevailing_row_counts_where_none_begins_the_interval(
    trades: DataFrame, quotes: DataFrame, width: tuple[Any, Any], keyed: bool
) -> None:
    lower, upper = width
    ordered = QUOTES.sort_values(["tick", "bid"])

    def of(trade: Any, within: pd.DataFrame) -> tuple[Any, ...]:
        start = trade.tick + seconds(lower)
        before = ordered[ordered.tick < start]
        if keyed:
            before = before[before.symbol == trade.symbol]
        if not (within.tick == start).any() and len(before):
            within = pd.concat([before.tail(1), within])
        return (len(within), sorted(within.bid))

    around = trades.interval_aggregate(
        quotes,
        on="symbol" if keyed else None,
        lower=lower,
        upper=upper,
        prevailing=True,
        aggs=[F.count("*").alias("n"), F.sort_array(F.collect_list("bid")).alias("all")],
    )
    expected = by_hand(seconds(lower), seconds(upper), keyed, of)
    assert rows(around, "n", "all") == expected


def test_several_intervals_at_once(trades: DataFrame, quotes: DataFrame) -> None:
    intervals = {"after": ("1 second", "30 seconds"), "before": ("-1 minute", 0)}
    around = trades.interval_aggregate(
        quotes, on="symbol", intervals=intervals, aggs=[F.count("*").alias("n"), F.max("bid")]
    )
    assert around.columns == [*TRADES.columns, "after", "before"]
    plan = sessions.plan(around)
    assert plan.count("IntervalAggregate ") == 1
    expected = [
        by_hand(
            seconds(lower),
            seconds(upper),
            True,
            lambda _, q: (len(q), int(q.bid.max()) if len(q) else None),
        )
        for lower, upper in intervals.values()
    ]
    found = {row.trade: (tuple(row.after), tuple(row.before)) for row in around.collect()}
    assert found == {t: (expected[0][t], expected[1][t]) for t in expected[0]}
    assert plan.count("Exchange hashpartitioning") == 2


def test_what_is_cached_is_not_aggregated_again(trades: DataFrame, quotes: DataFrame) -> None:
    def counted(of: DataFrame, lower: str, name: str) -> DataFrame:
        aggs = [F.count("*").alias(name)]
        return of.interval_aggregate(quotes, on="symbol", lower=lower, aggs=aggs)

    one = counted(trades, "-1 minute", "near")
    expected = counted(one, "-1 hour", "far")
    assert sessions.plan(expected).count("IntervalAggregate ") == 1
    rows_of = sorted((row.trade, row.near, row.far) for row in expected.collect())
    one.cache()
    try:
        both = counted(one, "-1 hour", "far")
        assert "InMemoryTableScan" in sessions.plan(both)
        assert sorted((row.trade, row.near, row.far) for row in both.collect()) == rows_of
    finally:
        one.unpersist()


def test_rows_without_time_or_key_get_what_no_rows_give(
    spark: SparkSession, quotes: DataFrame
) -> None:
    some = spark.sql(
        "SELECT * FROM VALUES (CAST(NULL AS TIMESTAMP), 'A'), "
        "(TIMESTAMP'2024-03-09 22:10:00', NULL) AS t(ts, symbol)"
    )
    around = some.interval_aggregate(
        quotes,
        on="symbol",
        lower="-1 hour",
        aggs=[F.count("*").alias("n"), F.max("bid").alias("high")],
    )
    assert [(row.n, row.high) for row in around.collect()] == [(0, None)] * 2


def high(trades: DataFrame, right: DataFrame) -> dict[int, tuple[Any, ...]]:
    aggs = [F.max("bid").alias("high"), F.count("*").alias("n")]
    around = trades.interval_aggregate(right, on="symbol", lower="-90 seconds", aggs=aggs)
    return rows(around, "high", "n")


@pytest.fixture(scope="module")
def highest(trades: DataFrame, quotes: DataFrame) -> dict[int, tuple[Any, ...]]:
    return high(trades, quotes)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("monotonically_increasing_id()", marks=pytest.mark.connect),
        "uuid()",
        "rand()",
    ],
)
def test_right_rows_that_differ_each_time_they_are_read(
    spark: SparkSession,
    trades: DataFrame,
    quotes: DataFrame,
    highest: dict[int, tuple[Any, ...]],
    made: str,
) -> None:
    numbered = quotes.withColumn("number", F.expr(made))
    assert high(trades, numbered) == highest
    assert high(trades, numbered.filter(F.expr(f"{made} IS NOT NULL"))) == highest
    # To Spark alone these are rows of a lateral subquery.
    spark.conf.set("spark.scalegate.enabled", "false")
    try:
        alone = trades.interval_aggregate(
            numbered, on="symbol", lower="-90 seconds", aggs=[F.max("bid").alias("high")]
        )
        found = {row.trade: row.high for row in alone.collect()}
    finally:
        spark.conf.unset("spark.scalegate.enabled")
    assert found == {trade: values[0] for trade, values in highest.items()}


def test_what_spark_does_alone_gives_the_same_rows(
    spark: SparkSession, trades: DataFrame, quotes: DataFrame
) -> None:
    around = trades.interval_aggregate(
        quotes,
        on="symbol",
        lower="-90 seconds",
        upper="10 seconds",
        aggs=[F.count_distinct(F.col("bid") % 5).alias("n"), F.max("bid").alias("high")],
    )
    assert "IntervalAggregate" not in sessions.plan(around)
    expected = by_hand(
        -90,
        10,
        True,
        lambda _, q: (q.bid.mod(5).nunique(), int(q.bid.max()) if len(q) else None),
    )
    assert {row.trade: (row.n, row.high) for row in around.collect()} == expected


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("no aggregates", {"aggs": []}, "give a list of aggregates, as in left.interval_aggregate"),
    ("a name instead of aggregates", {"aggs": "bid"}, "give a list of aggregates"),
    (
        "an interval upside down",
        {"lower": "1 second", "upper": "-1 second"},
        "the interval is inverted",
    ),
    ("a key of one side", {"on": "bid"}, "no column 'bid'"),
    ("intervals beside an end", {"intervals": {"a": (0, 0)}}, "either intervals, or lower"),
    ("no intervals", {"lower": None, "intervals": {}}, "give each interval a name and both"),
    ("half an interval", {"lower": None, "intervals": {"a": (0,)}}, "intervals has 'a'"),
    (
        "a name that is taken",
        {"lower": None, "intervals": {"TICK": (0, 0)}},
        "two columns called 'TICK'",
    ),
    ("prevailing rows in words", {"prevailing": "yes"}, "prevailing='yes': say True or False."),
]


@pytest.mark.parametrize(
    ("given", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_arguments_that_do_not_fit_are_refused(
    trades: DataFrame, quotes: DataFrame, given: dict[str, Any], message: str
) -> None:
    fitting: dict[str, Any] = {"on": "symbol", "lower": "-5 seconds", "aggs": [F.max("bid")]}
    with pytest.raises(ScalegateError, match=message.replace("(", r"\(")):
        trades.interval_aggregate(quotes, **{**fitting, **given})


def test_names_of_aggregates_are_no_others(trades: DataFrame, quotes: DataFrame) -> None:
    high, low = F.max("bid"), F.min("bid")
    for aggs, name in ([high.alias("TS")], "TS"), ([high.alias("b"), low.alias("B")], "b"):
        with pytest.raises(ScalegateError, match=f"two columns called '{name}'"):
            trades.interval_aggregate(quotes, on="symbol", lower="-5 seconds", aggs=aggs)


STREAMED: dict[str, dict[str, Any]] = {
    "by a key": {"on": "k", "lower": "-5 seconds"},
    "without a key": {"lower": "-2 seconds", "upper": "3 seconds"},
    "before, and what prevails": {
        "on": "k",
        "lower": "-9 seconds",
        "upper": "-1 second",
        "prevailing": True,
    },
    "two intervals": {
        "on": "k",
        "intervals": {"soon": (0, "2 seconds"), "late": ("2 seconds", "20 seconds")},
    },
}


@pytest.mark.streaming
@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(asked, id=name, marks=[] if number else [pytest.mark.smoke])
        for number, (name, asked) in enumerate(STREAMED.items())
    ],
)
def test_streams_give_the_rows_of_the_same_inputs_at_rest(
    spark: SparkSession, tmp_path: Path, asked: dict[str, Any]
) -> None:
    rng = random.Random(7)
    for side, count in (("l", 200), ("r", 240)):
        stream_files.write(tmp_path / side, stream_files.events(rng, count), rng, batches=3)

    def around(left: DataFrame, right: DataFrame) -> DataFrame:
        aggs = [
            F.count("*").alias("n"),
            F.max("x").alias("high"),
            F.sort_array(F.collect_list("id")).alias("ids"),
            scalegate.last(F.struct("x", "id")).alias("last"),
        ]
        return left.interval_aggregate(right, aggs=aggs, **asked)

    streamed = around(*stream_files.sides(spark, tmp_path))
    assert streamed.isStreaming
    found = [row for row in stream_files.given(streamed, tmp_path) if row.id >= 0]
    tables = (spark.read.parquet(str(tmp_path / side)) for side in ("l", "r"))
    assert len(found) == 200
    assert found == sorted(around(*tables).where("id >= 0").collect(), key=str)


@pytest.mark.streaming
def test_a_stream_beside_a_table(trades: DataFrame, quotes: DataFrame, tmp_path: Path) -> None:
    stream = stream_files.of(trades, tmp_path / "trades")

    def around(left: DataFrame, right: DataFrame) -> DataFrame:
        return left.interval_aggregate(
            right, on="symbol", lower="-1 minute", aggs=[F.count("*").alias("n")]
        )

    found = stream_files.given(around(stream, quotes), tmp_path)
    assert found == sorted(around(trades, quotes).collect(), key=str)
    with pytest.raises(ScalegateError, match="or a stream on the left with a table"):
        around(trades, stream)


def test_a_stream_without_a_watermark_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.format("rate").load()
    around = stream.interval_aggregate(
        stream, time=("timestamp", "timestamp"), lower="-5 seconds", aggs=[F.max("value")]
    )
    with pytest.raises(Exception, match="call withWatermark"):
        (
            around.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .start(str(tmp_path / "rows"))
        )
