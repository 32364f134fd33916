"""Generated tables joined by our operator, by plain Spark and by DuckDB: the same rows."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sample
import scalegate
import sessions
from pyspark.sql import DataFrame, SparkSession

ROWS = 400
START = np.datetime64("2024-03-09T22:00:00", "us")
Tables = dict[str, pa.Table]

# Conditions over r and s that both engines read alike.
CONDITIONS = [
    "abs(r.i - s.i) <= 6",
    "r.i BETWEEN s.i - 3 AND s.i + 9 AND r.name <> s.name",
    "r.big - s.big >= -5 AND r.big - s.big < 5",
    "abs(r.x - s.x) <= 0.75",
    "s.x BETWEEN r.x - 1 AND r.x + 2 AND abs(r.i - s.i) <= 20",
    "s.at BETWEEN r.at - INTERVAL 40 SECONDS AND r.at",
    "r.at BETWEEN s.at - INTERVAL 2 MINUTES AND s.at + INTERVAL 1 MINUTE AND r.x < s.x",
    "r.name = s.name AND s.at BETWEEN r.at AND r.at + INTERVAL 5 MINUTES",
    "r.name = s.name AND abs(r.i - s.i) <= 15 AND abs(r.x - s.x) <= 30",
    "r.i = s.i AND s.at >= r.at - INTERVAL 10 MINUTES AND s.at < r.at + INTERVAL 10 MINUTES",
    "s.day - r.day BETWEEN {day} * -2 AND {day} * 1",
    "abs(r.price - s.price) <= 0.05",
]


def table(rng: np.random.Generator, spread: str) -> pa.Table:
    """Every column has NULLs, ties and values near the others'; doubles have the special ones."""
    if spread == "uniform":
        draw = rng.integers(-200, 200, ROWS)
    elif spread == "normal":
        draw = rng.normal(0, 60, ROWS).astype(int)
    else:
        draw = np.minimum(rng.zipf(1.3, ROWS), 400) - 200
    x = draw / 4 + rng.integers(0, 8, ROWS) / 8
    special = rng.random(ROWS) < 0.05
    x[special] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 1e300], special.sum())

    def column(values: Any, kind: pa.DataType) -> pa.Array:
        return pa.array(values, kind, mask=rng.random(ROWS) < 0.06)

    at = START + (draw * 9_000_000 + rng.integers(0, 3, ROWS)).astype("timedelta64[us]")
    day = START.astype("datetime64[D]") + draw // 10
    return pa.table(
        {
            "id": pa.array(np.arange(ROWS)),
            "i": column(draw.astype(np.int32), pa.int32()),
            "big": column(draw.astype(np.int64) + (1 << 40), pa.int64()),
            "x": column(x, pa.float64()),
            "at": column(at, pa.timestamp("us")),
            "day": column(day, pa.date32()),
            "price": column([Decimal(int(v)).scaleb(-2) for v in draw], pa.decimal128(10, 2)),
            "name": column([f"n{v}" for v in rng.integers(0, 6, ROWS)], pa.string()),
        }
    )


# Conditions that bound nothing.
THETA = [
    "r.i < s.i AND r.name <> s.name",
    "abs(r.x) + abs(s.x) < 20 OR r.big = s.id",
    "(r.id + s.id) % 11 = 3",
]

# How values are spread, and from which size on inputs are exchanged where there is no key.
CASES = [("uniform", "broadcast"), ("normal", "sweep"), ("zipf", "index"), ("zipf", "auto")]


SHOWN = {
    "auto": "algorithm: ",
    "broadcast": "index over the broadcast",
    "index": "side's partitions",
    "sweep": "sweep over sorted",
    "matrix": "side's partitions, matrix of ",
}


# In a campaign each condition in each of them, otherwise in one.
TRIED = [
    (case, condition)
    for number, condition in enumerate(CONDITIONS)
    for case in sample.turn(CASES, number)
]


