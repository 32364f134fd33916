"""The three joins against the same condition written for plain Spark; the plan has our node."""

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
import sample
import scalegate
import sessions
import typed_program
from join_frames import assert_same, left_of, renamed, right_of, rows
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote


@pytest.fixture(scope="module")
def left(spark: SparkSession) -> DataFrame:
    return left_of(spark)


@pytest.fixture(scope="module")
def right(left: DataFrame) -> DataFrame:
    return right_of(left)


@pytest.mark.smoke
def test_interval_join_on_a_key(spark: SparkSession, left: DataFrame, right: DataFrame) -> None:
    joined = scalegate.interval_join(
        left, right, on="symbol", lower="-5 seconds", upper="1 minute"
    )
    assert joined.columns == [*left.columns, "ts_right", "tick_right", "day_right", "a", "bid"]
    condition = F.expr(
        "symbol = r_symbol AND r_ts >= ts - INTERVAL 5 SECONDS AND r_ts <= ts + INTERVAL 1 MINUTE"
    )
    expected = left.join(renamed(right), condition).drop("r_symbol")
    assert_same(spark, joined, expected)


@pytest.mark.parametrize(
    "time, lower, upper",
    [("tick", -2, 3), ("day", "-2 days", "1 day"), ("ts", dt.timedelta(seconds=-9), "0 seconds")],
)
def test_interval_join_without_a_key(
    spark: SparkSession, left: DataFrame, right: DataFrame, time: str, lower: Any, upper: Any
) -> None:
    joined = left.interval_join(right, time=(time, time), lower=lower, upper=upper)
    ends = {
        "tick": "tick - 2 AND tick + 3",
        "day": "date_sub(day, 2) AND date_add(day, 1)",
        "ts": "ts - INTERVAL 9 SECONDS AND ts",
    }
    assert_same(
        spark, joined, left.join(renamed(right), F.expr(f"r_{time} BETWEEN {ends[time]}"))
    )


@pytest.mark.smoke
def test_band_join(spark: SparkSession, left: DataFrame, right: DataFrame) -> None:
    joined = left.band_join(
        right, bands={"x": ("a", 10), "tick": ("tick", 2.5)}, within="1 minute"
    )
    condition = F.expr(
        "abs(x - r_a) <= 10 AND abs(tick - r_tick) <= 2.5 "
        "AND r_ts BETWEEN ts - INTERVAL 1 MINUTE AND ts + INTERVAL 1 MINUTE"
    )
    assert_same(spark, joined, left.join(renamed(right), condition))


@pytest.mark.parametrize("how", ["inner", "full"])
def test_keys_of_two_names_are_both_kept(
    spark: SparkSession, left: DataFrame, right: DataFrame, how: Any
) -> None:
    other = right.withColumnRenamed("symbol", "sign")
    joined = left.interval_join(
        other,
        left_on=["symbol"],
        right_on=["sign"],
        lower="-5 seconds",
        upper="1 minute",
        how=how,
    )
    assert "sign" in joined.columns and joined.columns.count("symbol") == 1
    condition = F.expr(
        "symbol = r_sign AND r_ts >= ts - INTERVAL 5 SECONDS AND r_ts <= ts + INTERVAL 1 MINUTE"
    )
    assert_same(spark, joined, left.join(renamed(other), condition, how))


