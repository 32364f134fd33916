"""Joins of a stream with a table: the rows that its events at rest have, without a state."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sample
import scalegate
import sessions
import stream_files
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.streaming

Join = Callable[[DataFrame, DataFrame, str], DataFrame]


def interval(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    return left.interval_join(right, on="k", lower="-5 seconds", upper="2 seconds", how=how)


def band(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    return left.band_join(right, {"x": ("x", 0.5)}, within="9 seconds", how=how)


def any_condition(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    return left.window_join(right, left.x * 2 < right.x, within="2 seconds", how=how)


def ranges(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    """Each event's place among ranges of a table, such as addresses or prices have."""
    wide = right.selectExpr("id AS id_right", "x AS low", "x + 0.5 AS high")
    return left.join(wide, (left.x >= wide.low) & (left.x < wide.high), how)


def by_operator(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    return left.interval_join(right, lower="-2 seconds", how=how, algorithm="pim")


JOINS: dict[str, Join] = {
    "interval": interval,
    "band": band,
    "condition": any_condition,
    "ranges": ranges,
    "operator": by_operator,
}


def sides(spark: SparkSession, directory: Path) -> tuple[DataFrame, DataFrame, DataFrame]:
    """A stream, the same events at rest, and a table."""
    rng = random.Random(11)
    for side in ("l", "r"):
        stream_files.write(directory / side, stream_files.events(rng, 200), rng, 3)
    stream, _ = stream_files.sides(spark, directory)
    at_rest = (spark.read.parquet(str(directory / side)) for side in ("l", "r"))
    return stream, *at_rest


def counted(rows: list[Any]) -> Counter[Any]:
    return Counter(map(tuple, rows))


def plainly(spark: SparkSession, joined: DataFrame) -> Counter[Any]:
    """The rows that Spark gives without the package."""
    with sessions.plain(spark):
        return counted(joined.select("*").collect())


@pytest.mark.parametrize(
    ("what", "how"),
    sample.marked(
        sample.covering(list(JOINS), ["inner", "left", "semi", "anti"]), pytest.mark.connect, 0, 4
    ),
)
def test_each_batch_is_joined_with_the_table(
    spark: SparkSession, tmp_path: Path, what: str, how: str
) -> None:
    stream, at_rest, table = sides(spark, tmp_path)
    if what == "operator" and how in ("semi", "anti"):
        how = "left"
    found = counted(stream_files.given(JOINS[what](stream, table, how), tmp_path))
    expected = JOINS[what](at_rest, table, how)
    if what == "operator":
        expected = at_rest.interval_join(table, lower="-2 seconds", how=how)
    assert found == counted(expected.collect())
    assert found.total() > 5


@pytest.mark.parametrize("how", ["inner", "right"])
def test_the_stream_may_be_on_the_right(spark: SparkSession, tmp_path: Path, how: str) -> None:
    stream, at_rest, table = sides(spark, tmp_path)
    found = counted(stream_files.given(band(table, stream, how), tmp_path))
    assert found == plainly(spark, band(table, at_rest, how))
    assert found.total() > 40


def test_it_has_no_state_and_is_run_by_an_index(spark: SparkSession, tmp_path: Path) -> None:
    stream, _, table = sides(spark, tmp_path)
    joined = ranges(stream, table, "left")
    assert "index over the broadcast right side" in sessions.plan(joined)
    assert stream_files.operators(stream_files.run(joined, tmp_path)) == []


@pytest.mark.parametrize("what", ["band", pytest.param("ranges", marks=pytest.mark.connect)])
def test_a_cached_table_is_kept_until_it_is_cached_again(
    spark: SparkSession, tmp_path: Path, what: str
) -> None:
    stream, at_rest, table = sides(spark, tmp_path)
    joined = JOINS[what](stream, table, "left")
    expected = counted(JOINS[what](at_rest, table, "left").collect())
    for run in range(3 if sample.SOAK else 2):
        table.cache()
        assert table.count() > 100
        for turn in range(2):
            directory = tmp_path / f"run {run} {turn}"
            directory.mkdir()
            assert counted(stream_files.given(joined, directory)) == expected
        table.unpersist()


def python(kind: str) -> Callable[..., Column]:
    if kind == "pandas":
        return F.pandas_udf(lambda x, a: (x + a) % 4 == 1, "boolean")

    def fits(x: int | None, a: int | None) -> bool | None:
        return None if x is None or a is None else (x + a) % 4 == 1

    return F.udf(fits, "boolean", useArrow=kind == "arrow")


@pytest.mark.parametrize(
    ("how", "kind"),
    sample.marked(
        sample.covering(["left", "right", "semi", "anti"], ["rows", "arrow", "pandas"]),
        pytest.mark.connect,
        1,
    ),
)
def test_python_decides_which_rows_of_a_stream_match(
    spark: SparkSession, tmp_path: Path, how: str, kind: str
) -> None:
    """Over two runs of the query, which read each row once."""
    stream, _, table = sides(spark, tmp_path)

    def joined(rows: DataFrame, fits: Column) -> DataFrame:
        other = table.selectExpr("id AS a", "x AS x_right", "k AS k_right")
        near = F.expr("abs(x - x_right) <= 1") & fits
        return other.join(rows, near, how) if how == "right" else rows.join(other, near, how)

    query = joined(stream, python(kind)("k", "a"))
    runs = [stream_files.run(query, tmp_path)]
    stream_files.write_files(tmp_path / "l", [[(stream_files.FAR, 2, 7.0, 500)]], first=9)
    runs.append(stream_files.run(query, tmp_path))
    again = spark.read.parquet(str(tmp_path / "l"))
    expected = plainly(spark, joined(again, (F.col("k") + F.col("a")) % 4 == 1))
    found = spark.read.schema(query.schema).parquet(str(tmp_path / "out"))
    assert counted(found.collect()) == expected
    assert expected.total() > 10
    batches = [batch for run in runs for batch in run.recentProgress]
    read = (source["numInputRows"] for batch in batches for source in batch["sources"])
    assert sum(read) == again.count()


@pytest.mark.parametrize("how", sample.turn(["left", "inner"], 0))
def test_functions_of_one_side_beside_the_nearest_row(
    spark: SparkSession, tmp_path: Path, how: Any
) -> None:
    stream, at_rest, table = sides(spark, tmp_path)
    other = table.selectExpr("ts AS at", "id AS a", "k AS l")

    def joined(rows: DataFrame, of_left: Column, of_right: Column) -> DataFrame:
        return rows.asof_join(
            other, time=("ts", "at"), how=how, tolerance="5 seconds", ties="a",
            condition=(of_left | (F.col("id") % 3 == 0)) & of_right,
        )  # fmt: skip

    fits = python("arrow")
    found = stream_files.given(joined(stream, fits("id", "k"), fits("a", "l")), tmp_path)
    in_spark = ((F.col(x) + F.col(a)) % 4 == 1 for x, a in (("id", "k"), ("a", "l")))
    assert counted(found) == counted(joined(at_rest, *in_spark).collect())
    assert len(found) > 10


def test_python_does_not_decide_above_a_state(spark: SparkSession, tmp_path: Path) -> None:
    stream, _, table = sides(spark, tmp_path)
    right = table.selectExpr("id AS a", "x AS x_right")
    once = stream.dropDuplicates(["k", "x"])
    near = F.expr("abs(x - x_right) <= 1")
    with pytest.raises(Exception, match="beside a table above an operator with a state"):
        joined = once.join(right, near & python("rows")("k", "a"), "left")
        stream_files.run(joined, tmp_path)


@pytest.mark.parametrize("how", ["left", "right", "full", "semi", "anti"])
def test_rows_of_a_table_have_no_answer_before_the_stream_ends(
    spark: SparkSession, tmp_path: Path, how: str
) -> None:
    stream, _, table = sides(spark, tmp_path)
    given = (stream, table) if how in ("right", "full") else (table, stream)
    with pytest.raises(scalegate.ScalegateError, match="no row of a table has its answer"):
        interval(*given, how)


def test_what_goes_by_an_order_of_both_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream, _, table = sides(spark, tmp_path)
    with pytest.raises(scalegate.ScalegateError, match=r"within=rows\(3\): a stream and a table"):
        stream.window_join(table, within=scalegate.rows(3))
    with pytest.raises(scalegate.ScalegateError, match="ordered=True orders the rows of a join"):
        stream.interval_join(table, lower="-1 second", ordered=True)
