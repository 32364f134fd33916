"""Runs streaming joins, and a join with a hint, in a session that keeps its tables in Hive's
metastore."""

import json
import sys
from pathlib import Path

import scalegate
import stream_files
from pyspark.sql import SparkSession

URL = "javax.jdo.option.ConnectionURL"


def session(directory: Path) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .enableHiveSupport()
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(directory / "warehouse"))
        .config(
            "spark.hadoop.javax.jdo.option.ConnectionURL",
            "jdbc:derby:memory:metastore;create=true",
        )
    )
    return scalegate.configure(builder).getOrCreate()


def main(directory: Path, *cases: str) -> None:
    spark = session(directory)
    spark.sql("CREATE TABLE kept USING parquet AS SELECT id FROM range(3)")
    hinted = spark.sql(
        "SELECT /*+ WINDOW_JOIN(r, s, 'sweep') */ r.id FROM kept r JOIN kept s "
        "ON abs(r.id - s.id) <= 1"
    )
    scalegate.explain(hinted)
    print(json.dumps({"hinted": hinted.count()}))
    for case in cases:
        what, how = case.split("-")
        joined = stream_files.join(*stream_files.sides(spark, directory), what, how)
        (directory / case).mkdir()
        joins = stream_files.operators(stream_files.run(joined, directory / case))
        print(json.dumps({"case": case, "by": sorted({j["operatorName"] for j in joins})}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
