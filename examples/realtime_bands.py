"""Joins the events of two Kafka topics by a band, with no key, as they come: in milliseconds.

The same join as kafka_bands.py, in Spark's Real-Time Mode: a result leaves when the later of its
two events has come, and an event without a match when every partition of both topics has passed
the end of its window. While it runs, the terminal shows how many events and results come a
second, how long results take from Kafka to Kafka, and how far the slowest partition is behind.

A batch lasts as long as --batch, and what it did is committed at its end. A program that was
killed goes on from the last commit, and writes the results since then again: a result's id is its
record's key, so who reads the topic by key has each once.

Spark 4.3 or later. It needs a slot for each partition of both topics, and two for the join: give
--slots as many, which share the machine's cores, or --master, a cluster that has as many.

    python examples/realtime_bands.py --bootstrap-servers localhost:9092 --left bids \
        --right asks --to-topic pairs --checkpoint /data/pairs-checkpoint
"""

import argparse
import json
import time
from collections import deque
from typing import Any

import scalegate
from kafka_bands import common_arguments, events, named, pairs, start, topic_writer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery
from rich.console import Console
from rich.live import Live
from rich.table import Table

REFRESH_SECONDS = 1.0
SAMPLE = 100
REMEMBERED = 5000


def main() -> None:
    """Joins until it is stopped."""
    options = arguments()
    spark = start(options, master=options.master or f"local[{options.slots}]", real_time=True)
    query = begin(spark, options)
    try:
        watch(query, Traffic(spark, options))
    except KeyboardInterrupt:
        query.stop()
    finally:
        spark.stop()


def begin(spark: SparkSession, options: argparse.Namespace) -> StreamingQuery:
    """Starts the join."""
    return (
        named(spark, topic_writer(results(spark, options), options), "realtime", options)
        .outputMode("update")
        .trigger(realTime=options.batch)
        .start()
    )


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = common_arguments()
    parser.add_argument("--batch", default="5 minutes", help="between two commits (5 minutes)")
    parser.add_argument("--slots", type=int, default=16, help="tasks at once (default 16)")
    parser.add_argument("--master", help="Spark's master (default: local[SLOTS])")
    options = parser.parse_args()
    if not options.to_topic:
        parser.error("say where results go: --to-topic")
    return options


def results(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Events of both topics that are near, with the time when the later one came to Kafka."""
    came = F.col("timestamp").alias("came")
    left, right = (events(spark, options, topic, came) for topic in (options.left, options.right))
    joined = pairs(left, right, options)
    latest = F.greatest("came", "came_right").alias("came")
    return joined.select(
        "id", "ts", "x", "ts_right", "x_right", F.unix_millis(latest).alias("came")
    )


class Traffic:
    """Asks Kafka how many records the topics have, and a sample of results how long they took."""

    def __init__(self, spark: SparkSession, options: argparse.Namespace) -> None:
        jvm: Any = spark._jvm
        self._names = [options.left, options.right, options.to_topic]
        text = "org.apache.kafka.common.serialization.StringDeserializer"
        settings = {
            "bootstrap.servers": options.bootstrap_servers,
            "key.deserializer": text,
            "value.deserializer": text,
            "max.poll.records": str(SAMPLE),
        }
        given = jvm.java.util.HashMap()
        for key, value in settings.items():
            given[key] = value
        self._consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(given)
        self._wait = jvm.java.time.Duration.ofMillis(100)
        partition = jvm.org.apache.kafka.common.TopicPartition
        self._partitions = {
            name: jvm.java.util.ArrayList(
                [partition(name, of.partition()) for of in self._consumer.partitionsFor(name)]
            )
            for name in self._names
        }
        self._consumer.assign(self._partitions[options.to_topic])
        self._before = self._sizes()
        self._at = time.monotonic()
        self._millis: deque[int] = deque(maxlen=REMEMBERED)

    def rates(self) -> dict[str, float]:
        """Records of each topic that came a second since the last call."""
        sizes, now = self._sizes(), time.monotonic()
        passed = max(now - self._at, 0.001)
        found = {name: (sizes[name] - self._before[name]) / passed for name in self._names}
        self._before, self._at = sizes, now
        return found

    def latencies(self) -> dict[str, int]:
        """Percentiles of the milliseconds from the later event's record to the result's."""
        self._consumer.seekToEnd(self._consumer.assignment())
        for record in self._consumer.poll(self._wait).iterator():
            came = json.loads(record.value()).get("came")
            if came is not None:
                self._millis.append(record.timestamp() - came)
        ordered = sorted(self._millis)
        if not ordered:
            return {}
        at = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
        return {name: ordered[int(share * (len(ordered) - 1))] for name, share in at.items()}

    def _sizes(self) -> dict[str, int]:
        return {
            name: sum(self._consumer.endOffsets(of).values())
            for name, of in self._partitions.items()
        }


def watch(query: StreamingQuery, traffic: Traffic) -> None:
    """Shows the traffic until the query ends, and raises what it ended by."""
    with Live(console=Console(stderr=True), auto_refresh=False) as live:
        while not query.awaitTermination(REFRESH_SECONDS):
            live.update(table(query, traffic), refresh=True)


def table(query: StreamingQuery, traffic: Traffic) -> Table:
    """The traffic of a moment."""
    found = Table("", "", title="results as they come")
    for name, rate in traffic.rates().items():
        found.add_row(name, f"{rate:,.0f} records/s")
    for name, millis in traffic.latencies().items():
        found.add_row(f"latency {name}", f"{millis:,} ms")
    for join in scalegate.metrics(query).itertuples():
        found.add_row("latency p99 within Spark", f"{join.latency_p99_ms:,.1f} ms")
        held = f"{join.state_rows:,} rows held, {join.late_rows:,} came too late"
        found.add_row(f"batch {join.batch}", held)
    lags = scalegate.metrics(query, "source")["lag_ms"]
    if lags.notna().any():
        found.add_row("slowest partition", f"{lags.max():,.0f} ms behind the fastest")
    return found


if __name__ == "__main__":
    main()
