"""The demo's two joins, as a user writes them, and how each is timed against plain Spark."""

import contextlib
import io
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import scalegate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SWITCH = "spark.scalegate.enabled"
OURS = "WindowJoin"


def with_weather(flights: DataFrame, weather: DataFrame) -> DataFrame:
    """Flights with the weather observed at their origin in the hour before departure.

    Both ends count: a flight that leaves on the hour has two observations.
    """
    return scalegate.interval_join(
        flights,
        weather,
        on="origin",
        time=("departed", "observed"),
        lower="-1 hour",
        upper="0 seconds",
    )


def alike(flights: DataFrame) -> DataFrame:
    """Pairs of like departures, from different airports, within ten minutes of each other.

    Alike means at most 50 miles and 10 minutes in the air apart. No column is equal, so there is
    no key; each pair comes once, its airports in alphabetical order.
    """
    pairs = scalegate.band_join(
        flights,
        flights,
        bands={"distance": ("distance", 50), "air_time": ("air_time", 10)},
        time=("departed", "departed"),
        within="10 minutes",
    )
    return pairs.where(F.col("origin") < F.col("origin_right"))


@dataclass(frozen=True)
class Run:
    """One join, run to its last row: where its rows are, how many, the plan and the seconds."""

    rows: DataFrame
    count: int
    plan: str
    seconds: float


def run(spark: SparkSession, join: Callable[[], DataFrame], target: Path, *, ours: bool) -> Run:
    """Plans and runs the join, with the package on or off, into Parquet: all of it is timed."""
    spark.conf.set(SWITCH, str(ours).lower())
    try:
        shutil.rmtree(target, ignore_errors=True)
        start = time.perf_counter()
        joined = join()
        plan = plan_of(joined)
        if (OURS in plan) != ours:
            raise SystemExit(f"{OURS} {'is not' if ours else 'is'} in the plan:\n{plan}")
        joined.write.parquet(str(target))
        seconds = time.perf_counter() - start
    finally:
        spark.conf.unset(SWITCH)
    rows = spark.read.parquet(str(target))
    return Run(rows, rows.count(), plan, seconds)


def plan_of(joined: DataFrame) -> str:
    """What EXPLAIN prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        joined.explain()
    return printed.getvalue()


def check_same_rows(ours: Run, plain: Run) -> None:
    """Refuses two results that differ in any row or in how often it comes."""
    missing = plain.rows.exceptAll(ours.rows).count()
    added = ours.rows.exceptAll(plain.rows).count()
    if missing or added:
        raise SystemExit(f"the results differ: {missing} rows missing, {added} rows too many.")
