"""Joins over the Spark Connect server that SPARK_REMOTE names, and prints of each its rows, or by
what it was refused."""

from collections.abc import Callable
from typing import Any

import scalegate
from pyspark.sql import SparkSession


def told(of: Callable[[], Any]) -> str:
    try:
        return str(of())
    except scalegate.ScalegateError as refused:
        return str(refused)


def main() -> None:
    spark = SparkSession.builder.getOrCreate()
    r = spark.range(3).toDF("ts")
    times = spark.sql("SELECT timestamp_seconds(id) AS ts, id FROM range(3)")
    for of in (
        lambda: r.interval_join(r, lower=-1, upper=1).count(),
        lambda: r.band_join(r, {"ts": ("ts", 1)}).count(),
        lambda: r.window_join(r, within=scalegate.rows(1)).count(),
        lambda: times.window_aggregate("2 seconds", aggs=[scalegate.last("id")]).count(),
        lambda: times.select(scalegate.first_by_time("id", "ts")).first()[0],
    ):
        print(told(of))
    print(scalegate.is_active(spark))


if __name__ == "__main__":
    main()
