"""The three joins against the same condition written for plain Spark; the plan has our node."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
import scalegate
import sessions
import typed_program
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote
from scalegate import ScalegateError
from scalegate._operators import OPERATORS, TAKES


@pytest.fixture(scope="module")
def left(spark: SparkSession) -> DataFrame:
    return spark.range(300).select(
        F.timestamp_seconds(F.lit(1_700_000_000) + F.pmod(F.xxhash64("id"), F.lit(900))).alias(
            "ts"
        ),
        F.pmod(F.hash("id"), F.lit(40)).alias("tick"),
        F.date_add(F.lit(dt.date(2024, 2, 20)), F.pmod(F.hash("id"), F.lit(20))).alias("day"),
        F.pmod(F.hash("id"), F.lit(5)).cast("string").alias("symbol"),
        F.when(F.col("id") % 17 > 0, F.pmod(F.hash("id"), F.lit(100))).alias("x"),
        F.col("id").alias("price"),
    )


@pytest.fixture(scope="module")
def right(left: DataFrame) -> DataFrame:
    shifted = left.withColumn("ts", F.col("ts") + F.expr("INTERVAL 7 SECONDS"))
    return shifted.withColumnsRenamed({"x": "a", "price": "bid"})


@contextmanager
def plain(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.scalegate.enabled", "false")
    try:
        yield
    finally:
        spark.conf.unset("spark.scalegate.enabled")


def rows(df: DataFrame) -> Counter[Any]:
    return Counter(map(tuple, df.collect()))


def assert_same(spark: SparkSession, joined: DataFrame, expected: DataFrame) -> None:
    assert "WindowJoin" in sessions.plan(joined)
    found = rows(joined)
    with plain(spark):
        wanted = rows(expected.select("*"))
    assert found == wanted
    assert found.total() > 0


def renamed(right: DataFrame) -> DataFrame:
    """The right side with every name of its own, for a condition that plain Spark can resolve."""
    return right.select(*(F.col(name).alias(f"r_{name}") for name in right.columns))


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


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_of_the_papers_gives_the_rows_of_any_algorithm(
    left: DataFrame, right: DataFrame, name: scalegate.Algorithm
) -> None:
    how = "inner" if name == "handshake" else "left"
    asked = left.interval_join(right, on="symbol", lower="-9 s", how=how, algorithm=name)
    assert "(as hinted)" in sessions.plan(asked)
    assert rows(asked) == rows(left.interval_join(right, on="symbol", lower="-9 s", how=how))


VALUES: dict[str, Any] = {
    "threads": 2,
    "layout": (1, 2),
    "merge_ratio": 0.25,
    "insertion_depth": 0,
    "task_size": 5,
    "length": 3,
    "splitting": 2,
    "theta": 1.5,
    "split": "every-key",
    "batch": 7,
}


@pytest.mark.parametrize("name", [name for name in OPERATORS if TAKES[name]])
def test_an_operator_takes_its_options(left: DataFrame, right: DataFrame, name: Any) -> None:
    options = {option: VALUES[option] for option in TAKES[name]}
    if "layout" in options:
        del options["threads"]
    asked = scalegate.operator(name, **options)
    joined = left.interval_join(right, on="symbol", lower="-9 s", algorithm=asked)
    plan = sessions.plan(joined)
    assert "(as hinted)" in plan and all(
        text in plan for text in str(asked)[len(name) + 1 : -1].split(", ")[1:]
    )
    assert rows(joined) == rows(left.interval_join(right, on="symbol", lower="-9 s"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nested", {}, "'nested' is not an operator of the papers: choose one of scalejoin"),
        ("bplus", {"threads": 2}, "threads=2: 'bplus' has no such option; it takes none"),
        ("pim", {"splitting": 2}, "splitting=2: 'pim' has no such option; it takes threads, m"),
        ("pim", {"merge_ratio": 0}, "merge_ratio=0: give a number above 0 and at most 1"),
        ("hp", {"theta": "high"}, "theta='high': give a number from 1 to 100"),
        ("hp", {"split": "all"}, 'split=\'all\': give "every-key" or "busiest"'),
        ("hp", {"threads": 0}, "threads=0: give a whole number from 1 to 1024"),
        ("hp", {"batch": 2.5}, "batch=2.5: give a whole number from 1 on"),
        ("dp-join", {"layout": (2,)}, "layout=(2,): give the rows and columns of the matrix"),
        ("dp-join", {"layout": (1, 2), "threads": 2}, "leave out threads=2"),
    ],
)
def test_options_that_an_operator_has_not_are_refused(
    name: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScalegateError, match=re.escape(message)):
        scalegate.operator(name, **options)


def test_threads_are_said_of_the_operator_or_of_the_join(
    left: DataFrame, right: DataFrame
) -> None:
    pim = scalegate.operator("pim", threads=2)
    with pytest.raises(ScalegateError, match="threads=3: say it of the operator alone"):
        left.window_join(right, within=scalegate.rows(3), algorithm=pim, threads=3)
    joined = left.window_join(right, within=scalegate.rows(3), algorithm=pim)
    assert "algorithm: PIM-Tree on 2 threads in one task" in sessions.plan(joined)


def test_an_operator_of_the_papers_joins_windows_of_rows(
    left: DataFrame, right: DataFrame
) -> None:
    within, above = scalegate.rows(5), F.col("price") > F.col("bid")
    asked = left.window_join(right, above, within=within, algorithm="pim", threads=2)
    assert "algorithm: PIM-Tree on 2 threads in one task" in sessions.plan(asked)
    assert rows(asked) == rows(left.window_join(right, above, within=within))


def test_an_operator_that_cannot_run_a_join_is_refused_by_name(
    left: DataFrame, right: DataFrame
) -> None:
    bands = {"x": ("a", 2), "price": ("bid", 3)}
    with pytest.raises(IllegalArgumentException, match="'hp'"):
        left.band_join(right, bands=bands, algorithm="hp").collect()


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


@pytest.mark.parametrize("how", HOW)
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


@pytest.mark.parametrize("integer", ["int", "bigint"])
@pytest.mark.parametrize("width", [3, (-3, 7)])
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


@pytest.mark.parametrize("how", HOW)
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


@pytest.mark.parametrize(
    ("on", "algorithm", "shown"),
    [
        (on, algorithm, shown)
        for on in (None, "symbol")
        for algorithm, shown in (
            ("broadcast", "index over the broadcast"),
            ("index", "side's partitions"),
            ("Sweep", "sweep over sorted"),
        )
    ]
    + [(None, "matrix", "side's partitions, matrix of ")],
)
def test_the_algorithm_is_the_one_asked_for_and_the_rows_are_the_same(
    left: DataFrame, right: DataFrame, on: str | None, algorithm: str, shown: str
) -> None:
    usual = scalegate.interval_join(left, right, on=on, lower="-9 seconds")
    asked = scalegate.interval_join(left, right, on=on, lower="-9 seconds", algorithm=algorithm)
    plan = sessions.plan(asked)
    assert shown in plan
    assert "(as hinted)" in plan
    assert rows(asked) == rows(usual)


LAYOUTS: list[tuple[str, Any, Callable[..., DataFrame]]] = [
    ("inner", (2, 3), lambda r, s, **more: r.interval_join(s, lower="-9 seconds", **more)),
    ("left", [3, 1], lambda r, s, **more: r.band_join(s, bands={"x": ("a", 1)}, **more)),
    (
        "right",
        (1, 2),
        lambda r, s, **more: r.window_join(s, r.x < s.a - 90, within="5 minutes", **more),
    ),
    ("anti", (4, 1), lambda r, s, **more: r.band_join(s, bands={"x": ("a", 0)}, **more)),
]


@pytest.mark.parametrize(("how", "layout", "join"), LAYOUTS, ids=[case[0] for case in LAYOUTS])
def test_the_layout_is_the_one_asked_for(
    left: DataFrame, right: DataFrame, how: str, layout: Any, join: Callable[..., DataFrame]
) -> None:
    asked = join(left, right, how=how, layout=layout)
    plan = sessions.plan(asked)
    assert "matrix of {} x {} cells, as hinted".format(*layout) in plan
    assert rows(asked) == rows(join(left, right, how=how))


def test_a_layout_that_a_join_cannot_have_is_refused_before_a_job_runs(
    left: DataFrame, right: DataFrame
) -> None:
    with pytest.raises(Exception, match="decides each row of its left side in one cell"):
        left.interval_join(right, lower="-5 seconds", how="left", layout=(2, 3)).explain()


def test_where_nothing_is_bounded_the_hint_means_a_matrix(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    condition = F.expr("x < r_a AND symbol <> r_symbol")
    joined = left.hint("window_join", "matrix", "2x2").join(renamed(right), condition)
    assert_same(spark, joined, left.join(renamed(right), condition))


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_a_window_of_rows_is_joined_by_the_threads_asked_for(
    spark: SparkSession, threads: int | None
) -> None:
    left, right = spark.range(0, 60, 2).toDF("ts"), spark.range(1, 61, 2).toDF("ts")
    joined = left.window_join(right, within=scalegate.rows(9), threads=threads)
    plan = sessions.plan(joined)
    on = "one thread" if threads == 1 else f"{threads or 2} threads"
    assert f"ScaleJoin on {on} in one task" in plan
    assert joined.collect() == left.window_join(right, within=scalegate.rows(9)).collect()


def test_a_setting_chooses_where_the_call_does_not(
    spark: SparkSession, left: DataFrame, right: DataFrame
) -> None:
    spark.conf.set("spark.scalegate.join.algorithm", "index")
    try:
        usual = scalegate.band_join(left, right, bands={"x": ("a", 1)})
        plan = sessions.plan(usual)
    finally:
        spark.conf.unset("spark.scalegate.join.algorithm")
    assert "side's partitions" in plan
    assert "(as set)" in plan


@pytest.mark.parametrize("layout", [None, pytest.param((1, 2, 1), marks=pytest.mark.connect)])
def test_a_cube_gives_the_rows_of_two_joins(
    spark: SparkSession, left: DataFrame, right: DataFrame, layout: tuple[int, ...] | None
) -> None:
    third = left.select("ts", F.col("x").alias("c"), F.col("price").alias("n"))
    on = (F.abs(left.x - right.a) <= 20) & (third.c > left.x) & (third.n < left.price)
    cube = left.cube_join(right, third, within="15 seconds", on=on, layout=layout)
    assert "CubeJoin" in sessions.plan(cube)
    assert cube.columns[:6] == left.columns
    assert cube.columns[6:9] == ["ts_2", "tick_2", "day_2"]
    assert cube.columns[-3:] == ["ts_3", "c", "n"]
    views = {"l": left, "r": right, "t": third}
    for name, df in views.items():
        df.createOrReplaceTempView(f"cube_{name}")
    near = "{1}.ts BETWEEN {0}.ts - INTERVAL 15 SECONDS AND {0}.ts + INTERVAL 15 SECONDS"
    times = [near.format(*pair) for pair in ("lr", "lt", "rt")]
    expected = spark.sql(
        "SELECT l.*, r.*, t.* FROM cube_l l, cube_r r, cube_t t WHERE "
        + " AND ".join([*times, "abs(l.x - r.a) <= 20", "t.c > l.x", "t.n < l.price"])
    )
    found = rows(cube)
    told = scalegate.metrics(cube).iloc[0]
    assert told.algorithm.startswith("cube of ")
    assert (told.results, told.comparisons > 0) == (found.total(), True)
    with plain(spark):
        assert found == rows(expected)
    assert len(found) > 50


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"within": None}, "within is missing"),
        ({"within": "-1 second"}, "within"),
        ({"layout": (2, 2)}, "give three whole numbers from 1 on"),
        ({"layout": (200, 200, 1)}, "no more than 1024 workers"),
        ({"suffixes": ("_2", "_2")}, "two columns called 'ts_2'"),
        ({"suffixes": "_2"}, "give two texts"),
        ({"time": ("ts", "ts")}, "give the columns of all three"),
        ({"time": ("ts", "ts", "day")}, "differ in type"),
        ({"on": "x"}, "is not a Column"),
    ],
)
def test_a_cube_refuses_what_it_cannot_join(
    left: DataFrame, change: dict[str, Any], told: str
) -> None:
    arguments = {"within": "5 seconds", **change}
    with pytest.raises(ScalegateError, match=re.escape(told)):
        left.cube_join(left, left, **arguments)


def test_a_cube_takes_dataframes_at_rest(spark: SparkSession, left: DataFrame) -> None:
    with pytest.raises(ScalegateError, match="the third input is not a Spark DataFrame"):
        left.cube_join(left, [1], within="5 seconds")  # type: ignore[arg-type]
    stream = spark.readStream.format("rate").load().withColumnRenamed("timestamp", "ts")
    with pytest.raises(ScalegateError, match="the second input is a streaming DataFrame"):
        left.cube_join(stream, left, within="5 seconds")
