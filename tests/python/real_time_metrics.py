"""Joins two topics of Kafka in Real-Time Mode until so many events have come, then aggregates
both over windows until so many were given, and prints what `scalegate.metrics` tells of either,
while it runs and after it was stopped, as a line of JSON."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import realtime_bands
import scalegate
from kafka_bands import events
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery


def main() -> None:
    """Joins, and prints."""
    own = argparse.ArgumentParser()
    own.add_argument("--events", type=int)
    own.add_argument("--windows", type=int)
    mine, rest = own.parse_known_args()
    sys.argv[1:] = rest
    options = realtime_bands.arguments()
    spark = realtime_bands.start(options, master=f"local[{options.slots}]", real_time=True)
    query = realtime_bands.begin(spark, options)
    wait(query, "left_rows", mine.events // 2)
    wait(query, "right_rows", mine.events // 2)
    found = {per: frame(query, per) for per in ("operator", "task", "source")}
    query.stop()
    found["after"] = frame(query, "operator")
    aggregate = begin_windows(spark, options)
    wait(aggregate, "results", mine.windows)
    found["windows"] = frame(aggregate, "operator")
    aggregate.stop()
    print(json.dumps(found), flush=True)
    spark.stop()


def begin_windows(spark: SparkSession, options: argparse.Namespace) -> StreamingQuery:
    """Starts to count and add up both topics' events: a window's start is its record's key."""
    topics = [options.left, options.right]
    windows = scalegate.window_aggregate(
        [events(spark, options, topic).select("ts", "x") for topic in topics],
        "10 seconds",
        "2 seconds",
        aggs=[F.count("*").alias("n"), F.sum("x").alias("total")],
        emit="final",
    )
    records = windows.select(
        F.col("window.start").cast("string").alias("key"),
        F.to_json(F.struct("n", "total")).alias("value"),
    )
    return (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", options.bootstrap_servers)
        .option("topic", f"{options.to_topic}-windows")
        .option("checkpointLocation", f"{options.checkpoint}-windows")
        .outputMode("update")
        .trigger(realTime=options.batch)
        .start()
    )


def wait(query: StreamingQuery, column: str, count: int) -> None:
    """Until the query has told of so many."""
    while scalegate.metrics(query)[column].sum() < count:
        assert query.isActive, query.exception()
        time.sleep(0.1)


def frame(query: StreamingQuery, per: Any) -> list[dict[str, Any]]:
    """The rows of a frame."""
    return json.loads(scalegate.metrics(query, per).to_json(orient="records"))


if __name__ == "__main__":
    main()
