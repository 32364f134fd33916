"""The two frames that tests of joins join, and what they compare with plain Spark."""

import datetime as dt
from collections import Counter
from typing import Any

import sessions
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def left_of(spark: SparkSession) -> DataFrame:
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


def right_of(left: DataFrame) -> DataFrame:
    shifted = left.withColumn("ts", F.col("ts") + F.expr("INTERVAL 7 SECONDS"))
    return shifted.withColumnsRenamed({"x": "a", "price": "bid"})


def rows(df: DataFrame) -> Counter[Any]:
    return Counter(map(tuple, df.collect()))


def assert_same(spark: SparkSession, joined: DataFrame, expected: DataFrame) -> None:
    assert "WindowJoin" in sessions.plan(joined)
    found = rows(joined)
    with sessions.plain(spark):
        wanted = rows(expected.select("*"))
    assert found == wanted
    assert found.total() > 0


def renamed(right: DataFrame) -> DataFrame:
    """The right side with every name of its own, for a condition that plain Spark can resolve."""
    return right.select(*(F.col(name).alias(f"r_{name}") for name in right.columns))
