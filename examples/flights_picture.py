"""Draws what the two joins found: delays by the weather, and like departures by the hour."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from flights_data import ZONE
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

BLUE, ORANGE, GREEN = "#3366aa", "#dd7733", "#449966"


def delays_by_visibility(joined: DataFrame) -> list[tuple[int, float]]:
    """Mean departure delay in minutes by whole miles of visibility."""
    rows = (
        joined.where("visib IS NOT NULL")
        .groupBy(F.floor("visib").cast("int").alias("miles"))
        .agg(F.avg("dep_delay").alias("delay"))
        .orderBy("miles")
        .collect()
    )
    return [(row["miles"], row["delay"]) for row in rows]


def pairs_by_hour(pairs: DataFrame) -> dict[str, list[int]]:
    """Number of pairs in each of New York's 24 hours, for each pair of airports."""
    local_hour = F.hour(F.from_utc_timestamp("departed", ZONE))
    airports = F.concat_ws(" and ", "origin", "origin_right")
    rows = pairs.groupBy(airports.alias("airports"), local_hour.alias("hour")).count().collect()
    hours = {row["airports"]: [0] * 24 for row in rows}
    for row in rows:
        hours[row["airports"]][row["hour"]] = row["count"]
    return dict(sorted(hours.items()))


def draw(joined: DataFrame, pairs: DataFrame, target: Path) -> None:
    """Writes both charts into one PNG."""
    figure, (by_weather, by_hour) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    delays = delays_by_visibility(joined)
    by_weather.bar([miles for miles, _ in delays], [delay for _, delay in delays], color=BLUE)
    by_weather.set(
        title="Departure delay by the weather in the hour before",
        xlabel="visibility at the origin (miles)",
        ylabel="mean delay (minutes)",
    )
    for (airports, counts), color in zip(pairs_by_hour(pairs).items(), (BLUE, ORANGE, GREEN)):
        by_hour.plot(range(24), counts, marker="o", color=color, label=airports)
    by_hour.set(
        title="Like departures within ten minutes, at two airports",
        xlabel="hour of departure (New York)",
        ylabel="pairs in 2013",
    )
    by_hour.legend(frameon=False)
    for axes in (by_weather, by_hour):
        axes.spines[["top", "right"]].set_visible(False)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=120)
    plt.close(figure)
