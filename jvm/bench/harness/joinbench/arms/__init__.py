"""The arms, in the order they run. A new one is a module beside these and a line in `every`."""

from __future__ import annotations

from joinbench.arm import Arm, Settings
from joinbench.arms import duckdb, jvm, kernel, polars, spark


def every(settings: Settings) -> list[Arm]:
    return [
        *kernel.arms(settings),
        *spark.arms(settings),
        *duckdb.arms(settings),
        *polars.arms(settings),
        *jvm.arms(settings),
    ]


REFERENCES = ("spark-bins", "spark-abs")
"""Whose rows decide when two arms differ: plain Spark's, the first of these that runs."""
