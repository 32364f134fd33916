"""A session with the package and one other extension, on the PySpark that runs this program.

    beside.py NAME DIRECTORY [SETTINGS]    # the extension, where files may lie, settings as JSON

Joins and windows over the other's tables are planned by the package and give the rows that Spark
alone gives, and what the other has of its own still works. The settings go through `configure`;
where there are none, `spark-submit` has been given them. `test_beside.py` runs it.
"""

import json
import sys

import scalegate
from pyspark.sql import DataFrame, SparkSession

NEAR = "s.ts BETWEEN r.ts - INTERVAL 1 MINUTE AND r.ts + INTERVAL 30 SECONDS"
KEYED = f"r.k = s.k AND {NEAR}"
BAND = f"r JOIN s ON abs(r.x - s.x) <= 0.5 AND {NEAR}"
CLOSEST = f"SELECT r.id, max(s.x) AS x FROM {BAND} GROUP BY r.id"
SWEEP = "/*+ WINDOW_JOIN(r, s, 'sweep') */"

# Each with what its plan has to say. The keys `z` are zeros and NaNs of both signs, which another
# sort than Spark's may put elsewhere.
QUERIES = {
    f"SELECT r.id, s.id FROM {BAND}": "WindowJoin",
    f"SELECT {SWEEP} r.id, s.id FROM {BAND}": "sweep",
    f"SELECT r.id FROM r LEFT ANTI JOIN s ON abs(r.x - s.x) <= 0.001 AND {NEAR}": "WindowJoin",
    f"SELECT /*+ WINDOW_JOIN(r, s) */ r.id, s.id FROM r LEFT JOIN s ON {KEYED}": "WindowJoin",
    f"SELECT {SWEEP} r.id, s.id FROM r FULL JOIN s ON {KEYED}": "sweep",
    f"SELECT {SWEEP} r.id, s.id FROM r JOIN s ON r.z = s.z AND {NEAR}": "sweep",
    "SELECT window(ts, '1 minute', '10 seconds') w, k, count(*), sum(id), max(x) FROM r "
    "GROUP BY 1, 2": "PaneWindows",
}
SETTINGS = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    },
    "iceberg": {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": "warehouse",
    },
    "sedona": {
        "spark.sql.extensions": "org.apache.sedona.sql.SedonaSqlExtensions",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.sedona.core.serde.SedonaKryoRegistrator",
    },
    "comet": {
        "spark.sql.extensions": "org.apache.comet.CometSparkSessionExtensions",
        "spark.plugins": "org.apache.spark.CometPlugin",
        "spark.shuffle.manager": (
            "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager"
        ),
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "1g",
    },
}


def plan(spark: SparkSession, query: str) -> str:
    row = spark.sql(f"EXPLAIN {query}").first()
    assert row is not None
    return str(row[0])


def rows(spark: SparkSession, query: str) -> list[str]:
    return sorted(map(str, spark.sql(query).collect()))


def events(spark: SparkSession, seed: int) -> DataFrame:
    return spark.sql(
        f"SELECT id, CAST(pmod(hash(id, {seed}), 7) AS INT) AS k, "
        f"timestamp_seconds(1714564800 + pmod(hash({seed}, id), 3000)) AS ts, "
        f"pmod(hash(id, {seed}, 1), 100000) / 1000D AS x, "
        "element_at(array(-0.0D, 0.0D, double('NaN'), -double('NaN'), 1.5D), "
        f"CAST({seed + 1} + id % 4 AS INT)) AS z FROM range(1500)"
    )


def compare(spark: SparkSession, scan: str) -> None:
    """The queries over the views `r` and `s`, with and without the package."""
    for query, planned in QUERIES.items():
        shown = plan(spark, query)
        assert planned in shown and scan in shown, f"{query}\n{shown}"
        found = rows(spark, query)
        spark.conf.set("spark.scalegate.enabled", "false")
        assert planned not in plan(spark, query)
        expected = rows(spark, query)
        spark.conf.unset("spark.scalegate.enabled")
        assert len(expected) > 100 and found == expected, query
        print(f"{planned}, {len(found)} rows: {query}")


def merge(spark: SparkSession, provider: str, table: str, first: str) -> None:
    """A join of ours feeds a MERGE of theirs, and the table as it was before can be read."""
    expected = rows(spark, CLOSEST)
    spark.sql(f"CREATE TABLE {table} USING {provider} AS SELECT id, -1D AS x FROM range(1500)")
    before = rows(spark, first)[0].partition("=")[2].rstrip(")")
    spark.sql(
        f"MERGE INTO {table} old USING ({CLOSEST}) found ON old.id = found.id "
        "WHEN MATCHED THEN UPDATE SET x = found.x"
    )
    assert rows(spark, f"SELECT * FROM {table} WHERE x >= 0") == expected
    was = rows(spark, f"SELECT count(*), max(x) FROM {table} VERSION AS OF {before}")
    assert was == ["Row(count(1)=1500, max(x)=-1.0)"]


