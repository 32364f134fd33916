"""Joins whose conditions call Python functions: the rows of the same condition in Spark's own
functions, for every join and join type."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyspark
import pytest
import sample
import scalegate
import sessions
import stream_files
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

HOW = ["inner", "left", "right", "full", "semi", "anti"]
NEAREST = ["inner", "left", "semi", "anti"]
ALGORITHMS = ["auto", "sweep", "matrix", "scalejoin"]
LAST_ROWS = [scalegate.rows(5), scalegate.rows(3, per_key="k")]
Function = Callable[..., Column]


def in_spark(x: str, a: str) -> Column:
    """NULL for some pairs, as for those with a NULL."""
    total = (F.col(x) + F.col(a)) % 4
    return F.when(total != 3, total == 1)


@pytest.fixture(scope="module")
def functions() -> dict[str, Function]:
    """By how they are evaluated. Workers know nothing of this module: they get all of each."""

    def fits(x: int | None, a: int | None) -> bool | None:
        total = None if x is None or a is None else (x + a) % 4
        return None if total is None or total == 3 else total == 1

    return {
        "rows": F.udf(fits, "boolean", useArrow=False),
        "arrow": F.udf(fits, "boolean", useArrow=True),
        "pandas": F.pandas_udf(
            lambda x, a: ((x + a) % 4 == 1).where((x + a) % 4 != 3), "boolean"
        ),
    }


@pytest.fixture(scope="module")
def left(spark: SparkSession) -> DataFrame:
    """With rows that are the same in every column."""
    return spark.range(240).select(
        F.timestamp_seconds(F.pmod(F.hash("id"), F.lit(400))).alias("ts"),
        F.pmod(F.hash("id"), F.lit(3)).alias("k"),
        F.when(F.col("id") % 19 > 0, F.pmod(F.hash("id"), F.lit(11))).alias("x"),
    )


@pytest.fixture(scope="module")
def right(spark: SparkSession) -> DataFrame:
    return spark.range(200).select(
        F.timestamp_seconds(F.pmod(F.hash(-F.col("id")), F.lit(500))).alias("at"),
        F.pmod(F.hash("id"), F.lit(3)).alias("l"),
        F.when(F.col("id") % 23 > 0, F.pmod(F.hash(-F.col("id")), F.lit(7))).alias("a"),
    )


@pytest.fixture
def plain(spark: SparkSession) -> Callable[[DataFrame], Counter[Any]]:
    """The rows that Spark gives without the package."""

    def collected(df: DataFrame) -> Counter[Any]:
        with sessions.plain(spark):
            return rows(df.select("*"))

    return collected


def rows(df: DataFrame) -> Counter[Any]:
    return Counter(map(tuple, df.collect()))


WINDOW = "at BETWEEN ts - INTERVAL 9 SECONDS AND ts + INTERVAL 9 SECONDS"
CONDITIONS = {
    "a window of time": WINDOW,
    "a band": "abs(x - a) <= 3",
    "a key and a window": f"k = l AND {WINDOW}",
    "a broadcast": "abs(x - a) <= 2 AND k = l",
}


@pytest.mark.parametrize(("what", "how"), sample.covering(list(CONDITIONS), HOW))
def test_a_condition_in_python_over(
    functions: dict[str, Function],
    left: DataFrame,
    right: DataFrame,
    plain: Callable[[DataFrame], Counter[Any]],
    what: str,
    how: str,
) -> None:
    other = F.broadcast(right) if what == "a broadcast" else right
    window = F.expr(CONDITIONS[what])
    which = list(functions)[(HOW.index(how) + len(what)) % len(functions)]
    joined = left.join(other, window & functions[which]("x", "a"), how)
    plan = sessions.plan(joined)
    assert re.search("WindowJoin (Inner|#)", plan) or what == "a broadcast"
    assert "EvalPython" in plan
    found = rows(joined)
    assert found == plain(left.join(right, window & in_spark("x", "a"), how))
    assert found.total() > 20


# The other types come in the tests before and after.
@pytest.mark.parametrize(
    ("algorithm", "how"), sample.covering(ALGORITHMS, HOW if sample.SOAK else HOW[2:])
)
def test_window_join_in_python(
    functions: dict[str, Function],
    left: DataFrame,
    right: DataFrame,
    plain: Callable[[DataFrame], Counter[Any]],
    algorithm: Any,
    how: Any,
) -> None:
    joined = left.window_join(
        right, functions["arrow"]("x", "a"), time=("ts", "at"), within="9 seconds", how=how,
        algorithm=algorithm,
    )  # fmt: skip
    found = rows(joined)
    assert found == plain(left.join(right, F.expr(WINDOW) & in_spark("x", "a"), how))
    assert found.total() > 20


@pytest.mark.parametrize(("within", "how"), sample.covering(LAST_ROWS, HOW), ids=str)
def test_a_window_of_rows_in_python(
    functions: dict[str, Function], left: DataFrame, right: DataFrame, how: Any, within: Any
) -> None:
    """The functions' calls are no part of the rows' order, nor do they take rows from windows."""
    other = right.withColumnRenamed("l", "k")

    def join(on: Column) -> Counter[Any]:
        return rows(left.window_join(other, on, time=("ts", "at"), within=within, how=how))

    found = join(functions["arrow"]("x", "a"))
    assert found == join(in_spark("x", "a"))
    assert found.total() > 20


@pytest.mark.parametrize(
    ("direction", "how"), sample.covering(["backward", "forward", "nearest"], NEAREST)
)
def test_the_nearest_row_that_python_accepts(
    functions: dict[str, Function], left: DataFrame, right: DataFrame, how: Any, direction: Any
) -> None:
    def join(on: Column, tolerance: str | None) -> Counter[Any]:
        return rows(
            left.asof_join(
                right, left_on="k", right_on="l", time=("ts", "at"), direction=direction,
                how=how, tolerance=tolerance, ties="a", condition=on,
            )
        )  # fmt: skip

    for tolerance in sample.turn(["40 seconds", None], NEAREST.index(how)):
        found = join(functions["pandas"]("x", "a"), tolerance)
        assert found == join(in_spark("x", "a"), tolerance)
        assert found.total() > 10


@pytest.mark.parametrize("how", sample.turn(NEAREST, 1))
def test_the_nearest_rows_that_python_accepts(
    functions: dict[str, Function], left: DataFrame, right: DataFrame, how: Any
) -> None:
    def join(on: Column) -> Counter[Any]:
        return rows(
            left.nearest_join(
                right, k=3, time=("ts", "at"), how=how, ties="a", tolerance="1 minute",
                condition=on,
            )
        )  # fmt: skip

    found = join(functions["rows"]("x", "a"))
    assert found == join(in_spark("x", "a"))
    assert found.total() > 0


def test_functions_of_one_side_each(
    functions: dict[str, Function], left: DataFrame, right: DataFrame
) -> None:
    def window(on: Column) -> Counter[Any]:
        return rows(left.window_join(right, on, time=("ts", "at"), within=scalegate.rows(4)))

    def nearest(on: Column) -> Counter[Any]:
        return rows(left.asof_join(right, time=("ts", "at"), condition=on))

    python = functions["arrow"]("x", "k") & functions["arrow"]("a", "l")
    spark = in_spark("x", "k") & in_spark("a", "l")
    for join in (window, nearest):
        found = join(python)
        assert found == join(spark)
        assert found.total() > 10


def test_a_cube_in_python(
    functions: dict[str, Function], left: DataFrame, right: DataFrame
) -> None:
    third = left.selectExpr("ts AS on3", "k AS k3", "x AS c")

    def join(*on: Column) -> Counter[Any]:
        condition = on[0] & on[1] & (F.col("k") == F.col("k3"))
        return rows(
            left.cube_join(
                right, third, time=("ts", "at", "on3"), within="7 seconds", on=condition
            )
        )

    found = join(functions["arrow"]("x", "a"), functions["pandas"]("a", "c"))
    assert found == join(in_spark("x", "a"), in_spark("a", "c"))
    assert found.total() > 10


def test_several_functions_and_what_spark_evaluates(
    functions: dict[str, Function],
    left: DataFrame,
    right: DataFrame,
    plain: Callable[[DataFrame], Counter[Any]],
) -> None:
    def on(fits: Function, other: Function) -> Column:
        either = fits("x", "a") | ((F.col("k") == 1) & ~F.coalesce(other("k", "a"), F.lit(False)))
        return F.expr(WINDOW) & either & (F.col("l") >= F.col("k"))

    for how in ("left", "full"):
        found = rows(left.join(right, on(functions["rows"], functions["pandas"]), how))
        assert found == plain(left.join(right, on(in_spark, in_spark), how))


def test_a_filter_of_kept_rows_moves_below(
    functions: dict[str, Function],
    left: DataFrame,
    right: DataFrame,
    plain: Callable[[DataFrame], Counter[Any]],
) -> None:
    window = F.expr(WINDOW)
    joined = left.join(right, window & functions["rows"]("x", "a"), "left").where("k = 1")
    above, below = sessions.plan(joined).split("ReadOnce", 1)
    assert ("= 1)" in above, "= 1)" in below) == (False, True)
    wanted = plain(left.join(right, window & in_spark("x", "a"), "left").where("k = 1"))
    assert rows(joined) == wanted


def test_a_join_below_and_one_above(
    functions: dict[str, Function],
    left: DataFrame,
    right: DataFrame,
    plain: Callable[[DataFrame], Counter[Any]],
) -> None:
    third = right.selectExpr("at AS at3", "a AS a3")
    again = "at3 BETWEEN ts - INTERVAL 2 SECONDS AND ts"

    def join(fits: Function) -> DataFrame:
        once = left.join(right, F.expr(WINDOW) & fits("x", "a"), "left")
        return once.join(third, F.expr(again) & fits("a", "a3"), "left")

    found = rows(join(functions["arrow"]))
    assert found == plain(join(in_spark))


def sides_of_streams(spark: SparkSession, directory: Path) -> list[tuple[DataFrame, DataFrame]]:
    """Two streams, the second with other names, and the same at rest."""
    rng = random.Random(5)
    for side in ("l", "r"):
        stream_files.write(directory / side, stream_files.events(rng, 200), rng, 3)
    streams = stream_files.sides(spark, directory)
    at_rest = (spark.read.parquet(str(directory / side)) for side in ("l", "r"))
    return [(left, renamed(right)) for left, right in (streams, at_rest)]


def renamed(right: DataFrame) -> DataFrame:
    return right.withColumnsRenamed({name: f"r_{name}" for name in right.columns})


@pytest.mark.streaming
@pytest.mark.parametrize(
    "within",
    ["4 seconds", pytest.param(scalegate.rows(3), marks=pytest.mark.connect)],
    ids=["time", "rows"],
)
def test_pairs_of_streams_that_python_accepts(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path, within: Any
) -> None:
    streams, at_rest = sides_of_streams(spark, tmp_path)

    def join(sides: Any, fits: Function) -> DataFrame:
        left, right = sides
        joined = left.window_join(right, fits("k", "r_k"), time=("ts", "r_ts"), within=within)
        return joined.where("id >= 0")

    found = stream_files.given(join(streams, functions["arrow"]), tmp_path)
    wanted = rows(join(at_rest, in_spark).where("r_id >= 0"))
    assert Counter(map(tuple, (row for row in found if row.r_id >= 0))) == wanted
    assert wanted.total() > 50


NEAR = "r_ts BETWEEN ts - INTERVAL 3 SECONDS AND ts + INTERVAL 4 SECONDS"
OF_STREAMS = {
    "a window of time": NEAR,
    "a key": f"k = r_k AND {NEAR}",
    "a band": f"abs(x - r_x) <= 4 AND {NEAR}",
    "a condition": f"x < r_x AND {NEAR}",
    "intervals": "r_ts >= ts AND r_ts <= ts + make_dt_interval(0, 0, 0, k)",
    "a window of rows": "within_rows(ts, r_ts, 7)",
    "each key's last rows": "within_rows(ts, r_ts, array(2, 1), k, r_k)",
}


def decided(found: Iterable[Any], below: int = 185) -> Counter[Any]:
    """Without the last events: too few rows follow them for a window that counts rows, and none
    is decided of those that move the watermark, or that wait for it."""
    return Counter(row for row in map(tuple, found) if all(0 <= n < below for n in ids(row)))


def ids(row: tuple[Any, ...]) -> list[int]:
    return [n for n in row[3::4] if n is not None]


@pytest.mark.streaming
@pytest.mark.parametrize(
    ("how", "what"),
    sample.marked(sample.covering(HOW[1:], list(OF_STREAMS)), pytest.mark.connect, 2, 6),
)
def test_rows_of_streams_that_python_decides(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path, how: str, what: str
) -> None:
    """Two functions, one of them in a disjunction, of which each may be NULL."""
    streams, at_rest = sides_of_streams(spark, tmp_path)

    def join(sides: Any, fits: Function, other: Function) -> DataFrame:
        left, right = sides
        either = other("k", "r_k") | (left.id % 2 == 0)
        on = F.expr(OF_STREAMS[what]) & fits("id", "r_id") & either
        return left.join(right, on, how)

    which = list(functions)
    fits, other = (functions[which[(HOW.index(how) + n) % 3]] for n in (0, 1))
    joined = join(streams, fits, other)
    assert "StreamingWindowJoin" in sessions.plan(joined)
    found = decided(stream_files.given(joined, tmp_path))
    wanted = decided(join(at_rest, in_spark, in_spark).collect())
    assert found == wanted
    assert found.total() > 20


@pytest.mark.streaming
@pytest.mark.parametrize(
    ("direction", "how"),
    sample.marked(
        sample.covering(["backward", "forward", "nearest"], NEAREST), pytest.mark.connect, 1
    ),
)
def test_the_nearest_row_of_streams_that_python_accepts(
    functions: dict[str, Function],
    spark: SparkSession,
    tmp_path: Path,
    direction: Any,
    how: Any,
) -> None:
    """Functions of both sides, of the right one, which filters it, and of the left one."""
    streams, at_rest = sides_of_streams(spark, tmp_path)

    def join(sides: Any, fits: Function, other: Function) -> DataFrame:
        left, right = sides
        of_left = other("id", "k") | (left.id % 2 == 0)
        of_right = fits("r_id", "r_k") | (right.r_id % 2 == 0)
        return left.asof_join(
            right, left_on="k", right_on="r_k", time=("ts", "r_ts"), direction=direction,
            how=how, tolerance="6 seconds", ties="r_id",
            condition=fits("id", "r_id") & of_left & of_right,
        )  # fmt: skip

    which = list(functions)
    fits, other = (functions[which[(NEAREST.index(how) + n) % 3]] for n in (0, 1))
    joined = join(streams, fits, other)
    assert "StreamingWindowJoin" in sessions.plan(joined)
    found = decided(stream_files.given(joined, tmp_path), below=140)
    assert found == decided(join(at_rest, in_spark, in_spark).collect(), below=140)
    assert found.total() > 20


@pytest.mark.streaming
def test_the_nearest_rows_of_streams_that_python_accepts(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path
) -> None:
    streams, at_rest = sides_of_streams(spark, tmp_path)

    def join(sides: Any, fits: Function) -> DataFrame:
        left, right = sides
        return left.nearest_join(
            right, k=3, time=("ts", "r_ts"), how="left", tolerance="4 seconds", ties="r_id",
            condition=fits("id", "r_id"),
        )  # fmt: skip

    found = decided(stream_files.given(join(streams, functions["pandas"]), tmp_path), below=150)
    assert found == decided(join(at_rest, in_spark).collect(), below=150)
    assert found.total() > 200


@pytest.mark.streaming
@pytest.mark.parametrize("how", sample.turn(["inner", "left"], 0))
def test_functions_of_one_side_take_no_row_from_a_window_of_streams(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path, how: Any
) -> None:
    streams, at_rest = sides_of_streams(spark, tmp_path)

    def join(sides: Any, fits: Function) -> DataFrame:
        left, right = sides
        on = fits("id", "k") & fits("r_id", "r_k")
        within = scalegate.rows(6)
        return left.window_join(right, on, time=("ts", "r_ts"), within=within, how=how)

    found = decided(stream_files.given(join(streams, functions["arrow"]), tmp_path))
    assert found == decided(join(at_rest, in_spark).collect())
    assert found.total() > 20


@pytest.mark.streaming
def test_python_decides_after_a_restart(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path
) -> None:
    """Each run's query has the function under another number."""
    rng = random.Random(8)
    parts = {side: stream_files.events(rng, 120) for side in ("l", "r")}
    for side, events in parts.items():
        stream_files.write_files(tmp_path / side, [events[:60]])

    def run() -> list[Any]:
        left, right = stream_files.sides(spark, tmp_path)
        on = F.expr(NEAR) & functions["rows"]("id", "r_id")
        joined = left.join(renamed(right), on, "full")
        return stream_files.collect(joined, tmp_path)

    first = run()
    for side, events in parts.items():
        last = [(stream_files.FAR, -1, -1000.0, -1)]
        stream_files.write_files(tmp_path / side, [events[60:], last], first=1)
    found = decided([*first, *run()])
    left, right = (spark.read.parquet(str(tmp_path / side)) for side in ("l", "r"))
    joined = left.join(renamed(right), F.expr(NEAR) & in_spark("id", "r_id"), "full")
    assert found == decided(joined.collect())
    assert found.total() > 100


