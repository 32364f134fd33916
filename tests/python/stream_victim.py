"""Runs one streaming join over files to its end. A test kills it and starts it again."""

import sys
from pathlib import Path

import scalegate
import stream_files
from pyspark.sql import SparkSession


def main(directory: Path, what: str, how: str, master: str = "local[2]") -> None:
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = (
        builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.locality.wait", "0s")
    )
    spark = scalegate.configure(builder).getOrCreate()
    left, right = (stream_files.read(spark, directory / side) for side in ("l", "r"))
    joined = stream_files.join(left, right, what, how)
    query = (
        joined.writeStream.option("checkpointLocation", str(directory / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(directory / "out"))
    )
    query.awaitTermination()
    names = {o["operatorName"] for p in query.recentProgress for o in p["stateOperators"]}
    print("operators:", *sorted(names))
    joins = [o for p in query.recentProgress for o in p["stateOperators"]]
    print("rebuilds:", sum(o["customMetrics"]["rebuilds"] for o in joins))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
