"""A streaming join in two runs: the first one's checkpoint is kept in tests/fixtures.

Run as a program it writes that fixture anew, into a directory named after the version. The names
of the files that the first run read are in it: they are made to look alike on every machine.
"""

import random
import shutil
import sys
import tempfile
from pathlib import Path

import scalegate
import stream_files
from pyspark.sql import SparkSession

WHAT = "key"
OLD = 60
"""Events of each side that the first run reads."""

NEW = slice(OLD, None)
Rows = list[tuple]


def events() -> dict[str, Rows]:
    rng = random.Random(77)
    return {side: stream_files.events(rng, 100) for side in ("l", "r")}


def run(spark: SparkSession, directory: Path, part: slice) -> list[tuple]:
    """Joins this part of the events, the last of which ends them, and gives pairs of ids."""
    for side, rows in events().items():
        parts = [rows[part][:25], rows[part][25:]]
        if part is NEW:
            parts.append([(stream_files.FAR, -1, -1000.0, -1)])
        stream_files.write_files(directory / side, parts, first=part.start or 0)
    joined = stream_files.join(*stream_files.sides(spark, directory), WHAT, "full")
    rows = stream_files.collect(joined.select("id", "id_right"), directory)
    return [tuple(row) for row in rows]


def main() -> None:
    root = Path(__file__).parent.parent
    spark = scalegate.configure(
        SparkSession.builder.master("local[2]")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    ).getOrCreate()
    jvm = spark.sparkContext._jvm
    kept = (
        root / "fixtures" / f"stream-checkpoint-{jvm.io.scalegate.spark.PythonGateway.version()}"
    )
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        run(spark, directory, slice(0, OLD))
        shutil.rmtree(kept, ignore_errors=True)
        hidden = shutil.ignore_patterns(".*.crc", "metadata.crc")
        shutil.copytree(directory / "checkpoint", kept, ignore=hidden)
        for log in (kept / "sources").rglob("[0-9]*"):
            if log.is_file():
                log.write_text(log.read_text().replace(directory.as_uri(), "file:///old"))


if __name__ == "__main__":
    sys.exit(main())