@pytest.mark.parametrize(
    ("how", "on", "told"),
    [
        ("RIGHT", "asof(l.ts, r.at)", "gives rows for those of its left side|as-of join"),
        ("LEFT", "asof(l.ts, r.at) AND nearest(l.ts, r.at, 2)", "stand once among"),
        ("LEFT", "(asof(l.ts, r.at) OR l.x = 1)", "stand once among"),
        ("LEFT", "within_rows(l.ts, r.at, 2) AND within_rows(l.ts, r.at, 3)", "must be one of"),
    ],
)
def test_what_is_refused_without_python_is_with_it(
    spark: SparkSession, left: DataFrame, right: DataFrame, how: str, on: str, told: str
) -> None:
    left.createOrReplaceTempView("python_l")
    right.createOrReplaceTempView("python_r")
    spark.udf.register("python_fits", lambda x, a: x == a, "boolean")
    joined = f"FROM python_l l {how} JOIN python_r r ON {on} AND python_fits(l.x, r.a)"
    with pytest.raises(Exception, match=told):
        spark.sql(f"SELECT l.ts {joined}").collect()


@pytest.mark.streaming
def test_a_function_that_fails_ends_the_query_of_streams(
    spark: SparkSession, tmp_path: Path
) -> None:
    (left, right), _ = sides_of_streams(spark, tmp_path)

    def fails(one: int, other: int) -> bool:
        raise ValueError(f"not {one}, {other}")

    failing = F.udf(fails, "boolean", useArrow=False)("id", "r_id")
    with pytest.raises(Exception, match="ValueError: not "):
        stream_files.run(left.join(right, F.expr(NEAR) & failing, "left_anti"), tmp_path)


