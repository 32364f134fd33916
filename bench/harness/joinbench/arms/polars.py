"""Polars in process, lazily from Parquet: the x-bins trick, `join_where` on its best pair, and
`join_asof`; and rolling aggregates.
"""

from __future__ import annotations

import os
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable, timed
from joinbench.checksum import DIGITS, MODULUS, SCALE, WINDOW_TERMS, Rows, Term, terms
from joinbench.datasets import BAND, AroundSet, AsOfSet, IntervalSet, Workload


def number(column: Any, kind: str) -> Any:
    import polars as pl

    if kind == "floating":
        return (column.cast(pl.Float64) * SCALE).floor().cast(pl.Int64)
    if kind == "digits":
        return column.str.tail(DIGITS).cast(pl.Int64)
    return column.cast(pl.Int64)


def weight(side_terms: list[Term], time: str) -> Any:
    import polars as pl

    total = pl.lit(1, dtype=pl.Int64)
    for term in side_terms:
        column = pl.col(time if term.column == "ts" else term.column + (time[2:]))
        total = total + number(column, term.kind) * term.factor
    return total


def near(left: str, right: str, distance: int) -> Any:
    import polars as pl

    return (pl.col(left) - pl.col(right)).abs() <= distance


class Polars(Arm):
    """Columns of S get a suffix, because Polars has no table names in an expression."""

    suffix = "_s"

    def __init__(self, settings: Settings, name: str, bins: bool) -> None:
        self.name = name
        self.settings = settings
        self.bins = bins

    def is_slow(self, workload: Workload) -> bool:
        return workload.name in ("C", "Z")

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed", "asof", "around", "interval"):
            raise Unavailable("it has no query for this workload")
        if workload.kind == "interval" and self.bins:
            raise Unavailable("it has no other query for this workload")
        if workload.name == "OVK":
            raise Unavailable("join_where does not take an equal key")
        if workload.name == "OV":
            raise Unavailable("300 million pairs at once take more memory than there is")
        if workload.kind in ("asof", "around") and not self.bins:
            raise Unavailable("it has no other query for this workload")
        if workload.name == "Z":
            raise Unavailable("pairing the whole hot key takes more memory than there is")
        if workload.kind == "keyed" and not self.bins:
            raise Unavailable("join_where does not take an equal key")
        if workload.name == "C" and not self.bins:
            raise Unavailable("three billion pairs near in x take more memory than there is")
        # Read when polars is first imported, and never again.
        os.environ["POLARS_MAX_THREADS"] = str(self.settings.threads)
        import polars  # noqa: F401

    def pairs(self, workload: Workload, r: Any, s: Any) -> Any:
        import polars as pl

        x, a = pl.col("x"), pl.col("a_s")
        times = near("ts", "ts_s", workload.window_ms)
        if isinstance(workload, AsOfSet):
            keys = {"by_left": "k", "by_right": "k_s"} if workload.keyed else {}
            # The files of both sides rise in time: nothing is sorted.
            r, s = r.set_sorted("ts"), s.set_sorted("ts_s")
            near_rows = r.join_asof(
                s, left_on="ts", right_on="ts_s", coalesce=False, check_sortedness=False, **keys
            )
            return near_rows.filter(pl.col("ts_s").is_not_null())
        if isinstance(workload, IntervalSet):
            if workload.compared:
                both = pl.col("ts") < pl.col("ts_s"), pl.col("e") > pl.col("e_s")
            else:
                both = pl.col("ts") <= pl.col("e_s"), pl.col("ts_s") <= pl.col("e")
            return r.join_where(s, *both)
        if workload.kind == "keyed":
            return r.join(s, left_on="k", right_on="k_s").filter(times)
        rest = [near("y", "b_s", BAND), times]
        if not self.bins:
            return r.join_where(s, x >= a - BAND, x <= a + BAND).filter(*rest)
        cell = x // (BAND + 1)
        r = r.with_columns(bin=pl.concat_list([cell - 1, cell, cell + 1])).explode("bin")
        s = s.with_columns(bin=a // (BAND + 1))
        return r.join(s, on="bin").filter(near("x", "a_s", BAND), *rest)

    def around(self, workload: AroundSet, data: Path) -> Rows:
        """Rolling aggregates over both sides as one, and R's rows of them."""
        import polars as pl

        r, s = (pl.scan_parquet(data / f"{name}.parquet" / "*.parquet") for name in "RS")
        value = (pl.col("v").cast(pl.Float64) * 1_000_000).floor().cast(pl.Int64)
        both = pl.concat(
            [
                r.select("ts", "k", p=pl.lit(None, pl.Int64), side=0),
                s.select("ts", "k", p=value, side=1),
            ]
        ).sort("k", "ts")
        p = pl.col("p")
        sums, means = [], []
        for window_ms in workload.windows_ms:
            given: Any = {"by": "ts", "window_size": f"{window_ms}i", "closed": "both"}
            total, most, mean = (
                rolling(**given).over("k").fill_null(0)
                for rolling in (p.rolling_sum_by, p.rolling_max_by, p.rolling_mean_by)
            )
            sums += [total, most]
            means.append(mean)
        rows = both.select("ts", "k", "side", a=reduce(add, sums), b=reduce(add, means)).filter(
            pl.col("side") == 0
        )
        row = pl.lit(1, dtype=pl.Int64)
        for term in WINDOW_TERMS:
            column = pl.col("ts" if term.column == "end_ms" else term.column)
            row = row + number(column, term.kind) * term.factor
        count, checksum = rows.select(pl.len(), (row % MODULUS).sum()).collect().row(0)
        return Rows(int(count), int(checksum))

    def query(self, workload: Workload, data: Path) -> Rows:
        import polars as pl

        if isinstance(workload, AroundSet):
            return self.around(workload, data)
        r = pl.scan_parquet(data / "R.parquet" / "*.parquet")
        s = pl.scan_parquet(data / "S.parquet" / "*.parquet").rename(lambda c: c + self.suffix)
        left, right = terms(workload)
        row = weight(left, "ts") * weight(right, "ts_s") % MODULUS
        counted = self.pairs(workload, r, s).select(pl.len().alias("n"), row.sum().alias("sum"))
        count, checksum = counted.collect().row(0)
        return Rows(int(count), int(checksum))

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        return timed(
            self.name, self.settings.threads, workload, lambda: self.query(workload, data)
        )

    def versions(self) -> dict[str, str]:
        import polars

        return {"Polars": polars.__version__}


def arms(settings: Settings) -> list[Arm]:
    return [
        Polars(settings, "polars-bins", bins=True),
        Polars(settings, "polars-where", bins=False),
    ]