def stream(spark: SparkSession, provider: str, directory: str, tables: list[str]) -> None:
    """A join of two streams, the first two tables, into a third."""
    for seed, table in enumerate(tables[:2]):
        events(spark, seed).writeTo(table).using(provider).create()
    sides = [spark.readStream.format(provider).table(table) for table in tables[:2]]
    r, s = (side.withWatermark("ts", "1 minute") for side in sides)
    joined = r.interval_join(
        s.drop("x", "z"), on="k", lower="-1 minute", upper="30 seconds", time=("ts", "ts")
    )
    started = joined.writeStream.format(provider).trigger(availableNow=True)
    query = started.option("checkpointLocation", f"{directory}/checkpoint").toTable(tables[2])
    query.awaitTermination()
    assert "StreamingWindowJoin" in query._jsq.explainInternal(False)
    batch = f"SELECT count(*) FROM {tables[0]} r JOIN {tables[1]} s ON {KEYED}"
    assert rows(spark, f"SELECT count(*) FROM {tables[2]}") == rows(spark, batch)
    print(f"StreamingWindowJoin: {rows(spark, batch)}")


def delta(spark: SparkSession, directory: str) -> None:
    for seed, name in enumerate(("r", "s")):
        table = events(spark, seed).write.format("delta").partitionBy("k")
        table.option("delta.enableDeletionVectors", "true").saveAsTable(f"{name}_table")
        spark.sql(f"DELETE FROM {name}_table WHERE id % 10 = 3")
        spark.sql(f"CREATE TEMP VIEW {name} AS SELECT * FROM {name}_table")
    compare(spark, "_table")
    merge(spark, "delta", "near", "SELECT 0 AS version")
    history = spark.sql("DESCRIBE HISTORY near").select("operation")
    assert [row[0] for row in history.collect()] == ["MERGE", "CREATE TABLE AS SELECT"]
    stream(spark, "delta", directory, ["r_stream", "s_stream", "joined"])


def iceberg(spark: SparkSession, directory: str) -> None:
    for seed, name in enumerate(("r", "s")):
        events(spark, seed).createOrReplaceTempView("made")
        spark.sql(
            f"CREATE TABLE ice.db.{name} USING iceberg PARTITIONED BY (k) "
            "TBLPROPERTIES ('write.delete.mode'='merge-on-read') AS SELECT * FROM made"
        )
        # The two have other partitions.
        spark.sql(f"DELETE FROM ice.db.{name} WHERE id % 10 = 3 OR k = {seed}")
        spark.sql(f"CREATE TEMP VIEW {name} AS SELECT * FROM ice.db.{name}")
    compare(spark, "BatchScan ice.db")
    # Partitions that the tables report: with the hint the package exchanges them, without it
    # Spark joins them as they lie.
    spark.conf.set("spark.sql.sources.v2.bucketing.enabled", "true")
    spark.conf.set("spark.sql.iceberg.planning.preserve-data-grouping", "true")
    compare(spark, "BatchScan ice.db")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    as_they_lie = plan(spark, f"SELECT * FROM r JOIN s ON {KEYED}")
    assert "SortMergeJoin" in as_they_lie and "Exchange" not in as_they_lie
    latest = "SELECT max_by(snapshot_id, committed_at) FROM ice.db.near.snapshots"
    merge(spark, "iceberg", "ice.db.near", latest)
    spark.sql("ALTER TABLE ice.db.near ADD PARTITION FIELD bucket(2, id)")
    assert spark.sql("CALL ice.system.rewrite_data_files(table => 'db.near')").count() == 1
    stream(spark, "iceberg", directory, ["ice.db.rs", "ice.db.ss", "ice.db.joined"])


def sedona(spark: SparkSession, directory: str) -> None:
    for seed, name in enumerate(("r", "s")):
        places = events(spark, seed).selectExpr("*", "ST_Point(x, CAST(k AS DOUBLE)) AS place")
        places.write.parquet(f"{directory}/{name}")
        spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    compare(spark, "FileScan")
    near = "ST_DWithin(r.place, s.place, 0.5D)"
    for hint in ("", SWEEP):
        # Sedona's strategies are asked before all others, and take inner joins only.
        theirs = f"SELECT {hint} r.id, s.id FROM r JOIN s ON {near} AND {NEAR}"
        shown = plan(spark, theirs)
        assert "BroadcastIndexJoin" in shown and "WindowJoin" not in shown, shown
        assert rows(spark, theirs) == rows(spark, f"SELECT r.id, s.id FROM {BAND} AND r.k = s.k")
    ours = f"SELECT r.id, s.id FROM r LEFT JOIN s ON {near} AND {NEAR}"
    assert "WindowJoin" in plan(spark, ours)
    found = rows(spark, ours)
    spark.conf.set("spark.scalegate.enabled", "false")
    assert found == rows(spark, ours)
    print(f"spatial joins: {len(rows(spark, theirs))} and {len(found)} rows")


def comet(spark: SparkSession, directory: str) -> None:
    for seed, name in enumerate(("r", "s")):
        events(spark, seed).write.parquet(f"{directory}/{name}")
        spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    compare(spark, "CometNativeScan")
    swept = plan(spark, f"SELECT {SWEEP} r.id, s.id FROM r JOIN s ON {KEYED}")
    assert "CometSort" in swept and "CometExchange" in swept, swept
    theirs = "SELECT k, count(*) FROM r WHERE x > 50 GROUP BY k"
    assert "CometHashAggregate" in plan(spark, theirs)
    assert len(rows(spark, theirs)) == 7


EXTENSIONS = {"delta": delta, "iceberg": iceberg, "sedona": sedona, "comet": comet}


def main() -> None:
    name, directory, *settings = sys.argv[1:]
    builder = SparkSession.builder
    if settings:
        builder = scalegate.configure(builder.config(map=json.loads(settings[0])))
    spark = builder.getOrCreate()
    assert scalegate.is_active(spark)
    EXTENSIONS[name](spark, directory)
    spark.stop()


if __name__ == "__main__":
    main()
