"""Python functions around, below and within our operators, against plain Spark's rows."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

ROWS = 60


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    for name, seed in (("around_l", 3), ("around_r", 8)):
        spark.range(0, ROWS, 1, 2).select(
            F.pmod(F.xxhash64("id", F.lit(seed)), F.lit(30)).alias("a"),
            F.when(F.col("id") % 9 > 0, F.pmod(F.hash("id", F.lit(seed)), F.lit(4))).alias("k"),
            F.timestamp_seconds(1_600_000_000 + F.col("id") * seed).alias("t"),
        ).createOrReplaceTempView(name)
    spark.udf.register("py_same", lambda x: x, LongType())
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


def test_rows_around_python_functions(spark: SparkSession) -> None:
    for text in QUERIES:
        query = text.replace("{udf}", "py_same")
        spark.conf.set("spark.scalegate.enabled", "false")
        try:
            expected = sorted(map(str, spark.sql(query).collect()))
        finally:
            spark.conf.unset("spark.scalegate.enabled")
        spark.conf.set("spark.scalegate.join.algorithm", "sweep")
        try:
            assert sorted(map(str, spark.sql(query).collect())) == expected, query
        finally:
            spark.conf.unset("spark.scalegate.join.algorithm")
