"""The arms, in the order they run. A new one is a module beside these and a line in `every`."""

from __future__ import annotations

from joinbench.arm import Arm, Settings
from joinbench.arms import (
    duckdb,
    figures,
    flink,
    growth,
    jvm,
    kernel,
    latency,
    live,
    polars,
    spark,
    stream,
)


def every(settings: Settings) -> list[Arm]:
    return [
        *kernel.arms(settings),
        *spark.arms(settings),
        *duckdb.arms(settings),
        *polars.arms(settings),
        *jvm.arms(settings),
    ]


def streams(settings: Settings) -> list[Arm]:
    """The arms of `--streams`, which join the sets as streams."""
    host = stream.StreamHost(settings)
    return [*stream.arms(host), *growth.arms(host), *flink.arms(settings)]


def latencies(settings: Settings) -> list[Arm]:
    """The arms of `--latency`, which join streams whose files appear while they run."""
    return latency.arms(stream.StreamHost(settings))


def lives(settings: Settings) -> list[Arm]:
    """The arms of `--live`, which join streams that come at a steady rate."""
    return live.arms(settings)


def figures_of_papers(settings: Settings) -> list[Arm]:
    """The arms of `--figures`, whose measurements are the points of the papers' figures."""
    return figures.arms(settings)


REFERENCES = ("spark-bins", "spark-abs")
"""Whose rows decide when two arms differ: plain Spark's, the first of these that runs."""
