"""TIME columns, which Spark has behind a switch: refused by name where this package is asked for,
and Spark's own, exactly, where it is not."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import scalegate
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scalegate import ScalegateError

SWITCH = "spark.sql.timeType.enabled"
TIMES = "SELECT id, TIME'10:00:00' + make_dt_interval(0, 0, 0, id) AS t FROM range(100)"
PAIRS = sum(min(second, 5) + 1 for second in range(100))


@pytest.fixture
def times(spark: SparkSession) -> Iterator[DataFrame]:
    try:
        spark.conf.set(SWITCH, "true")
        rows = spark.sql(TIMES)
        rows.schema  # noqa: B018  over Spark Connect nothing is analyzed before
    except PySparkException:
        pytest.skip("this Spark has no TIME")
    rows.createOrReplaceTempView("times")
    yield rows
    spark.conf.unset(SWITCH)


ASKED: dict[str, Callable[[DataFrame], Any]] = {
    "interval_join": lambda t: t.interval_join(t, time=("t", "t"), lower="-5 seconds", upper=0),
    "asof_join": lambda t: t.asof_join(t, time=("t", "t")),
    "interval_aggregate": lambda t: t.interval_aggregate(
        t, time=("t", "t"), lower="-5 seconds", aggs=[F.count("*")]
    ),
    "window_join": lambda t: t.window_join(t, within=scalegate.rows(3), time=("t", "t")),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_time_of_day_is_refused_by_name(
    times: DataFrame, asked: Callable[[DataFrame], Any]
) -> None:
    with pytest.raises(ScalegateError, match=r"'t' of the left side is of type time\(6\)"):
        asked(times)


@pytest.mark.parametrize("marker", ["asof(a.t, b.t)", "within_rows(a.t, b.t, 3)"])
def test_a_time_of_day_is_refused_in_sql(
    spark: SparkSession, times: DataFrame, marker: str
) -> None:
    with pytest.raises(PySparkException, match="must be of one kind"):
        spark.sql(f"SELECT * FROM times a JOIN times b ON {marker}").collect()


def test_bounds_on_times_of_day_are_sparks_own(spark: SparkSession, times: DataFrame) -> None:
    within = "b.t BETWEEN a.t - INTERVAL 5 SECONDS AND a.t"
    joined = spark.sql(f"SELECT a.id FROM times a JOIN times b ON {within}")
    assert joined.count() == PAIRS
    counted = f"SELECT (SELECT count(*) FROM times b WHERE {within}) AS n FROM times a"
    assert spark.sql(counted).agg(F.sum("n")).first()[0] == PAIRS
