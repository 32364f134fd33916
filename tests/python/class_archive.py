"""Keeps the classes that Spark loads for joins of streams: JVMs with them start twice as fast.

Run as a program it writes the archive whose path it is given. A JVM of another version, or with
another class path, takes no notice of it. One whose class path has a directory that is not empty,
as with SPARK_CONF_DIR, cannot have an archive at all.
"""

import random
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import stream_files
from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def work(spark: SparkSession, directory: Path) -> None:
    """What the tests do, without the package's own jar, whose classes an archive cannot hold."""
    rng = random.Random(1)
    for side in ("l", "r"):
        stream_files.write(directory / side, stream_files.events(rng, 40), rng, batches=2)
    sides = zip("lr", stream_files.sides(spark, directory))
    left, right = (side.alias(name) for name, side in sides)
    near = "l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL 5 SECONDS AND l.ts"
    stream_files.run(left.join(right, F.expr(near)).select("l.id"), directory)
    spark.read.parquet(str(directory / "out")).collect()
    spark.createDataFrame(pa.table({"k": [1, 2]})).groupBy("k").count().collect()


def main(archive: Path) -> None:
    part = archive.absolute().with_suffix(".part")
    options = f"-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit={part} -Xlog:disable"
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.extraJavaOptions", options)
        .getOrCreate()
    )
    with tempfile.TemporaryDirectory() as directory:
        work(spark, Path(directory))
    java = SparkContext._gateway.proc
    spark.stop()
    java.stdin.close()  # At its end the JVM ends.
    java.wait()
    part.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
