"""Streams of each kind in two runs: the first one's checkpoints are kept in tests/fixtures.

Run as a program it writes them for the PySpark that is installed: an archive of each kind, in a
directory named after both versions. `make checkpoints` does so for each minor of Spark. The names
of the files that the first run read are in them: they are made to look alike on every machine.
"""

import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark
import scalegate
import stream_files
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

FIXTURES = Path(__file__).parents[1] / "fixtures" / "checkpoints"
MINOR = ".".join(pyspark.__version__.split(".")[:2])
OLD = 60
"""Events of each side that the first run reads."""

ELSEWHERE = "file:///old"
"""Where its files are said to lie."""

Rows = list[tuple]
Query = Callable[[DataFrame, DataFrame], DataFrame]


def _join(what: str, how: str) -> Query:
    return lambda left, right: stream_files.join(left, right, what, how)


def _last(key: str | None) -> Query:
    within = scalegate.rows(7, per_key=key)
    return lambda left, right: scalegate.window_join(
        left, right, on=left.x * 2 < right.x, within=within
    )


def _windows(left: DataFrame, _: DataFrame) -> DataFrame:
    windows = left.groupBy(F.window("ts", "10 seconds", "2 seconds"), "k")
    totals = windows.agg(
        F.count("*").alias("n"), F.sum("id").alias("total"), F.max("x").alias("x")
    )
    start = F.unix_timestamp("window.start").alias("start")
    return totals.where("window.start < '2024-06-01'").select(start, "k", "n", "total", "x")


KINDS: dict[str, tuple[Query, str]] = {
    "key-inner": (_join("key", "inner"), "append"),
    "key-left": (_join("key", "left"), "append"),
    "key-full": (_join("key", "full"), "append"),
    "band-left": (_join("band", "left"), "append"),
    "theta-anti": (_join("theta", "anti"), "append"),
    "rows": (_last(None), "append"),
    "rows-per-key": (_last("k"), "append"),
    "windows-append": (_windows, "append"),
    "windows-update": (_windows, "update"),
}
"""Each kind of state that a version writes: its query, and the mode in which it gives rows."""


def events() -> dict[str, Rows]:
    """Those of each side, of which the first run reads the first `OLD`."""
    rng = random.Random(77)
    return {side: stream_files.events(rng, 100) for side in ("l", "r")}


def _rows(query: Query, sides: tuple[DataFrame, DataFrame]) -> DataFrame:
    rows = query(*sides)
    return rows.select([name for name in rows.columns if name in ("id", "id_right")] or ["*"])


def run(spark: SparkSession, directory: Path, kind: str, old: bool) -> Rows:
    """Runs the query over the first events or, where a checkpoint has those, over the others, the
    last of which ends them."""
    for side, rows in events().items():
        parts = [rows[:25], rows[25:OLD]]
        if not old:
            parts += [rows[OLD:], [(stream_files.FAR, -1, -1000.0, -1)]]
        stream_files.write_files(directory / side, parts)
    query, mode = KINDS[kind]
    rows = _rows(query, stream_files.sides(spark, directory))
    return [tuple(row) for row in stream_files.collect(rows, directory, mode)]


def at_rest(spark: SparkSession, directory: Path, kind: str, since: int = 0) -> Counter[Any]:
    """The rows of the query over all events at rest, or over those from a number on."""
    for side, rows in events().items():
        stream_files.write_files(directory / side, [rows[since:]])
    left, right = (spark.read.parquet(str(directory / side)) for side in ("l", "r"))
    return given(kind, [tuple(row) for row in _rows(KINDS[kind][0], (left, right)).collect()])


def given(kind: str, rows: Rows) -> Counter[Any]:
    """What the rows of a query come to: in update mode the last one of each window and key."""
    found = [row for row in rows if -1 not in row]
    if KINDS[kind][1] == "update":
        found = list({row[:2]: row for row in found}.values())
    return Counter(found)


def write(spark: SparkSession, kind: str, archive: Path) -> None:
    """The checkpoint of the first run, and the rows that it gave."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rows = run(spark, directory, kind, old=True)
        kept = directory / "kept"
        hidden = shutil.ignore_patterns(".*.crc", "metadata.crc")
        shutil.copytree(directory / "checkpoint", kept / "checkpoint", ignore=hidden)
        _rename(kept / "checkpoint", directory.as_uri(), ELSEWHERE)
        (kept / "rows.json").write_text(json.dumps(rows))
        archive.parent.mkdir(parents=True, exist_ok=True)
        shutil.make_archive(str(archive.with_suffix("")), "zip", kept)


def unpack(archive: Path, directory: Path) -> Rows:
    """Puts the checkpoint where `run` goes on with it, and gives the rows of the first run."""
    shutil.unpack_archive(archive, directory)
    _rename(directory / "checkpoint", ELSEWHERE, directory.as_uri())
    return [tuple(row) for row in json.loads((directory / "rows.json").read_text())]


def _rename(checkpoint: Path, before: str, after: str) -> None:
    """Lets the names of the files that were read begin otherwise."""
    for log in (checkpoint / "sources").rglob("[0-9]*"):
        if log.is_file():
            log.write_text(log.read_text().replace(f"{before}/", f"{after}/"))


def main() -> None:
    spark = scalegate.configure(
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    ).getOrCreate()
    version = spark.sparkContext._jvm.io.scalegate.spark.PythonGateway.version()
    for kind in KINDS:
        write(spark, kind, FIXTURES / f"{version}-spark-{MINOR}" / f"{kind}.zip")


if __name__ == "__main__":
    sys.exit(main())
