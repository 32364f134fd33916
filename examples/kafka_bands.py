"""Joins the events of two Kafka topics by a band, with no key, into a third topic, files or both.

An event is JSON with a time and a number: {"ts": "2024-05-01T12:00:00.250Z", "x": 17.5}. A pair
is two events, one of each topic, whose numbers differ by at most --band and whose times by at
most --within; no column is equal: a join that Spark alone refuses on streams.

A result's id says where its events lie: topic, partition and offset of the left one, then of the
right one. It is the same however often a batch is run again, and it is the record's key: Kafka's
sink writes at least once, so a program that was killed and started again may have written a
result twice. Parquet files hold each result once.

An event that comes more than --lateness after younger ones is too late to be joined. It is not
lost without a word: it is written to --late as JSON, and how many there were is told.

    python examples/kafka_bands.py --bootstrap-servers localhost:9092 --left bids --right asks \
        --to-topic pairs --checkpoint /data/pairs-checkpoint
"""

import argparse
import sys
from collections.abc import Iterator

import pyspark
import scalegate
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery, StreamingQueryListener
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
)

SOURCE = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
EVENT = "ts TIMESTAMP, x DOUBLE"
LATE = "spark.scalegate.streaming.lateRows"


def main() -> None:
    """Joins until everything was read, or until it is stopped."""
    options = arguments()
    spark = start(options)
    left, right = (events(spark, options, topic) for topic in (options.left, options.right))
    results = pairs(left, right, options)
    queries = [
        started(spark, writer, name, options) for name, writer in writers(results, options)
    ]
    spark.streams.awaitAnyTermination()
    for query in queries:
        query.awaitTermination()
    spark.stop()


def common_arguments() -> argparse.ArgumentParser:
    """What the programs that join two topics ask for."""
    parser = argparse.ArgumentParser(
        description="Joins the events of two Kafka topics by a band, with no key."
    )
    add = parser.add_argument
    add("--bootstrap-servers", required=True, help="Kafka's brokers, as host:port,host:port")
    add("--left", required=True, metavar="TOPIC", help="events to join")
    add("--right", required=True, metavar="TOPIC", help="events to join them with")
    add("--band", type=float, default=1.0, help="how far x may lie apart (default 1)")
    add("--within", default="5 seconds", help="how far ts may lie apart (default 5 seconds)")
    add("--how", choices=["inner", "left"], default="inner", help="left: the unmatched, too")
    add("--lateness", default="10 seconds", help="how late an event may come (10 seconds)")
    add("--late", metavar="DIRECTORY", help="where events go that come later (CHECKPOINT/late)")
    add("--to-topic", metavar="TOPIC", help="where results go")
    add("--checkpoint", required=True, help="the directory from which a restart goes on")
    add("--jars", help=f"Spark's Kafka source, as jars in one line (default: fetch {SOURCE})")
    return parser


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = common_arguments()
    add = parser.add_argument
    add("--to-files", metavar="DIRECTORY", help="where results go as Parquet files")
    add("--trigger", choices=["processingTime", "availableNow"], default="processingTime")
    add("--max-offsets", type=int, help="most events of a topic in a batch (default: all)")
    options = parser.parse_args()
    if not (options.to_topic or options.to_files):
        parser.error("say where results go: --to-topic, --to-files or both")
    return options


def late_events(options: argparse.Namespace) -> str:
    """Where events go that come too late, in a directory for each query."""
    return options.late or f"{options.checkpoint}/late"


def start(
    options: argparse.Namespace, *, master: str = "local[*]", real_time: bool = False
) -> SparkSession:
    """A session with the package and Spark's Kafka source, which tells of late events."""
    jars = options.jars
    source = ("spark.jars", jars) if jars else ("spark.jars.packages", SOURCE)
    builder = (
        SparkSession.builder.master(master)
        .appName("scalegate-kafka-bands")
        .config(*source)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        # Each task opens a state store, which takes longer than the few rows of a small batch.
        .config("spark.sql.shuffle.partitions", "2")
    )
    spark = scalegate.configure(builder, real_time=real_time).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.streams.addListener(LateEvents(late_events(options)))
    return spark


def events(
    spark: SparkSession, options: argparse.Namespace, topic: str, *more: Column
) -> DataFrame:
    """A topic's events, each with its place in Kafka: ts, x, id, and more of its columns."""
    reader = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", options.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
    )
    if getattr(options, "max_offsets", None):
        reader = reader.option("maxOffsetsPerTrigger", options.max_offsets)
    event = F.from_json(F.col("value").cast("string"), EVENT).alias("event")
    place = F.concat_ws("-", "topic", "partition", "offset").alias("id")
    found = reader.load().select(event, place, *more).select("event.*", "*").drop("event")
    return found.withWatermark("ts", options.lateness)


def pairs(left: DataFrame, right: DataFrame, options: argparse.Namespace) -> DataFrame:
    """Events of both topics that are near: id, ts, x, ts_right, x_right."""
    right = right.withColumnsRenamed({name: f"{name}_right" for name in right.columns})
    within = F.expr(f"INTERVAL {options.within}")
    near = F.abs(F.col("x") - F.col("x_right")) <= options.band
    near &= F.col("ts_right").between(F.col("ts") - within, F.col("ts") + within)
    joined = left.join(right, near, options.how)
    both = F.concat_ws("/", "id", "id_right").alias("id")
    others = [name for name in joined.columns if name not in ("id", "id_right")]
    return joined.select(both, *others)


class LateEvents(StreamingQueryListener):
    """Tells of events that came too late, and where they are."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Nothing was late yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """After each batch."""
        dropped = sum(of.numRowsDroppedByWatermark for of in event.progress.stateOperators)
        if dropped:
            where = f"{self.directory}/{event.progress.name}"
            print(f"{dropped} events came too late to be joined: {where}", file=sys.stderr)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """All was told."""


def started(
    spark: SparkSession, writer: DataStreamWriter, name: str, options: argparse.Namespace
) -> StreamingQuery:
    """A query that goes on, or reads to the end of both topics."""
    now = options.trigger == "availableNow"
    trigger = {"availableNow": True} if now else {"processingTime": "0 seconds"}
    return named(spark, writer, name, options).trigger(**trigger).start()


def named(
    spark: SparkSession, writer: DataStreamWriter, name: str, options: argparse.Namespace
) -> DataStreamWriter:
    """A query with a directory of its own for late events, which it learns of as it starts."""
    spark.conf.set(LATE, f"{late_events(options)}/{name}")
    return writer.queryName(name)


def writers(
    results: DataFrame, options: argparse.Namespace
) -> Iterator[tuple[str, DataStreamWriter]]:
    """One for each place where results go: records whose key is the id, rows of Parquet files."""
    if options.to_topic:
        yield "topic", topic_writer(results, options)
    if options.to_files:
        yield (
            "files",
            results.writeStream.format("parquet")
            .option("path", options.to_files)
            .option("checkpointLocation", f"{options.checkpoint}/files"),
        )


def topic_writer(results: DataFrame, options: argparse.Namespace) -> DataStreamWriter:
    """Writes each result as a record of JSON whose key is the result's id."""
    value = F.to_json(F.struct("*")).alias("value")
    return (
        results.select(F.col("id").alias("key"), value)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", options.bootstrap_servers)
        .option("topic", options.to_topic)
        .option("checkpointLocation", f"{options.checkpoint}/topic")
    )


if __name__ == "__main__":
    main()
