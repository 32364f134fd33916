"""Runs batch joins on a cluster while executors die or tasks straggle, and says of each whether
its rows are those of plain Spark, which is asked when all is over."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import scalegate
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from waits import BOUND

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # A stage of one task has nothing to measure a straggler by.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.locality.wait": "0s",
    # What a dead executor had is asked for once more, and then made again.
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "100ms",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.quantile": "0.3",
    "spark.executor.memory": "512m",
}

BAND = "abs(r.t - s.t) <= 3 AND r.id % 3 <= s.id % 4"
KEYED = f"r.k = s.k AND {BAND}"

# How a join is run: the hint, the type and the condition.
JOINS = {
    "sweep": ("'sweep'", "LEFT", KEYED),
    "index": ("'index'", "FULL", KEYED),
    "broadcast": ("'broadcast'", "LEFT", BAND),
    "cells": ("'sweep'", "LEFT", BAND),
    "matrix": ("'matrix'", "INNER", f"r.t < s.t AND s.t % 7 = 0 AND {BAND}"),
    "halves": ("'index'", "FULL", BAND),
}


def once(mark: Path) -> bool:
    """Whether nobody was here before."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def executor() -> int:
    """The JVM that this Python worker belongs to."""
    pid = os.getpid()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


def dying(mark: Path) -> Callable[[int | None], bool]:
    """Kills the executor under the first task that has begun to give rows."""

    def kill(_: int | None) -> bool:
        if once(mark):
            os.kill(executor(), signal.SIGKILL)
            os._exit(1)
        return True

    return kill


def straggling(mark: Path) -> Callable[[int | None], bool]:
    """The first task of a stage waits until another attempt at it was there."""

    def wait(_: int | None) -> bool:
        context = TaskContext.get()
        assert context is not None
        if context.attemptNumber() > 0:
            once(mark)
        elif context.partitionId() == 0:
            deadline = time.monotonic() + BOUND
            while not mark.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
        return True

    return wait


FAULTS = {"dies": dying, "straggles": straggling}


def inputs(spark: SparkSession, rows: int) -> tuple[DataFrame, DataFrame]:
    ids = spark.range(0, rows, 1, 3).select("id", (F.col("id") % 5).alias("k"))
    return (
        ids.withColumn("t", F.col("id") * 37 % rows),
        ids.withColumn("t", F.col("id") * 53 % rows),
    )


def run(spark: SparkSession, join: str, fault: str, place: str, mark: Path) -> list[str]:
    """The rows of a join that a fault strikes, in one of its inputs or in what reads its rows."""
    hint, how, condition = JOINS[join]
    strike = F.udf(FAULTS[fault](mark), "boolean").asNondeterministic()
    r, s = inputs(spark, 3000)
    if place == "below":
        r = r.where(strike("id"))
    r.createOrReplaceTempView("r")
    s.createOrReplaceTempView("s")
    joined = spark.sql(
        f"SELECT /*+ WINDOW_JOIN({hint}) */ r.id AS a, s.id AS b "
        f"FROM r {how} JOIN s ON {condition}"
    )
    if place == "above":
        joined = joined.where(strike(F.coalesce("a", "b")))
    return sorted(map(str, joined.collect()))


def plain(spark: SparkSession, join: str) -> list[str]:
    _, how, condition = JOINS[join]
    r, s = inputs(spark, 3000)
    r.createOrReplaceTempView("r")
    s.createOrReplaceTempView("s")
    query = f"SELECT r.id AS a, s.id AS b FROM r {how} JOIN s ON {condition}"
    return sorted(map(str, spark.sql(query).collect()))


def main(directory: Path, master: str, *cases: str) -> None:
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = scalegate.configure(builder).getOrCreate()
    found = {case: run(spark, *case.split("-"), directory / case) for case in cases}
    spark.conf.set("spark.scalegate.enabled", "false")
    for case, rows in found.items():
        begun = (directory / case).exists()
        right = plain(spark, case.split("-")[0])
        print(
            json.dumps({"case": case, "struck": begun, "rows": len(rows), "right": rows == right})
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