@pytest.fixture(scope="module", params=CASES, ids=" ".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    chosen: tuple[str, str] = request.param
    return chosen


@pytest.fixture(scope="module")
def tables(case: tuple[str, str]) -> Tables:
    spread, _ = case
    rng = np.random.default_rng(["uniform", "normal", "zipf"].index(spread) + 51)
    return {name: table(rng, spread) for name in ("r", "s")}


@pytest.fixture
def algorithm(spark: SparkSession, case: tuple[str, str]) -> Iterator[None]:
    spark.conf.set("spark.scalegate.join.algorithm", case[1])
    yield
    spark.conf.unset("spark.scalegate.join.algorithm")


@pytest.fixture(scope="module")
def frames(spark: SparkSession, tables: Tables) -> dict[str, DataFrame]:
    return {name: spark.createDataFrame(data) for name, data in tables.items()}


@pytest.fixture
def views(frames: dict[str, DataFrame]) -> None:
    for name, frame in frames.items():
        frame.createOrReplaceTempView(name)


def pairs(rows: DataFrame) -> Counter[Any]:
    left, right = rows.toArrow().columns
    return Counter(zip(left.to_pylist(), right.to_pylist()))


def by_duckdb(tables: Tables, query: str) -> Counter[Any]:
    with duckdb.connect() as connection:
        for name, data in tables.items():
            connection.register(name, data)
        return Counter(connection.execute(query).fetchall())


def by_us(spark: SparkSession, query: str) -> Counter[Any]:
    joined = spark.sql(query)
    plan = sessions.plan(joined)
    assert "WindowJoin" in plan
    assert SHOWN[spark.conf.get("spark.scalegate.join.algorithm")] in plan
    return pairs(joined)


def by_spark(spark: SparkSession, query: str) -> Counter[Any]:
    with sessions.plain(spark):
        joined = spark.sql(query)
        assert "WindowJoin" not in sessions.plan(joined)
        return pairs(joined)


@pytest.mark.usefixtures("views", "algorithm")
@pytest.mark.parametrize(("case", "condition"), TRIED, indirect=["case"])
def test_three_engines_give_the_same_rows(
    spark: SparkSession, tables: Tables, condition: str
) -> None:
    # The distance of two dates is an integer in DuckDB and an interval in Spark.
    query = "SELECT r.id, s.id FROM r JOIN s ON " + condition
    ours = by_us(spark, query.format(day="INTERVAL '1' DAY"))
    assert ours == by_spark(spark, query.format(day="INTERVAL '1' DAY"))
    assert ours == by_duckdb(tables, query.format(day="1"))
    assert ours.total() > ROWS / 10


@pytest.mark.usefixtures("views", "algorithm")
@pytest.mark.parametrize(
    ("case", "condition"),
    # In a campaign each of the two in each case.
    [
        (case, condition)
        for number, case in enumerate(CASES)
        for condition in sample.turn([CONDITIONS[4], CONDITIONS[7]], number // 2)
    ],
    indirect=["case"],
)
def test_three_engines_give_the_same_rows_of_a_full_join(
    spark: SparkSession, tables: Tables, condition: str
) -> None:
    # With a key it is left to Spark unless a hint asks for it.
    hint = f"/*+ WINDOW_JOIN('{spark.conf.get('spark.scalegate.join.algorithm')}') */"
    query = f"SELECT {hint} r.id, s.id FROM r FULL JOIN s ON " + condition
    ours = by_us(spark, query)
    assert ours == by_spark(spark, query) == by_duckdb(tables, query)
    assert all(any(row[side] is None for row in ours) for side in (0, 1))


@pytest.mark.parametrize(
    ("condition", "algorithm"),
    sample.covering([*THETA, CONDITIONS[4]], ["matrix", "broadcast"]),
)
def test_three_engines_agree_where_all_rows_meet(
    spark: SparkSession, condition: str, algorithm: str
) -> None:
    rng = np.random.default_rng(7)
    tables = {name: table(rng, "normal") for name in ("r", "s")}
    for name, data in tables.items():
        spark.createDataFrame(data).createOrReplaceTempView(name)
    rest = "r.id, s.id FROM r JOIN s ON " + condition
    joined = spark.sql(f"SELECT /*+ WINDOW_JOIN(r, s, '{algorithm}') */ " + rest)
    assert SHOWN[algorithm] in sessions.plan(joined)
    ours = pairs(joined)
    assert ours == by_spark(spark, "SELECT " + rest)
    assert ours == by_duckdb(tables, "SELECT " + rest)
    assert ours.total() > ROWS


@pytest.mark.usefixtures("algorithm")
@pytest.mark.parametrize(
    ("case", "condition", "partitions"),
    [
        (case, condition, partitions)
        for i, case in enumerate(CASES)
        for j, condition in enumerate((CONDITIONS[4], CONDITIONS[7]))
        for partitions in sample.turn([1, 2, 7], i + j)
    ],
    indirect=["case"],
)
def test_rows_do_not_depend_on_arrival_partitions_or_threads(
    spark: SparkSession,
    tables: Tables,
    condition: str,
    partitions: int,
) -> None:
    query = "SELECT r.id, s.id FROM r JOIN s ON " + condition
    expected = by_duckdb(tables, query)
    rng = np.random.default_rng(partitions)
    settings = {
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.adaptive.coalescePartitions.enabled": partitions == 2,
        "spark.scalegate.cellThreads": partitions,
    }
    before = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, str(value).lower())
        for name, data in tables.items():
            shuffled = spark.createDataFrame(data.take(rng.permutation(ROWS)))
            shuffled.repartition(partitions).createOrReplaceTempView(name)
        assert by_us(spark, query) == expected
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


@pytest.mark.parametrize("seed", range(3 if sample.SOAK else 2))
def test_the_functions_give_duckdbs_rows(spark: SparkSession, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = {name: table(rng, "normal") for name in ("r", "s")}
    r, s = (spark.createDataFrame(tables[name]) for name in ("r", "s"))
    low, high, width = (int(v) for v in np.sort(rng.integers(-90, 90, 3)))
    select = "SELECT r.id, s.id FROM r JOIN s ON "
    interval = scalegate.interval_join(
        r, s, time=("at", "at"), on="name", lower=f"{low} seconds", upper=f"{high} seconds"
    )
    band = scalegate.band_join(
        r, s, time=("at", "at"), bands={"i": ("i", abs(width))}, within="1 hour"
    )
    window = scalegate.window_join(r, s, time=("at", "at"), on=r.x < s.x, within="3 minutes")
    for joined, condition in [
        (
            interval,
            "r.name = s.name AND s.at BETWEEN "
            f"r.at + INTERVAL '{low} seconds' AND r.at + INTERVAL '{high} seconds'",
        ),
        (
            band,
            f"abs(r.i - s.i) <= {abs(width)} AND "
            "s.at BETWEEN r.at - INTERVAL 1 HOUR AND r.at + INTERVAL 1 HOUR",
        ),
        (
            window,
            "r.x < s.x AND s.at BETWEEN r.at - INTERVAL 3 MINUTES AND r.at + INTERVAL 3 MINUTES",
        ),
    ]:
        ours = pairs(joined.select("id", "id_right"))
        assert ours == by_duckdb(tables, select + condition)
        assert ours.total() > 0
