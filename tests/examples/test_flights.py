"""The demo's pieces on the first days of the year; DuckDB is the second opinion on its joins."""

from pathlib import Path

import duckdb
import flights_data
import flights_joins
import flights_picture
import pytest
from pyspark.sql import DataFrame, SparkSession

FEW_DAYS = "departed < TIMESTAMP'2013-01-04'"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("flights")
    flights_data.to_parquet(made)
    return made


@pytest.fixture(scope="module")
def flights(spark: SparkSession, directory: Path) -> flights_data.Flights:
    return flights_data.flights(spark, directory)


@pytest.fixture(scope="module")
def few(flights: flights_data.Flights, spark: SparkSession, directory: Path) -> DataFrame:
    flights.departed.where(FEW_DAYS).write.parquet(str(directory / "few"))
    return spark.read.parquet(str(directory / "few"))


@pytest.fixture(scope="module")
def weather(spark: SparkSession, directory: Path) -> flights_data.Weather:
    return flights_data.weather(spark, directory)


def test_every_flight_of_the_file_is_accounted_for(flights: flights_data.Flights) -> None:
    assert (flights.total, flights.never_left, flights.at_2400) == (336_776, 8_255, 29)
    assert flights.departed.count() == 336_776 - 8_255


def test_the_hour_that_came_twice_is_seen(weather: flights_data.Weather) -> None:
    assert (weather.total, weather.in_a_doubled_hour) == (26_115, 6)


def test_an_instant_that_disagrees_with_the_files_local_time_stops_the_demo(
    spark: SparkSession, directory: Path, tmp_path: Path
) -> None:
    raw = spark.read.parquet(str(directory / "flights.parquet")).limit(10)
    raw.selectExpr("* EXCEPT (dep_time)", "dep_time + 1 AS dep_time").write.parquet(
        str(tmp_path / "flights.parquet")
    )
    with pytest.raises(SystemExit, match="10 departures do not have the local time"):
        flights_data.flights(spark, tmp_path)


def test_weather_before_departure_is_what_duckdb_finds(
    spark: SparkSession,
    few: DataFrame,
    weather: flights_data.Weather,
    directory: Path,
    tmp_path: Path,
) -> None:
    run = flights_joins.run(
        spark,
        lambda: flights_joins.with_weather(few, weather.observed),
        tmp_path / "joined",
        ours=True,
    )
    (expected,) = duckdb.sql(
        f"""SELECT count(*) FROM '{directory}/few/*.parquet' f, '{directory}/weather.parquet' w
        WHERE f.origin = w.origin
        AND w.time_hour BETWEEN f.departed - INTERVAL 1 HOUR AND f.departed"""
    ).fetchall()
    assert (run.count,) == expected
    assert run.count > few.count() / 2


def test_like_departures_are_what_duckdb_finds(
    spark: SparkSession, few: DataFrame, directory: Path, tmp_path: Path
) -> None:
    target = tmp_path / "joined"
    flights_joins.run(spark, lambda: flights_joins.alike(few), target, ours=True)
    columns = "departed, origin, flight, origin_right, flight_right, air_time_right"
    found = duckdb.sql(f"SELECT {columns} FROM '{target}/*.parquet' ORDER BY ALL").fetchall()
    expected = duckdb.sql(
        f"""SELECT f.departed, f.origin, f.flight, g.origin, g.flight, g.air_time
        FROM '{directory}/few/*.parquet' f, '{directory}/few/*.parquet' g
        WHERE f.origin < g.origin AND abs(f.distance - g.distance) <= 50
        AND abs(f.air_time - g.air_time) <= 10
        AND g.departed BETWEEN f.departed - INTERVAL 10 MINUTE AND f.departed + INTERVAL 10 MINUTE
        ORDER BY ALL"""
    ).fetchall()
    assert found == expected
    assert len(found) > 100


def test_both_plans_give_the_same_rows_and_a_lost_row_is_noticed(
    spark: SparkSession, few: DataFrame, tmp_path: Path
) -> None:
    ours, plain = (
        flights_joins.run(spark, lambda: flights_joins.alike(few), tmp_path / str(on), ours=on)
        for on in (True, False)
    )
    flights_joins.check_same_rows(ours, plain)
    short = flights_joins.Run(ours.rows.limit(ours.count - 1), ours.count - 1, "", 0.0)
    with pytest.raises(SystemExit, match="1 rows missing, 0 rows too many"):
        flights_joins.check_same_rows(short, plain)


def test_a_plan_without_our_node_stops_the_demo(
    spark: SparkSession, few: DataFrame, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match="WindowJoin is not in the plan"):
        flights_joins.run(spark, lambda: few, tmp_path / "none", ours=True)


def test_the_picture_is_a_png(
    few: DataFrame, weather: flights_data.Weather, tmp_path: Path
) -> None:
    joined = flights_joins.with_weather(few, weather.observed)
    target = tmp_path / "out" / "flights.png"
    flights_picture.draw(joined, flights_joins.alike(few), target)
    assert target.read_bytes().startswith(b"\x89PNG")