def test_a_band_join_on_a_key_has_it_once(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    joined = left.band_join(right, {"x": ("a", 10)}, on="symbol")
    assert joined.columns == [
        *left.columns,
        *("ts_right", "tick_right", "day_right", "a", "bid"),
    ]
    condition = F.expr("symbol = r_symbol AND abs(x - r_a) <= 10")
    assert_same(spark, joined, left.join(renamed(right), condition).drop("r_symbol"))


@pytest.mark.parametrize(
    "bands, condition",
    [
        ({"x": ("a", (-5, 10.5))}, "r_a - x BETWEEN -5 AND 10"),
        ({"x": ("a", (2, 3))}, "r_a - x BETWEEN 2 AND 3"),
        ({"f": ("f", (-0.5, 7))}, "r_f - f BETWEEN -0.5 AND 7"),
        ({"d": ("d", (-0.5, 0))}, "r_d - d BETWEEN -0.5 AND 0"),
        ({"day": ("day", ("-1 day", 0))}, "r_day BETWEEN date_sub(day, 1) AND day"),
        (
            {"ts": ("ts", ("1s", "5s"))},
            "r_ts BETWEEN ts + INTERVAL 1 SECOND AND ts + INTERVAL 5 SECOND",
        ),
    ],
)
def test_a_band_may_reach_further_one_way(
    spark: SparkSession, left: DataFrame, right: DataFrame, bands: Any, condition: str
) -> None:
    of = {"f": F.col("tick").cast("double") / 4, "d": (F.col("tick") / 4).cast("decimal(9, 2)")}
    left, right = left.withColumns(of), right.withColumns(of)
    joined = left.band_join(right, bands)
    assert_same(spark, joined, left.join(renamed(right), F.expr(condition)))


def test_what_type_checkers_accept_runs(spark: SparkSession) -> None:
    row = "(TIMESTAMP'2024-01-01', 'A', 1.0D)"
    trades = spark.sql(f"SELECT * FROM VALUES {row} AS t(ts, symbol, price)")
    quotes = trades.withColumnRenamed("price", "bid")
    assert scalegate.typed(trades) is trades
    counts = [df.count() for df in typed_program.joins(trades, quotes)]
    assert counts == [1] * 5 + [0, 1] + [6] + [1] * 3


def test_band_join_without_a_time(spark: SparkSession, left: DataFrame, right: DataFrame) -> None:
    joined = left.band_join(right, bands={"x": ("a", 3)})
    assert_same(spark, joined, left.join(renamed(right), F.expr("abs(x - r_a) <= 3")))


def test_window_join_with_a_condition_of_both_frames(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    joined = left.window_join(right, on=left.x + right.a < 90, within="30 seconds")
    assert joined.columns[len(left.columns) :] == [
        "ts_right",
        "tick_right",
        "day_right",
        "symbol_right",
        "a",
        "bid",
    ]
    condition = F.expr(
        "x + r_a < 90 AND r_ts BETWEEN ts - INTERVAL 30 SECONDS AND ts + INTERVAL 30 SECONDS"
    )
    assert_same(spark, joined, left.join(renamed(right), condition))


@pytest.mark.connect
def test_columns_of_the_joined_frames_name_those_of_the_result(
    left: DataFrame, right: DataFrame
) -> None:
    # Both sides have ts, tick, day and symbol.
    joined = [
        left.window_join(right, within="30 seconds"),
        left.window_join(right, left.x < right.a, within="30 seconds"),
        left.asof_join(right, on="symbol", condition=left.x < right.a),
        left.nearest_join(right, k=2, condition=left.x < right.a),
        left.cube_join(
            right, left.limit(3).select(F.col("ts"), F.col("x").alias("z")), within="9 seconds"
        ),
    ]
    for df in joined:
        picked = df.select(left.x, right.a, left["ts"])
        assert picked.columns == ["x", "a", "ts"]
        by_name = [tuple(row) for row in df.select("x", "a", "ts", "symbol").collect()]
        assert rows(picked) == Counter(row[:3] for row in by_name)
        of_symbol: dict[str, list[int]] = {}
        for _, a, _, symbol in by_name:
            of_symbol.setdefault(symbol, []).extend([] if a is None else [a])
        sums = {symbol: sum(found) if found else None for symbol, found in of_symbol.items()}
        grouped = df.groupBy(left.symbol).agg(F.sum(right.a).alias("a"))
        assert rows(grouped) == Counter(sums.items())
        assert df.drop(right.a).columns == [c for c in df.columns if c != "a"]
        assert df.withColumn("d", left.x - right.a).columns == [*df.columns, "d"]


@pytest.mark.connect
def test_aliases_of_the_joined_frames_name_the_columns_of_the_result(
    left: DataFrame, right: DataFrame
) -> None:
    joined = left.alias("l").asof_join(
        right.alias("r"), on="symbol", condition=F.expr("l.x < r.a")
    )
    assert rows(joined.select("l.x", "r.a", "l.ts")) == rows(joined.select("x", "a", "ts"))


@pytest.mark.connect
def test_a_frame_that_is_a_join_itself(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    names = left.select("symbol").distinct().limit(2).withColumn("name", F.lower("symbol"))
    named = left.join(names, "symbol")
    alone = spark.createDataFrame(named.collect(), named.schema)
    asked = {"on": "symbol", "lower": "-20 seconds"}
    assert rows(named.interval_join(right, **asked)) == rows(alone.interval_join(right, **asked))
    again = {"lower": "-9 seconds", "suffix": "_again", "algorithm": "sweep"}
    chained = named.interval_join(right, **asked).interval_join(right, **again)
    assert rows(chained) == rows(
        alone.interval_join(right, **asked).interval_join(right, **again)
    )
    hinted = [line for line in sessions.plan(chained).splitlines() if "as hinted" in line]
    assert hinted and all("ts_again - ts" in line and "sweep" in line for line in hinted)


SAME = sample.covering(
    ["inner", "left", "right", "full", "semi", "anti"], ["auto", "sweep", "kp"]
)


@pytest.mark.parametrize(("how", "algorithm"), SAME)
def test_times_that_are_the_same_in_all_rows(
    left: DataFrame, right: DataFrame, how: Any, algorithm: Any
) -> None:
    noon = left.withColumn("ts", F.expr("timestamp'2024-03-10 00:00:30'"))
    between = "r_ts BETWEEN ts - INTERVAL 20 SECONDS AND ts + INTERVAL 20 SECONDS"
    kind = {"semi": "left_semi", "anti": "left_anti"}.get(how, how)
    joined = noon.interval_join(
        right,
        on="symbol",
        lower="-20 seconds",
        upper="20 seconds",
        how=how,
        algorithm=algorithm,
    )
    near = noon.window_join(right, noon.symbol == right.symbol, within="20 seconds", how=how)
    expected = noon.join(renamed(right), F.expr(f"symbol = r_symbol AND {between}"), kind)
    assert joined.count() == near.count() == expected.count()


def test_a_frame_joined_with_itself_by_alias(spark: SparkSession, left: DataFrame) -> None:
    joined = left.alias("l").window_join(
        left.alias("r"), on=F.col("l.symbol") != F.col("r.symbol"), within="10 seconds"
    )
    condition = F.expr(
        "symbol != r_symbol "
        "AND r_ts BETWEEN ts - INTERVAL 10 SECONDS AND ts + INTERVAL 10 SECONDS"
    )
    assert_same(spark, joined, left.join(renamed(left), condition))


def test_a_frame_joined_with_itself_by_bands(spark: SparkSession, left: DataFrame) -> None:
    joined = left.band_join(left, bands={"x": ("x", 2)}, within="1 minute", suffix="_2")
    assert joined.columns == [*left.columns, *(f"{name}_2" for name in left.columns)]
    condition = F.expr(
        "abs(x - r_x) <= 2 AND r_ts BETWEEN ts - INTERVAL 1 MINUTE AND ts + INTERVAL 1 MINUTE"
    )
    assert_same(spark, joined, left.join(renamed(left), condition))


@pytest.mark.smoke
def test_a_window_of_rows_pairs_the_later_row_with_the_last_ones(spark: SparkSession) -> None:
    left = spark.range(0, 20, 2).toDF("ts")
    right = spark.range(1, 21, 2).toDF("ts")
    joined = left.window_join(right, within=scalegate.rows(2))
    expected = {
        (later, earlier)
        for later in range(20)
        for earlier in (later - 1, later - 3)
        if earlier >= 0
    }
    found = [tuple(sorted(row, reverse=True)) for row in joined.collect()]
    assert Counter(found) == Counter(expected)


@pytest.mark.smoke
def test_left_rows_alone_look_back_at_the_last_ones(spark: SparkSession) -> None:
    left = spark.range(0, 20, 2).toDF("ts").withColumn("k", F.col("ts") % 4)
    right = spark.range(1, 21, 2).toDF("ts").withColumn("k", (F.col("ts") - 1) % 4)
    of_all = left.window_join(right, within=scalegate.rows(left=0, right=2)).select(
        "ts", "ts_right"
    )
    expected = [(t, s) for t in range(0, 20, 2) for s in (t - 1, t - 3) if s > 0]
    assert Counter(map(tuple, of_all.collect())) == Counter(expected)
    last = scalegate.rows(left=0, right=1, per_key="k")
    of_key = left.window_join(right, within=last, how="left").select("ts", "ts_right")
    # A right row of the key stands one after the left row, and three before it.
    assert Counter(map(tuple, of_key.collect())) == Counter(
        (t, t - 3 if t > 3 else None) for t in range(0, 20, 2)
    )


def test_a_frame_meets_itself_in_a_window_of_rows(spark: SparkSession) -> None:
    frame = spark.range(5).toDF("ts")
    a, b = frame.alias("a"), frame.alias("b")
    joined = a.window_join(b, on=F.col("a.ts") >= F.col("b.ts"), within=scalegate.rows(1))
    # The left row of a time comes first: it meets the right row before, and is met by its own.
    expected = [(i, i) for i in range(5)] + [(i + 1, i) for i in range(4)]
    assert Counter(map(tuple, joined.collect())) == Counter(expected)


@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ("left", [(1, None), (2, 1), (4, 3), (None, None)]),
        ("right", [(2, 1), (4, 3), (None, 5)]),
        ("full", [(1, None), (2, 1), (4, 3), (None, None), (None, 5)]),
        ("semi", [(2,), (4,)]),
        ("anti", [(1,), (None,)]),
    ],
)
def test_a_window_of_rows_works_with_all_join_types(
    spark: SparkSession, how: str, rows: list[tuple[int | None, ...]]
) -> None:
    left = spark.sql("SELECT * FROM VALUES (1L), (2L), (4L), (NULL) AS t(ts)")
    right = spark.sql("SELECT * FROM VALUES (1L), (3L), (5L) AS t(ts)")
    joined = left.window_join(right, on=left.ts > right.ts, within=scalegate.rows(1), how=how)
    assert Counter(map(tuple, joined.collect())) == Counter(rows)


@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ("inner", [(3, 1), (4, 2), (5, 3)]),
        ("left", [(1, None), (2, None), (3, 1), (4, 2), (5, 3), (6, None)]),
        ("semi", [(3,), (4,), (5,)]),
        ("anti", [(1,), (2,), (6,)]),
    ],
)
def test_a_window_of_rows_counts_those_of_a_key(
    spark: SparkSession, how: str, rows: list[tuple[int | None, ...]]
) -> None:
    left = spark.sql(
        "SELECT * FROM VALUES (1L, 'a'), (2L, 'b'), (3L, 'a'), (4L, 'b'), (5L, 'a'), (6L, NULL) "
        "AS t(ts, symbol)"
    )
    right = spark.sql(
        "SELECT * FROM VALUES (1L, 'a'), (2L, 'b'), (3L, 'a'), (3L, NULL) AS t(ts, ticker)"
    )
    joined = left.window_join(
        right,
        on=left.ts > right.ts,
        within=scalegate.rows(1, per_key=[("symbol", "ticker")]),
        how=how,
    )
    assert joined.columns == (
        ["ts", "symbol"] if how in ("semi", "anti") else ["ts", "symbol", "ts_right", "ticker"]
    )
    columns = ["ts"] if how in ("semi", "anti") else ["ts", "ts_right"]
    assert Counter(map(tuple, joined.select(columns).collect())) == Counter(rows)


