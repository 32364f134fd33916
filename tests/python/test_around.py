"""Python functions of each kind around, below and within our operators: plain Spark's rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pandas as pd
import pytest
import sample
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

ROWS = 60


def functions() -> dict[str, Callable]:
    """The kinds of Python functions that Spark evaluates in different nodes.

    A worker cannot import this module, so they are none of its names.
    """

    def by_pandas(column: pd.Series) -> pd.Series:
        return column

    def by_pandas_batches(columns: Iterator[pd.Series]) -> Iterator[pd.Series]:
        yield from columns

    return {
        "row_by_row": F.udf(lambda x: x, LongType()),
        "by_arrow": F.udf(lambda x: x, LongType(), useArrow=True),
        "by_pandas": F.pandas_udf(by_pandas, LongType()),
        "by_pandas_batches": F.pandas_udf(by_pandas_batches, LongType()),
    }


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    for name, seed in (("around_l", 3), ("around_r", 8)):
        spark.range(0, ROWS, 1, 2).select(
            F.pmod(F.xxhash64("id", F.lit(seed)), F.lit(30)).alias("a"),
            F.when(F.col("id") % 9 > 0, F.pmod(F.hash("id", F.lit(seed)), F.lit(4))).alias("k"),
            F.timestamp_seconds(1_600_000_000 + F.col("id") * seed).alias("t"),
        ).createOrReplaceTempView(name)
    for name, function in functions().items():
        spark.udf.register(name, function)
    yield
    for name in ("around_l", "around_r"):
        spark.catalog.dropTempView(name)


NEAR = "l.a - r.a BETWEEN -2 AND 1"
WINDOW = "window(t, '30 seconds', '10 seconds')"
JOIN = f"around_l l JOIN around_r r ON {NEAR}"

QUERIES = [
    f"SELECT {{udf}}(l.a), r.k, r.t FROM {JOIN}",
    f"SELECT l.a, r.k FROM {JOIN} AND {{udf}}(l.k) = r.k",
    f"SELECT l.a, r.k FROM {JOIN} AND {{udf}}(l.a + r.a) % 2 = 0",
    f"SELECT l.a, r.k FROM {JOIN} WHERE {{udf}}(l.a + r.a) % 2 = 0",
    "SELECT l.a, r.k FROM around_l l JOIN around_r r ON {udf}(l.a) - r.a BETWEEN -2 AND 1",
    "SELECT l.a, r.k FROM (SELECT {udf}(a) AS a, k FROM around_l) l LEFT JOIN around_r r "
    f"ON l.k = r.k AND {NEAR}",
    f"SELECT count(*), count(a) FROM (SELECT {{udf}}(l.a) AS a FROM {JOIN} LIMIT 7)",
    f"SELECT {WINDOW}.start, count(*), max({{udf}}(a)) FROM around_l GROUP BY {WINDOW}",
    f"SELECT {WINDOW}.start, {{udf}}(k), count(*) FROM around_l GROUP BY {WINDOW}, {{udf}}(k)",
    f"SELECT w.start, {{udf}}(n) FROM (SELECT {WINDOW} AS w, count(*) AS n FROM around_l "
    "GROUP BY 1)",
    f"SELECT {WINDOW}.start, {{udf}}(count(*)) FROM around_l GROUP BY {WINDOW} "
    "HAVING {udf}(count(*)) > 2",
    "SELECT a FROM around_l l WHERE EXISTS (SELECT * FROM around_r r "
    f"WHERE {NEAR} AND {{udf}}(r.k) > 1)",
]


# Spark plans two of the kinds as it plans one of the others: fewer of the queries do for them. In
# a campaign all queries are tried with the first of each two, and half of them with the second.
KINDS = {
    "row_by_row": QUERIES,
    "by_arrow": QUERIES[:: 2 if sample.SOAK else 4],
    "by_pandas": QUERIES if sample.SOAK else QUERIES[1::2],
    "by_pandas_batches": QUERIES[1 :: 2 if sample.SOAK else 4],
}


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name)


def rows_of(df: DataFrame) -> list[str]:
    return sorted(map(str, df.collect()))


@pytest.mark.parametrize("function", KINDS)
def test_rows_around_python_functions(spark: SparkSession, function: str) -> None:
    for text in KINDS[function]:
        query = text.replace("{udf}", function)
        with setting(spark, "spark.scalegate.enabled", "false"):
            expected = rows_of(spark.sql(query))
        with setting(spark, "spark.scalegate.join.algorithm", "sweep"):
            assert rows_of(spark.sql(query)) == expected, query


@pytest.mark.parametrize(
    "around",
    [
        lambda df: df.mapInPandas(lambda frames: frames, df.schema),
        lambda df: df.groupBy("k").applyInPandas(lambda frame: frame, df.schema),
        lambda df: df.repartition(3).mapInArrow(lambda batches: batches, df.schema),
    ],
    ids=["mapInPandas", "applyInPandas", "mapInArrow"],
)
def test_rows_through_python_frames(
    spark: SparkSession, around: Callable[[DataFrame], DataFrame]
) -> None:
    def queries() -> Iterator[DataFrame]:
        left, right = spark.table("around_l"), spark.table("around_r")
        near = F.expr("l.a - r.a BETWEEN -2 AND 1")
        yield around(left.alias("l").join(right.alias("r"), near).select("l.a", "r.k", "r.t"))
        yield around(left).alias("l").join(around(right).alias("r"), near, "full")
        yield around(left).groupBy(F.expr(WINDOW)).agg(F.count("*"), F.max("a"))

    with setting(spark, "spark.scalegate.enabled", "false"):
        expected = [rows_of(query) for query in queries()]
    with setting(spark, "spark.scalegate.join.algorithm", "sweep"):
        assert [rows_of(query) for query in queries()] == expected
