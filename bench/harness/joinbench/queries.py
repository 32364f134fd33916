"""The joins as SQL over views or tables named R and S, and the windows over s0, s1, …, in the
spellings that the arms compare.
"""

from __future__ import annotations

from collections.abc import Sequence

from joinbench.checksum import sql_rows, sql_windows
from joinbench.datasets import (
    BAND,
    AroundSet,
    AsOfSet,
    GrowthSet,
    IntervalSet,
    SelfSet,
    WindowSet,
    Workload,
)
from joinbench.streams import SHIFT_MS, TIMES


def near(left: str, right: str, distance: int) -> str:
    return f"ABS({left} - {right}) <= {distance}"


def abs_condition(workload: Workload) -> str:
    """As a user writes it first."""
    if isinstance(workload, IntervalSet):
        return intervals(workload)
    time = near("R.ts", "S.ts", workload.window_ms)
    if workload.kind == "keyed":
        return f"R.k = S.k AND {time}"
    return f"{near('R.x', 'S.a', BAND)} AND {near('R.y', 'S.b', BAND)} AND {time}"


def intervals(workload: IntervalSet) -> str:
    if workload.compared:
        return "R.ts < S.ts AND R.e > S.e"
    key = "R.k = S.k AND " if workload.keys > 1 else ""
    return f"{key}R.ts <= S.e AND S.ts <= R.e"


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


SELF = "SELECT ts, x AS a, y AS b FROM R"
"""R under the names that S has."""


def by_operator(workload: Workload, operator: str, apart: bool) -> str:
    """By an operator of the papers; over one input, or over two that differ in no row."""
    r, s = ("R", "S")
    if apart:
        r, s = "(SELECT * FROM R WHERE ts > -1) R", "(SELECT * FROM S WHERE ts > -2) S"
    query = joined(workload, abs_condition(workload), r, s)
    return query.replace("SELECT", f"SELECT /*+ WINDOW_JOIN('{operator}') */", 1)


def spark_bins(workload: Workload) -> str:
    """The known trick: equal bins of x join by hash, each row of R copied into three bins."""
    width = BAND + 1
    r = f"(SELECT *, EXPLODE(SEQUENCE(x DIV {width} - 1, x DIV {width} + 1)) AS bin FROM R) R"
    s = f"(SELECT *, a DIV {width} AS bin FROM S) S"
    return joined(workload, f"R.bin = S.bin AND {abs_condition(workload)}", r, s)


def spark_asof(workload: AsOfSet) -> str:
    """Spark's own, since 4.3."""
    key = " ON R.k = S.k" if workload.keyed else ""
    return f"SELECT {sql_rows(workload)} FROM R ASOF JOIN S MATCH_CONDITION (R.ts >= S.ts){key}"


def duckdb_asof(workload: AsOfSet) -> str:
    key = "R.k = S.k AND " if workload.keyed else ""
    return f"SELECT {sql_rows(workload)} FROM R ASOF JOIN S ON {key}R.ts >= S.ts"


VALUED = "(SELECT ts, k, CAST(FLOOR(CAST(v AS DOUBLE) * 1000000) AS BIGINT) AS p FROM S)"
"""S with whole numbers, whose sums do not depend on their order."""


def shown(windows: int) -> str:
    """The sums over these windows, of columns whose names end in a window's number."""
    a, b = (
        " + ".join(f"COALESCE({name}{i}, 0)" for i in range(windows) for name in names)
        for names in (("total", "most"), ("mean",))
    )
    return f"{a} AS a, {b} AS b"


def aggregates(window: int) -> str:
    return f"SUM(p) AS total{window}, MAX(p) AS most{window}, AVG(p) AS mean{window}"


def before(window_ms: int) -> str:
    return f"S.k = R.k AND S.ts BETWEEN R.ts - {window_ms} AND R.ts"


def lateral(workload: AroundSet) -> str:
    """As SQL says it."""
    return subqueries(workload, [VALUED] * len(workload.windows_ms))


def lateral_apart(workload: AroundSet) -> str:
    """The same over other rows for each window, to an engine: no row has a value that low."""
    windows = len(workload.windows_ms)
    return subqueries(
        workload, [f"(SELECT * FROM {VALUED} WHERE p > {-1 - i})" for i in range(windows)]
    )


def subqueries(workload: AroundSet, rows: Sequence[str]) -> str:
    windows = [
        f"LATERAL (SELECT {aggregates(i)} FROM {rows[i]} S WHERE {before(window_ms)}) A{i}"
        for i, window_ms in enumerate(workload.windows_ms)
    ]
    return f"""SELECT {sql_windows()} FROM (
        SELECT R.ts AS end_ms, R.k, {shown(len(windows))} FROM R, {", ".join(windows)}) W"""


def grouped_pairs(workload: AroundSet) -> str:
    """As one says it without: pairs, and a group for each row of R."""
    return f"""SELECT {sql_windows()} FROM (
        SELECT ts AS end_ms, k, {shown(1)} FROM (
            SELECT R.id, R.ts, R.k, {aggregates(0)}
            FROM (SELECT *, MONOTONICALLY_INCREASING_ID() AS id FROM R) R
            LEFT JOIN {VALUED} S ON {before(workload.window_ms)}
            GROUP BY R.id, R.ts, R.k)) W"""


