"""The joins as SQL over views or tables named R and S, in the spellings that the arms compare."""

from __future__ import annotations

from joinbench.checksum import sql_rows
from joinbench.datasets import BAND, Workload


def near(left: str, right: str, distance: int) -> str:
    return f"ABS({left} - {right}) <= {distance}"


def abs_condition(workload: Workload) -> str:
    """As a user writes it first."""
    time = near("R.ts", "S.ts", workload.window_ms)
    if workload.kind == "keyed":
        return f"R.k = S.k AND {time}"
    return f"{near('R.x', 'S.a', BAND)} AND {near('R.y', 'S.b', BAND)} AND {time}"


def ordered_condition(workload: Workload) -> str:
    """The same pairs, in the order of inequalities that suits an inequality join: the most
    selective attribute first, then time, one side of each range at a time. The float band stays
    as it was: `y >= b - 10` rounds differently.
    """
    ws = workload.window_ms
    return (
        f"R.x >= S.a - {BAND} AND R.ts >= S.ts - {ws} AND R.x <= S.a + {BAND} "
        f"AND R.ts <= S.ts + {ws} AND {near('R.y', 'S.b', BAND)}"
    )


def joined(workload: Workload, condition: str, r: str = "R", s: str = "S") -> str:
    return f"SELECT {sql_rows(workload)} FROM {r} JOIN {s} ON {condition}"


def spark_bins(workload: Workload) -> str:
    """The known trick: equal bins of x join by hash, each row of R copied into three bins."""
    width = BAND + 1
    r = f"(SELECT *, EXPLODE(SEQUENCE(x DIV {width} - 1, x DIV {width} + 1)) AS bin FROM R) R"
    s = f"(SELECT *, a DIV {width} AS bin FROM S) S"
    return joined(workload, f"R.bin = S.bin AND {abs_condition(workload)}", r, s)
