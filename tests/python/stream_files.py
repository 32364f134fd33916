"""Streams that the tests make: events as Parquet files, one for each batch of a query; and the
queries over them, which read to their end, with a checkpoint beside the files."""

import datetime as dt
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", tz="UTC")),
        ("k", pa.int32()),
        ("x", pa.float64()),
        ("id", pa.int64()),
    ]
)
COLUMNS = "ts TIMESTAMP, k INT, x DOUBLE, id BIGINT"
START = dt.datetime(2024, 3, 9, 22, tzinfo=dt.timezone.utc)
DISORDER = "3 seconds"
"""How much earlier than another before it an event may be: what watermarks are to allow for."""

FAR = START + dt.timedelta(days=300)
"""When the last event of a stream happens, far behind all others: it moves the watermark."""


def events(rng: random.Random, count: int, per_second: float = 4.0) -> list[tuple]:
    """Events in disorder, with NULLs, equal times and values near each other."""
    rows = []
    for i in range(count):
        at = START + dt.timedelta(seconds=round(i / per_second) + rng.choice([0, 0, 1, 2]))
        x = None if rng.random() < 0.05 else rng.randrange(80) / 4
        k = None if rng.random() < 0.05 else rng.randrange(4)
        rows.append((at, k, x, i))
    return rows


def write(directory: Path, rows: list[tuple], rng: random.Random, batches: int) -> None:
    """The events in files cut at random, the last of which holds the event at FAR."""
    cuts = sorted(rng.randrange(len(rows) + 1) for _ in range(batches - 2))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)])]
    write_files(directory, [*parts, [(FAR, -1, -1000.0, -1)]])


def write_files(directory: Path, parts: list[list[tuple]], first: int = 0) -> None:
    """Each part in a file of its own, numbered from `first`."""
    directory.mkdir(parents=True, exist_ok=True)
    for n, part in enumerate(parts, first):
        columns = [list(c) for c in zip(*part)] or [[], [], [], []]
        write_file(directory, pa.table(columns, schema=SCHEMA), n)


def write_file(directory: Path, table: pa.Table, number: int) -> None:
    """A file that Spark reads before those of greater numbers, by the times that they have."""
    path = directory / f"part-{number:05}.parquet"
    pq.write_table(table, path)
    os.utime(path, (1_700_000_000 + number,) * 2)


def read(spark: SparkSession, directory: Path) -> DataFrame:
    """A stream of the files, in their order, one for each batch."""
    files = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
    return files.parquet(str(directory)).withWatermark("ts", DISORDER)


def sides(spark: SparkSession, directory: Path) -> tuple[DataFrame, DataFrame]:
    """The two streams of a directory that `join` takes."""
    return read(spark, directory / "l"), read(spark, directory / "r")


def join(left: DataFrame, right: DataFrame, what: str, how: str, **ways: Any) -> DataFrame:
    """One of the joins that the tests run, on streams or on batches."""
    import scalegate

    if what == "key":
        return scalegate.interval_join(
            left, right, on="k", lower="-5 seconds", upper="2 seconds", how=how, **ways
        )
    if what == "band":
        bands = {"x": ("x", 0.5)}
        return scalegate.band_join(left, right, bands, within="4 seconds", how=how, **ways)
    if what == "intervals":
        return _overlap(left, right, how)
    near = left.x * 2 < right.x
    return scalegate.window_join(left, right, on=near, within="3 seconds", how=how, **ways)


def _overlap(left: DataFrame, right: DataFrame, how: str) -> DataFrame:
    """Intervals of half as many seconds as a row's x, which need no function of the package."""
    end = F.timestamp_micros(F.unix_micros("ts") + (F.col("x") * 500_000).cast("bigint"))
    left = left.withColumn("until", end)
    right = right.withColumn("until", end).withColumnsRenamed(
        {name: f"{name}_right" for name in [*right.columns, "until"]}
    )
    both = (left.ts <= right.until_right) & (right.ts_right <= left.until)
    return left.join(right, both, how)


def of(rows: DataFrame, directory: Path) -> DataFrame:
    """A stream of a table's rows, some of its files in each batch."""
    rows.write.parquet(str(directory))
    files = rows.sparkSession.readStream.schema(rows.schema).option("maxFilesPerTrigger", 2)
    return files.parquet(str(directory))


def run(rows: DataFrame, directory: Path) -> StreamingQuery:
    """Runs a query to the end of its streams, its rows in Parquet files in `out`."""
    return _ended(rows.writeStream.option("path", str(directory / "out")), directory)


def given(rows: DataFrame, directory: Path) -> list[Row]:
    """Runs a query to the end of its streams and gives its rows, sorted."""
    run(rows, directory)
    found = rows.sparkSession.read.schema(rows.schema).parquet(str(directory / "out"))
    return sorted(found.collect(), key=str)


def collect(rows: DataFrame, directory: Path, mode: str = "append") -> list[Row]:
    """Runs a query to the end of its streams and gives its rows, in the order of its batches.

    They travel in files: over Spark Connect a batch's function runs in a process of the server.
    """
    batches = directory / "batches"
    batches.mkdir(exist_ok=True)

    def keep(batch: DataFrame, number: int) -> None:
        (batches / f"{number:05}").write_bytes(pickle.dumps(batch.collect()))

    before = set(batches.iterdir())
    _ended(rows.writeStream.outputMode(mode).foreachBatch(keep), directory)
    given = sorted(set(batches.iterdir()) - before)
    return [row for batch in given for row in pickle.loads(batch.read_bytes())]


def _ended(writer: DataStreamWriter, directory: Path) -> StreamingQuery:
    kept = writer.option("checkpointLocation", str(directory / "checkpoint"))
    query = _started(kept.trigger(availableNow=True))
    query.awaitTermination()
    return query


def _started(writer: DataStreamWriter) -> StreamingQuery:
    """Over Spark Connect the function of `foreachBatch` has a process, which must be there within
    ten seconds: too little for a busy machine, which tries again. Nothing has been read then."""
    for _ in range(5):
        try:
            return writer.start()
        except PySparkException as late:
            if "Python worker failed to connect back" not in str(late):
                raise
    return writer.start()


def operators(query: StreamingQuery) -> list[dict[str, Any]]:
    """What each batch said of its stateful operators."""
    return [found for progress in query.recentProgress for found in progress["stateOperators"]]
