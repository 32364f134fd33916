"""What `scalegate.metrics` says of joins of batches."""

from typing import Any

import pytest
import scalegate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    time = F.timestamp_seconds(F.col("id") % 600).alias("ts")
    return spark.range(2000).select(time, (F.col("id") % 7).alias("key"), "id")


def joined(rows: DataFrame, algorithm: Any, **terms: Any) -> DataFrame:
    return rows.interval_join(rows, on="key", lower="-9 s", algorithm=algorithm, **terms)


@pytest.mark.connect
def test_an_operator_tells_of_its_threads(rows: DataFrame) -> None:
    df = joined(rows, scalegate.operator("kp", threads=2))
    results = len(df.collect())
    told = scalegate.metrics(df)
    assert told["algorithm"].tolist() == [
        "PPOIJ by key on 2 threads in each partition (as hinted)"
    ]
    assert told[["threads", "left_rows", "right_rows", "results"]].values.tolist() == [
        [2, 2000, 2000, results]
    ]
    threads = scalegate.metrics(df, per="task")
    assert len(threads) == 2 * told["tasks"][0]
    assert threads["comparisons"].sum() == told["comparisons"][0]
    assert threads["share"].sum() == pytest.approx(1)


@pytest.mark.connect
def test_a_count_and_a_write_are_runs(rows: DataFrame, tmp_path: Any) -> None:
    df = joined(rows, "sweep", how="semi")
    count = df.count()
    assert scalegate.metrics(df)["results"].tolist() == [count]
    assert scalegate.metrics(df)["threads"].isna().all()
    other = joined(rows, scalegate.operator("pim", threads=2), how="anti")
    other.write.parquet(f"{tmp_path}/written")
    assert "PIM-Tree" in scalegate.metrics(other)["algorithm"][0]


def test_what_has_no_figures_is_refused(rows: DataFrame) -> None:
    df = joined(rows, "hp", how="left", suffix="_new")
    with pytest.raises(ScalegateError, match="no figures are known of this frame"):
        scalegate.metrics(df)
    with pytest.raises(ScalegateError, match="per is one of operator, task"):
        scalegate.metrics(df, per="source")
    stream = df.sparkSession.readStream.format("rate").load()
    with pytest.raises(ScalegateError, match="those of its query"):
        scalegate.metrics(stream)
    other: Any = "rows"
    with pytest.raises(
        ScalegateError, match="metrics takes a DataFrame that has run or a stream"
    ):
        scalegate.metrics(other)
    with pytest.raises(ScalegateError, match="explain takes a DataFrame, not 'rows'"):
        scalegate.explain(other)