@pytest.mark.streaming
@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("operator", "decides which rows of a stream match nothing"),
        ("nearest", "tolerance"),
    ],
)
def test_what_python_cannot_decide_of_streams_is_refused_by_name(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path, what: str, told: str
) -> None:
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    left = stream.selectExpr("timestamp AS ts", "value AS k", "value AS x")
    right = stream.selectExpr("timestamp AS at", "value AS k", "value AS a")
    fits, time = functions["rows"]("x", "a"), ("ts", "at")
    if what == "nearest":
        joined = left.asof_join(right, time=time, condition=fits)
    else:
        joined = left.window_join(
            right, fits, time=time, within="1 second", how="left", algorithm="scalejoin"
        )
    with pytest.raises(Exception, match=told):
        stream_files.run(joined, tmp_path)


@pytest.mark.streaming
@pytest.mark.skipif(
    tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 3),
    reason="joins run in Real-Time Mode from Spark 4.3 on",
)
@pytest.mark.parametrize("window", [NEAR, "asof(ts, r_ts, 'backward', INTERVAL 4 SECONDS)"])
def test_python_is_not_called_in_real_time(
    functions: dict[str, Function], spark: SparkSession, tmp_path: Path, window: str
) -> None:
    """A call takes longer than the mode lets a row wait."""
    (left, right), _ = sides_of_streams(spark, tmp_path)
    joined = left.join(right, F.expr(window) & functions["rows"]("id", "r_id"), "left")
    query = joined.writeStream.format("console").outputMode("update")
    with pytest.raises(Exception, match="decides which rows of a stream match nothing"):
        query.trigger(realTime="5 minutes").start()