@pytest.mark.smoke
def test_explain_shows_no_name_of_the_packages_own_and_says_why_not(
    left: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    scalegate.explain(left.interval_join(left, on="symbol", lower="-30min", algorithm="sweep"))
    scalegate.explain(left.window_join(left.select("ts"), F.col("price") > 0, within="5 minutes"))
    scalegate.explain(left.window_join(left.select("ts"), within=scalegate.rows(2)))
    scalegate.explain(
        left.window_join(left.select("ts", "symbol"), within=scalegate.rows(2, per_key="symbol"))
    )
    scalegate.explain(left.alias("a").join(left.alias("b"), F.expr("a.price < b.price")))
    shown = capsys.readouterr().out
    assert "window: ts_right - ts in [-30 minutes, 0 seconds]" in shown
    assert "window: `ts of right` - `ts of left` in [-5 minutes, 5 minutes]" in shown
    assert "__scalegate" not in shown
    assert "R, false" not in shown and "S, false" not in shown
    assert shown.count("run by scalegate") == 4
    assert (
        "keys: `symbol of left` = `symbol of right`; window: last 2 rows of the key by" in shown
    )
    assert "INNER join over a window of rows per key: run by scalegate" in shown
    assert "left to Spark, since nothing is bounded" in shown


@pytest.mark.smoke
def test_explain_says_of_two_streams_who_will_run_them(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = spark.readStream.format("rate").load()
    r = rates.toDF("ts", "x").withWatermark("ts", "10 seconds")
    s = rates.toDF("ts", "a").withWatermark("ts", "10 seconds")
    scalegate.explain(r.band_join(s, bands={"x": ("a", 10)}, within="1 minute", how="left"))
    scalegate.explain(r.join(s, F.col("x") == F.col("a")))
    scalegate.explain(r.groupBy(F.window("ts", "10 seconds", "2 seconds")).agg(F.max("x")))
    shown = capsys.readouterr().out
    assert "StreamingWindowJoin LeftOuter" in shown
    assert shown.count(": run by scalegate") == 2
    assert "windows of 10 seconds every 2 seconds, by window: run by scalegate, on panes" in shown
    assert (
        shown.count(": left to Spark, since this join of two streams would keep every row") == 1
    )
    with pytest.raises(IllegalArgumentException, match="does not bound the difference"):
        scalegate.explain(r.join(s, F.col("x") < F.col("a")))


def test_a_hidden_name_gives_way_to_the_users(spark: SparkSession) -> None:
    left = spark.range(3).toDF("ts").withColumn("ts of left", F.lit(1))
    joined = left.window_join(left, within=1)
    assert joined.columns == ["ts", "ts of left", "ts_right", "ts of left_right"]
    assert joined.count() == 7


def test_names_with_dots_and_backticks_work(spark: SparkSession) -> None:
    left = spark.range(9).toDF("the `time`.x")
    joined = left.interval_join(left, time=(left.columns[0],) * 2, lower=0, upper=1)
    assert joined.columns == ["the `time`.x", "the `time`.x_right"]
    assert joined.count() == 17


def test_a_row_without_a_time_matches_nothing(spark: SparkSession) -> None:
    left = spark.sql("SELECT * FROM VALUES (1L), (NULL) AS t(ts)")
    assert [tuple(row) for row in left.interval_join(left, lower=-1, upper=1).collect()] == [
        (1, 1)
    ]


HOW = ["left", "right_outer", "leftsemi", "anti", "full"]
# Each type with an interval join and one of the others; in a campaign with both.
HOW_BAND, HOW_WINDOW = (HOW, HOW) if sample.SOAK else (HOW[::2], HOW[1::2])


@pytest.mark.parametrize("how", HOW)
def test_interval_join_of_every_type(
    spark: SparkSession, left: DataFrame, right: DataFrame, how: str
) -> None:
    joined = scalegate.interval_join(
        left, right, on="symbol", lower=0, upper=0, time=("x", "a"), how=how
    )
    condition = F.expr("symbol = r_symbol AND r_a = x")
    expected = left.join(renamed(right), condition, how)
    if how in ("right_outer", "full"):
        either = F.coalesce(F.col("symbol"), F.col("r_symbol"))
        expected = expected.withColumn("symbol", either)
    assert_same(spark, joined, expected.drop("r_symbol"))
    only_left = how in ("leftsemi", "anti")
    assert joined.columns == [
        *left.columns,
        *["ts_right", "tick_right", "day_right", "a", "bid"][: 0 if only_left else 5],
    ]


@pytest.mark.parametrize("how", HOW_BAND)
def test_band_join_of_every_type(
    spark: SparkSession, left: DataFrame, right: DataFrame, how: str
) -> None:
    bands = {"x": ("a", 0), "price": ("bid", 25)}
    joined = scalegate.band_join(left, right, bands=bands, within="20 seconds", how=how)
    condition = F.expr(
        "abs(x - r_a) <= 0 AND abs(price - r_bid) <= 25 AND "
        "r_ts BETWEEN ts - INTERVAL 20 SECONDS AND ts + INTERVAL 20 SECONDS"
    )
    assert_same(spark, joined, left.join(renamed(right), condition, how))


@pytest.mark.parametrize("width", [0.3, Decimal("0.30"), 1], ids=repr)
def test_a_band_on_decimals_is_as_wide_as_it_is_written(
    spark: SparkSession, left: DataFrame, right: DataFrame, width: Any
) -> None:
    r = left.select("price", (F.col("price") / 10).cast("decimal(9, 1)").alias("m"))
    s = right.select("bid", (F.col("bid") / 1000).cast("decimal(10, 3)").alias("n"))
    joined = scalegate.band_join(r, s, bands={"m": ("n", width)})
    assert_same(spark, joined, r.join(s, F.expr(f"abs(m - n) <= {width}")))


@pytest.mark.parametrize(
    ("integer", "width"), sample.covering(["int", "bigint"], [3, (-3, 7)]), ids=str
)
def test_a_band_on_integers_is_indexed_where_sums_wrap_around(
    spark: SparkSession, integer: str, width: Any
) -> None:
    least, greatest = (-(2**31), 2**31 - 1) if integer == "int" else (-(2**63), 2**63 - 1)
    values = [(v,) for v in (least, least + 2, -1, 0, 4, greatest - 5, greatest)]
    numbers = spark.createDataFrame(values, f"x {integer}")
    lower, upper = width if isinstance(width, tuple) else (-width, width)
    expected = [(x, a) for (x,) in values for (a,) in values if lower <= a - x <= upper]
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        joined = scalegate.band_join(numbers, numbers.toDF("a"), {"x": ("a", width)})
        assert "window: " in sessions.plan(joined)
        assert rows(joined) == Counter(expected)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


@pytest.mark.parametrize("how", HOW_WINDOW)
def test_window_join_of_every_type(
    spark: SparkSession, left: DataFrame, right: DataFrame, how: str
) -> None:
    joined = scalegate.window_join(
        left, right, on=left.x < right.a - 90, within="5 seconds", how=how
    )
    condition = F.expr(
        "x < r_a - 90 AND r_ts BETWEEN ts - INTERVAL 5 SECONDS AND ts + INTERVAL 5 SECONDS"
    )
    assert_same(spark, joined, left.join(renamed(right), condition, how))


@pytest.mark.parametrize("on", ["symbol", None], ids=["equal columns", "none"])
def test_a_full_join_gives_the_times_of_both_sides(
    spark: SparkSession, left: DataFrame, right: DataFrame, on: str | None
) -> None:
    joined = scalegate.interval_join(
        left, right, on=on, lower="0 seconds", upper="5 seconds", how="full"
    )
    kept = [*left.columns, "ts_right", "tick_right", "day_right", *["symbol_right"] * (not on)]
    assert joined.columns == [*kept, "a", "bid"]
    assert rows(joined.select(F.max("ts"), F.max("ts_right"))) == rows(
        left.agg(F.max("ts")).crossJoin(right.agg(F.max("ts")))
    )


@pytest.mark.connect
def test_a_full_window_join_with_an_equality(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    on = (left.symbol == right.symbol) & (left.x < right.a)
    if is_remote():
        # The right frame is made of the left one.
        with pytest.raises(AnalysisException, match=r"(?s)AMBIGUOUS_COLUMN_REFERENCE.* alias"):
            _ = left.window_join(right, on, within="5 seconds", how="full").columns
        left, right = left.alias("l"), right.alias("r")
        on = (F.col("l.symbol") == F.col("r.symbol")) & (F.col("x") < F.col("a"))
    joined = scalegate.window_join(left, right, on=on, within="5 seconds", how="full")
    condition = F.expr(
        "symbol = r_symbol AND x < r_a AND "
        "r_ts BETWEEN ts - INTERVAL 5 SECONDS AND ts + INTERVAL 5 SECONDS"
    )
    assert_same(spark, joined, left.join(renamed(right), condition, "full"))


def test_a_full_join_reads_a_limit_once(
    left: DataFrame, right: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    joined = left.limit(5).interval_join(right, lower="-5 seconds", how="full")
    joined.explain()
    assert "because of LIMIT or OFFSET" in capsys.readouterr().out
    given = joined.where("tick IS NOT NULL").select(*left.columns).distinct()
    assert given.count() == 5
