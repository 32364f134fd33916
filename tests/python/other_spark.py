"""What the jar does in a session of the PySpark that this program is run with.

    other_spark.py JAR SPARK    # which it was built for

Plain queries, joins with a window and a stream give Spark's rows. On the Spark that the jar was
built for they are planned by the package; on any other it adds nothing and warns once.
`make other-sparks` runs it.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession

JOIN = "SELECT * FROM r JOIN s ON s.id BETWEEN r.id - 1 AND r.id + 1"
WARNING = "so it adds nothing to this session"


def session(jar: str) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").config("spark.jars", jar)
    return (
        builder.config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )


@contextlib.contextmanager
def errors() -> Iterator[list[str]]:
    """What this process and its JVM write to standard error meanwhile."""
    lines: list[str] = []
    kept = os.dup(2)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            file.seek(0)
            lines += file.read().splitlines()
            sys.stderr.write("".join(f"{line}\n" for line in lines))


def check(spark: SparkSession, directory: str) -> bool:
    """Whether the package planned the join; fails where the rows are not Spark's."""
    assert spark.range(5).count() == 5
    spark.range(100).write.parquet(f"{directory}/r")
    for name in ("r", "s"):
        spark.read.parquet(f"{directory}/r").createOrReplaceTempView(name)
    assert spark.sql(JOIN).count() == 298
    sums = "SELECT window(timestamp_seconds(id), '1 minute', '10 seconds') w, count(*) FROM r"
    assert spark.sql(f"{sums} GROUP BY 1").count() == 15
    with_key = spark.table("r").join(spark.table("s"), "id")
    assert with_key.count() == 100
    stream = spark.readStream.schema("id LONG").parquet(f"{directory}/r")
    counts = stream.groupBy("id").count().writeStream.outputMode("complete")
    query = counts.format("memory").queryName("counts").trigger(availableNow=True).start()
    query.awaitTermination()
    assert spark.table("counts").count() == 100
    plan = spark.sql(f"EXPLAIN {JOIN}").first()
    assert plan is not None
    return "WindowJoin" in plan[0]


def main() -> None:
    jar, built_for = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory, errors() as said:
        spark = session(jar)
        planned = check(spark, f"{directory}/on")
        spark.conf.set("spark.scalegate.enabled", "false")
        assert not check(spark.newSession(), f"{directory}/new") or planned
        assert not check(spark, f"{directory}/off")
        spark.stop()
    warnings = [line for line in said if WARNING in line]
    same = spark_version.split(".")[:2] == built_for.split(".")[:2]
    assert planned == same, f"planned by the package: {planned}"
    assert len(warnings) == (0 if same else 1), warnings
    what = "planned by the package" if planned else "left to Spark, with one warning"
    print(f"Spark {spark_version}: {what}")


if __name__ == "__main__":
    main()
