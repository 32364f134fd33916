"""The joins by an operator of the papers, an algorithm, a layout or threads that are asked for,
and of three frames by a cube."""

import functools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sample
import scalegate
import sessions
from join_frames import assert_same, left_of, renamed, right_of, rows
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError
from scalegate._operators import OPERATORS, TAKES


@pytest.fixture(scope="module")
def left(spark: SparkSession) -> DataFrame:
    return left_of(spark)


@pytest.fixture(scope="module")
def right(left: DataFrame) -> DataFrame:
    return right_of(left)


@pytest.fixture(scope="module")
def usual(left: DataFrame, right: DataFrame) -> Callable[..., Counter[Any]]:
    """The rows of an interval join that asks for no algorithm, which is run once."""

    @functools.cache
    def found(on: str | None = "symbol", how: Any = "inner") -> Counter[Any]:
        return rows(left.interval_join(right, on=on, lower="-9 s", how=how))

    return found


@pytest.fixture(scope="module")
def met(left: DataFrame) -> Callable[[str], Counter[Any]]:
    """The same of the left frame and itself, up to nine seconds later."""

    @functools.cache
    def found(lower: str) -> Counter[Any]:
        return rows(left.interval_join(left, on="symbol", lower=lower, upper="9 s"))

    return found


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_of_the_papers_gives_the_rows_of_any_algorithm(
    left: DataFrame,
    right: DataFrame,
    usual: Callable[..., Counter[Any]],
    name: scalegate.Algorithm,
) -> None:
    how: Any = "inner" if name == "handshake" else "left"
    asked = left.interval_join(right, on="symbol", lower="-9 s", how=how, algorithm=name)
    assert "(as hinted)" in sessions.plan(asked)
    assert rows(asked) == usual(how=how)


@pytest.mark.parametrize(
    ("lower", "name"),
    sample.covering(["-9 s", "0 s"], ["pim", "pim1", "im", "bplus", "chained"]),
)
def test_a_frame_that_is_joined_with_itself_is_read_once(
    left: DataFrame, met: Callable[[str], Counter[Any]], name: scalegate.Algorithm, lower: str
) -> None:
    asked = left.interval_join(left, on="symbol", lower=lower, upper="9 s", algorithm=name)
    assert "over one input" in sessions.plan(asked)
    found = rows(asked)
    assert found == met(lower)
    told = scalegate.metrics(asked).iloc[0]
    assert told.results == len(found)


VALUES: dict[str, Any] = {
    "threads": 2,
    "layout": (1, 2),
    "adaptive": True,
    "merge_ratio": 0.25,
    "insertion_depth": 0,
    "dimensions": 2,
    "task_size": 5,
    "length": 3,
    "splitting": 2,
    "theta": 1.5,
    "split": "every-key",
    "batch": 7,
    "emitters": True,
    "inputs": 3,
}


@pytest.mark.parametrize("name", [name for name in OPERATORS if TAKES[name]])
def test_an_operator_takes_its_options(
    left: DataFrame, right: DataFrame, usual: Callable[..., Counter[Any]], name: Any
) -> None:
    options = {option: VALUES[option] for option in TAKES[name]}
    if "layout" in options:
        del options["threads"]
    asked = scalegate.operator(name, **options)
    joined = left.interval_join(right, on="symbol", lower="-9 s", algorithm=asked)
    plan = sessions.plan(joined)
    assert "(as hinted)" in plan and all(
        text in plan for text in str(asked)[len(name) + 1 : -1].split(", ")[1:]
    )
    assert rows(joined) == usual()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nested", {}, "'nested' is not an operator of the papers: choose one of scalejoin"),
        ("bplus", {"threads": 2}, "threads=2: 'bplus' has no such option; it takes dimensions"),
        ("pim", {"splitting": 2}, "splitting=2: 'pim' has no such option; it takes threads, m"),
        ("pim", {"merge_ratio": 0}, "merge_ratio=0: give a number above 0 and at most 1"),
        ("hp", {"theta": "high"}, "theta='high': give a number from 1 to 100"),
        ("hp", {"split": "all"}, 'split=\'all\': give "every-key" or "busiest"'),
        ("hp", {"threads": 0}, "threads=0: give a whole number from 1 to 1024"),
        ("hp", {"batch": 2.5}, "batch=2.5: give a whole number from 1 on"),
        ("wiml", {"winset": "cuckoo"}, 'winset=\'cuckoo\': give "michael" or "lanes"'),
        ("hp", {"emitters": 1}, "emitters=1: give True or False"),
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
    left: DataFrame,
    right: DataFrame,
    usual: Callable[..., Counter[Any]],
    on: str | None,
    algorithm: str,
    shown: str,
) -> None:
    asked = scalegate.interval_join(left, right, on=on, lower="-9 seconds", algorithm=algorithm)
    plan = sessions.plan(asked)
    assert shown in plan
    assert "(as hinted)" in plan
    assert rows(asked) == usual(on=on)


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
    with sessions.plain(spark):
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


def test_a_cube_takes_batches_or_streams(spark: SparkSession, left: DataFrame) -> None:
    with pytest.raises(ScalegateError, match="the third input is not a Spark DataFrame"):
        left.cube_join(left, [1], within="5 seconds")  # type: ignore[arg-type]
    stream = spark.readStream.format("rate").load().withColumnRenamed("timestamp", "ts")
    with pytest.raises(ScalegateError, match="the second input is a stream, and the first"):
        left.cube_join(stream, left, within="5 seconds")
    with pytest.raises(ScalegateError, match="the third input is a batch, and the first"):
        stream.cube_join(stream, left, within="5 seconds")
