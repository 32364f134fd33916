"""Runs one streaming join over files to its end. A test kills it and starts it again, or makes
some of its tasks straggle."""

import datetime as dt
import sys
import time
from pathlib import Path

import scalegate
import stream_files
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from waits import BOUND

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.quantile": "0.5",
    # A first attempt that waits in vain is not repeated.
    "spark.task.maxFailures": "1",
}


def straggling(rows: DataFrame, mark: Path, batches: int) -> DataFrame:
    """The same rows; in as many batches the first attempt of the first task waits for the second
    to have begun, which it tells by a file, and then for a while: the second is through before.
    """

    def wait(row: dt.datetime) -> bool:
        context = TaskContext.get()
        assert context is not None
        number = len(list(mark.glob("*")))
        if context.partitionId() != 0 or number >= batches:
            return True
        if context.attemptNumber() > 0:
            (mark / str(context.stageId())).touch()
            return True
        deadline = time.monotonic() + BOUND
        while len(list(mark.glob("*"))) == number:
            assert time.monotonic() < deadline, "there was no second attempt"
            time.sleep(0.01)
        time.sleep(0.5)
        return True

    waits = F.udf(wait, "boolean").asNondeterministic()
    return rows.where(waits("ts"))


def main(
    directory: Path, what: str, how: str, master: str = "local[2]", straggle: str = "0"
) -> None:
    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.locality.wait", "0s")
    )
    for name, value in SPECULATION.items() if int(straggle) else ():
        builder = builder.config(name, value)
    spark = scalegate.configure(builder).getOrCreate()
    joined = stream_files.join(*stream_files.sides(spark, directory), what, how)
    if int(straggle):
        joined = straggling(joined, directory / "straggled", int(straggle))
    joins = stream_files.operators(stream_files.run(joined, directory))
    print("operators:", *sorted({join["operatorName"] for join in joins}))
    print("rebuilds:", sum(join["customMetrics"]["rebuilds"] for join in joins))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
