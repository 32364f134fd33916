"""Python functions of each kind, and what else SQL has, around, below and within our operators:
plain Spark's rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pandas as pd
import pyspark
import pytest
import sample
from pyspark.sql import DataFrame, Observation, SparkSession
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
# a campaign all queries are tried with the first of each two, and half of them with the second;
# otherwise half of them with the one first kind, and half with the other.
KINDS = {
    "row_by_row": QUERIES[:: 1 if sample.SOAK else 2],
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


FRAMES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "mapInPandas": lambda df: df.mapInPandas(lambda frames: frames, df.schema),
    "applyInPandas": lambda df: df.groupBy("k").applyInPandas(lambda frame: frame, df.schema),
    "mapInArrow": lambda df: df.repartition(3).mapInArrow(lambda batches: batches, df.schema),
}


@pytest.mark.parametrize("name", FRAMES)
def test_rows_through_python_frames(spark: SparkSession, name: str) -> None:
    around = FRAMES[name]

    def above() -> DataFrame:
        left, right = spark.table("around_l").alias("l"), spark.table("around_r").alias("r")
        return around(left.join(right, F.expr(NEAR)).select("l.a", "r.k", "r.t"))

    def below() -> DataFrame:
        left, right = around(spark.table("around_l")), around(spark.table("around_r"))
        return left.alias("l").join(right.alias("r"), F.expr(NEAR), "full")

    def windows() -> DataFrame:
        grouped = around(spark.table("around_l")).groupBy(F.expr(WINDOW))
        return grouped.agg(F.count("*"), F.max("a"))

    # Each of them with two of the kinds, in a campaign with all.
    queries = [above, below, windows]
    if not sample.SOAK:
        del queries[list(FRAMES).index(name)]
    with setting(spark, "spark.scalegate.enabled", "false"):
        expected = [rows_of(query()) for query in queries]
    with setting(spark, "spark.scalegate.join.algorithm", "sweep"):
        assert [rows_of(query()) for query in queries] == expected


SOON = "r.t BETWEEN l.t - INTERVAL 40 SECONDS AND l.t"
PAIRS = f"SELECT l.a, r.k, r.t FROM {JOIN} AND {SOON}"
FILED = "CREATE TABLE around_filed USING parquet PARTITIONED BY (k) AS SELECT * FROM around_r"
LETTERS = "CREATE TABLE around_letters (c CHAR(4), v VARCHAR(4), a BIGINT, n INT DEFAULT 7)"
# Of each the first version of Spark that has it, and what is run, one after the other.
FEATURES = {
    "pipes": (4.0, [f"FROM {JOIN} |> WHERE r.k > 0 |> AGGREGATE count(*) AS n GROUP BY l.a"]),
    "a recursion through a join": (
        4.1,
        [
            "WITH RECURSIVE c(a, t, d) AS (SELECT a, t, 0 FROM around_l WHERE a < 9 UNION ALL "
            "SELECT r.a, r.t, d + 1 FROM c l JOIN around_r r ON r.t > l.t AND r.t < l.t + "
            f"INTERVAL 9 SECONDS AND {NEAR} WHERE d < 3) SELECT * FROM c"
        ],
    ),
    "a query in a text": (4.0, [f"EXECUTE IMMEDIATE '{PAIRS} WHERE l.k = ?' USING 2"]),
    "a script": (
        4.2,
        [
            "BEGIN DECLARE w BIGINT DEFAULT 2; "
            "SELECT l.a, r.k FROM around_l l JOIN around_r r ON abs(l.a - r.a) <= w; END"
        ],
    ),
    "a variable as a bound": (
        4.0,
        [
            "DECLARE OR REPLACE VARIABLE width BIGINT DEFAULT 2",
            "SELECT l.a, r.k FROM around_l l JOIN around_r r ON abs(l.a - r.a) <= width",
        ],
    ),
    "variants as bounds, and through a join": (
        4.0,
        [
            "SELECT l.j::BIGINT, to_json(r.j) FROM "
            "(SELECT parse_json(string(a)) AS j FROM around_l) l JOIN "
            "(SELECT parse_json(string(a)) AS j FROM around_r) r "
            "ON l.j::BIGINT - r.j::BIGINT BETWEEN -2 AND 1"
        ],
    ),
    "keys that a collation compares": (
        4.0,
        [
            "SELECT l.a, r.a FROM (SELECT *, if(a % 2 = 0, 'x', 'y') AS c FROM around_l) l JOIN "
            "(SELECT *, if(a % 3 = 0, 'X', 'Y') AS c FROM around_r) r "
            f"ON l.c COLLATE UTF8_LCASE = r.c COLLATE UTF8_LCASE AND {SOON}"
        ],
    ),
    "padded texts and defaults": (
        4.0,
        [
            "DROP TABLE IF EXISTS around_letters",
            LETTERS,
            "INSERT INTO around_letters (c, v, a) SELECT string(k), string(k), a FROM around_r",
            "SELECT l.a, r.c, r.v, r.n FROM around_l l JOIN around_letters r "
            f"ON rpad(string(l.k), 4, ' ') = r.c AND {NEAR}",
        ],
    ),
    "partitions that a join's key prunes": (
        4.0,
        [
            "DROP TABLE IF EXISTS around_filed",
            FILED,
            "SELECT l.a, r.a FROM around_l l JOIN around_filed r "
            f"ON l.k = r.k AND {SOON} WHERE l.a % 5 = 0",
        ],
    ),
    "the first of each row's matches": (
        4.0,
        [
            "SELECT l.a, q.k FROM around_l l, "
            f"LATERAL (SELECT r.k FROM around_r r WHERE {NEAR} AND {SOON} "
            "ORDER BY r.t, r.k LIMIT 1) q"
        ],
    ),
    "values of joins in places of names": (
        4.0,
        [
            f"SELECT * FROM (SELECT l.a, r.k FROM {JOIN}) PIVOT (count(k) FOR a IN (1, 2, 3))",
            f"SELECT * FROM (SELECT l.a, bigint(r.k) AS k FROM {JOIN}) "
            "UNPIVOT (n FOR name IN (a, k))",
        ],
    ),
    "a function in SQL as a condition": (
        4.0,
        [
            "CREATE OR REPLACE TEMPORARY FUNCTION near_to(x BIGINT, y BIGINT) "
            "RETURNS BOOLEAN RETURN x - y BETWEEN -2 AND 1",
            "SELECT l.a, r.k FROM around_l l JOIN around_r r ON near_to(l.a, r.a)",
        ],
    ),
}


@pytest.mark.parametrize("what", FEATURES)
def test_what_is_in_sql_beside_joins(spark: SparkSession, what: str) -> None:
    since, texts = FEATURES[what]
    if tuple(map(int, pyspark.__version__.split(".")[:2])) < divmod(round(since * 10), 10):
        pytest.skip(f"from Spark {since} on")

    def run() -> list[str]:
        return rows_of([spark.sql(text) for text in texts][-1])

    with setting(spark, "spark.scalegate.enabled", "false"):
        expected = run()
    assert run() == expected
    assert expected


def test_parameters_and_filters_at_run_time(spark: SparkSession) -> None:
    def rows() -> list[list[str]]:
        by_name = "SELECT l.a, r.k FROM around_l l JOIN around_r r ON abs(l.a - r.a) <= :width"
        keyed = f"SELECT l.a, r.a FROM {JOIN} AND l.k = r.k WHERE r.a % 7 = 1"
        bloom = "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold"
        with setting(spark, bloom, "0"):
            return [rows_of(spark.sql(by_name, args={"width": 3})), rows_of(spark.sql(keyed))]

    with setting(spark, "spark.scalegate.enabled", "false"):
        expected = rows()
    assert rows() == expected


def test_what_is_observed_of_joined_rows(spark: SparkSession) -> None:
    observation = Observation()
    joined = spark.sql(PAIRS).observe(observation, F.count(F.lit(1)).alias("n"), F.max("a"))
    count = joined.count()
    assert observation.get["n"] == count > 0
