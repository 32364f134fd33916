"""Runs what Spark's UI has the tab *ScaleGate* for: a query of each kind and a stream. Says where
the UI is once the stream has given figures, and ends with its input. Its argument is a directory
for the event log, which the history server reads."""

import sys
import time

import scalegate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def configured(event_log: str) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("scalegate-ui")
        .config("spark.ui.port", "0")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", event_log)
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")
        .config("spark.sql.session.timeZone", "UTC")
    )
    return scalegate.configure(builder).getOrCreate()


def run_batches(spark: SparkSession) -> None:
    rows = spark.range(100).select(
        (F.col("id") % 3).alias("k"), F.timestamp_seconds("id").alias("ts")
    )
    other = rows.select("k", "ts", F.col("ts").alias("at"))
    around = {"lower": "-1 second", "upper": "0 seconds"}
    queries = {
        "joined as of a time": rows.asof_join(other, on="k", time=("ts", "ts")),
        "aggregated around each row": rows.interval_aggregate(
            other, on="k", time=("ts", "ts"), aggs=[F.count("*").alias("n")], **around
        ),
        "sliding windows": scalegate.window_aggregate(
            rows, "10 seconds", "5 seconds", aggs=[F.count("*").alias("n")]
        ),
        "windows by a paper's design": scalegate.window_aggregate(
            rows, "10 s", "5 s", aggs=[F.count("*").alias("n")], keys="k", design="wiml"
        ),
        "three at once": scalegate.cube_join(rows, other, rows, within="1 second"),
        "joined in windows": rows.interval_join(other, on="k", **around),
    }
    spark.sparkContext.setJobDescription("<script>document.title = 'run'</script>")
    rows.interval_join(other, on="k", **around).count()
    for name, query in queries.items():
        spark.sparkContext.setJobDescription(name)
        query.write.format("noop").mode("overwrite").save()
    spark.sparkContext.setJobDescription(None)


def run_stream(spark: SparkSession, checkpoint: str) -> None:
    def events() -> DataFrame:
        rate = spark.readStream.format("rate").option("rowsPerSecond", 20).load()
        keyed = rate.select((F.col("value") % 5).alias("k"), F.col("timestamp").alias("ts"))
        return keyed.withWatermark("ts", "1 second")

    joined = events().interval_join(events(), on="k", lower="-1 second", upper="1 second")
    written = joined.writeStream.format("noop").queryName("events beside events")
    stream = written.option("checkpointLocation", checkpoint).start()
    while not any(batch.stateOperators[0].numRowsTotal for batch in stream.recentProgress):
        assert stream.isActive, stream.exception()
        time.sleep(0.1)


def main(directory: str) -> None:
    spark = configured(f"{directory}/events")
    spark.sparkContext.setLogLevel("ERROR")
    run_batches(spark)
    run_stream(spark, f"{directory}/checkpoint")
    print("http://localhost:" + spark.sparkContext.uiWebUrl.rpartition(":")[2], flush=True)
    sys.stdin.read()
    for stream in spark.streams.active:
        stream.stop()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
