"""Runs one streaming join over files to its end. A test kills it and starts it again."""

import sys
from pathlib import Path

import scalegate
import stream_files
from pyspark.sql import SparkSession


def main(directory: Path, what: str, how: str, master: str = "local[2]") -> None:
    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.locality.wait", "0s")
    )
    spark = scalegate.configure(builder).getOrCreate()
    joined = stream_files.join(*stream_files.sides(spark, directory), what, how)
    joins = stream_files.operators(stream_files.run(joined, directory))
    print("operators:", *sorted({join["operatorName"] for join in joins}))
    print("rebuilds:", sum(join["customMetrics"]["rebuilds"] for join in joins))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