def frames(workload: AroundSet) -> str:
    """The known trick: frames of a window function over both sides as one, and R's rows of it."""
    windows = range(len(workload.windows_ms))
    over = ", ".join(aggregates(i).replace(" AS", f" OVER near{i} AS") for i in windows)
    named = ", ".join(
        f"""near{i} AS (PARTITION BY k ORDER BY ts
                            RANGE BETWEEN {window_ms} PRECEDING AND CURRENT ROW)"""
        for i, window_ms in enumerate(workload.windows_ms)
    )
    return f"""SELECT {sql_windows()} FROM (
        SELECT ts AS end_ms, k, {shown(len(windows))} FROM (
            SELECT ts, k, side, {over}
            FROM (SELECT ts, k, CAST(NULL AS BIGINT) AS p, 0 AS side FROM R
                  UNION ALL SELECT ts, k, p, 1 AS side FROM {VALUED} S)
            WINDOW {named})
        WHERE side = 0) W"""


def stream_condition(workload: Workload) -> str:
    """Of two streams, whose times are TIMESTAMP columns: Spark bounds its state by intervals."""
    span = f"INTERVAL {workload.window_ms} MILLISECONDS"
    time = f"S.ts BETWEEN R.ts - {span} AND R.ts + {span}"
    if isinstance(workload, IntervalSet):
        return intervals(workload)
    if isinstance(workload, AsOfSet):
        return "R.k = S.k AND asof(R.ts, S.ts)"
    if workload.kind == "keyed":
        return f"R.k = S.k AND {time}"
    if isinstance(workload, GrowthSet):
        return f"{near('R.x', 'S.a', workload.band)} AND {time}"
    return f"{near('R.x', 'S.a', BAND)} AND {near('R.y', 'S.b', BAND)} AND {time}"


def stream_around(workload: AroundSet) -> str:
    """Of two streams: the rows of R with their aggregates, under the names of the checksum."""
    span = f"INTERVAL {workload.window_ms} MILLISECONDS"
    near_rows = f"S.k = R.k AND S.ts BETWEEN R.ts - {span} AND R.ts"
    return f"""SELECT R.ts, R.k, {shown(1)}
        FROM R, LATERAL (SELECT {aggregates(0)} FROM {VALUED} S WHERE {near_rows}) A"""


def stream_join(workload: Workload, r: Sequence[str], s: Sequence[str]) -> str:
    """Every column of both sides, named after its side."""
    shown = [f"{side}.{c} AS {side}_{c}" for side, of in (("R", r), ("S", s)) for c in of]
    return f"SELECT {', '.join(shown)} FROM R JOIN S ON {stream_condition(workload)}"


def rows_of_stream(workload: Workload, columns: Sequence[str], view: str) -> str:
    """Count and checksum of result rows in a view, their times as the set has them."""
    if isinstance(workload, WindowSet):
        end = f"UNIX_MILLIS(window.end) - {SHIFT_MS} AS end_ms"
        return f"SELECT {sql_windows()} FROM (SELECT {end}, k, a, b FROM {view}) W"
    if isinstance(workload, AroundSet):
        at = f"UNIX_MILLIS(ts) - {SHIFT_MS} AS end_ms"
        return f"SELECT {sql_windows()} FROM (SELECT {at}, k, a, b FROM {view}) W"

    def side(name: str) -> str:
        own = [c[2:] for c in columns if c[0] == name]
        numbers = {c: f"UNIX_MILLIS({name}_{c}) - {SHIFT_MS}" for c in own if c in TIMES}
        shown = [f"{numbers.get(c, f'{name}_{c}')} AS {c}" for c in own]
        return f"STRUCT({', '.join(shown)}) AS {name}"

    return f"SELECT {sql_rows(workload)} FROM (SELECT {side('R')}, {side('S')} FROM {view})"


def streams_of(workload: Workload) -> list[str]:
    """The views that a query is over."""
    if isinstance(workload, WindowSet):
        return [f"s{i}" for i in range(workload.streams)]
    return ["R"] if isinstance(workload, SelfSet) else ["R", "S"]


def united(workload: WindowSet) -> str:
    return " UNION ALL ".join(f"SELECT * FROM {s}" for s in streams_of(workload))


def results(workload: WindowSet) -> str:
    """Both functions, under the names that the checksum has for them."""
    return ", ".join(
        f"{f}(v) AS {name}" for f, name in zip(workload.functions, "ab", strict=True)
    )


def sliding(workload: WindowSet) -> str:
    return f"WINDOW(ts, '{workload.window_ms} milliseconds', '{workload.slide_ms} milliseconds')"


def stream_windows(workload: WindowSet, view: str) -> str:
    return f"SELECT window, k, {results(workload)} FROM {view} GROUP BY {sliding(workload)}, k"


def spark_windows(workload: WindowSet) -> str:
    """As a user of Spark writes it."""
    return f"""SELECT {sql_windows()} FROM (
        SELECT UNIX_MILLIS(window.end) AS end_ms, k, {results(workload)}
        FROM (SELECT TIMESTAMP_MILLIS(ts) AS ts, k, v FROM ({united(workload)}))
        GROUP BY {sliding(workload)}, k) W"""


def unnested_windows(workload: WindowSet) -> str:
    """Each row once for each window that holds it, which ends after it."""
    size, slide = workload.window_ms, workload.slide_ms
    first = f"ts // {slide} * {slide} + {slide}"
    return f"""SELECT {sql_windows()} FROM (
        SELECT end_ms, k, {results(workload)}
        FROM (SELECT UNNEST(RANGE({first}, {first} + {size}, {slide})) AS end_ms, k, v
              FROM ({united(workload)}))
        GROUP BY end_ms, k) W"""
