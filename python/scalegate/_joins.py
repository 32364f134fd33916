"""The joins: arguments are checked, then said to Spark as a condition and the WINDOW_JOIN hint.

**Output columns.** The left side's columns, then the right side's, in their own orders. The `on`
names of `interval_join` appear once, as in Spark's own USING join. A right column whose name the
left side has too gets `suffix` ("ts" becomes "ts_right"), so that every output name is unique. A
left join also gives the left rows that match nothing, with NULLs in the right columns, which
become nullable; a right join likewise, and a full join both. A semi join gives each left row that
matches, once, and an anti join each that does not: the left columns alone.

**Streams.** Two streaming DataFrames are joined as two batches are, and every row comes once.
Each needs `withWatermark` on its time column, a timestamp, and the join a window. A pair is given
when its later row comes, a row that matches nothing when the watermark has passed its window, and
whatever a window of rows gives when the watermark has passed it; rows that come later than the
watermark are dropped, as Spark does.

**NULL and NaN.** A row whose time, key or band value is NULL matches nothing. NaN is larger than
every number, as everywhere in Spark, so no finite band reaches it.
"""

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from scalegate import _schema as schema
from scalegate import _widths
from scalegate._errors import ScalegateError
from scalegate._schema import Frame
from scalegate._widths import Number, Rows, Width, rows

N = TypeVar("N", bound=Number)

HINT = "WINDOW_JOIN"
HIDDEN = "__scalegate_{}_{}"
LEFT_ONLY = ("semi", "anti")


def interval_join(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    time: Sequence[str] = ("ts", "ts"),
    lower: Width = "-5 seconds",
    upper: Width = "0 seconds",
    how: str = "inner",
    suffix: str = "_right",
    algorithm: str = "auto",
    layout: Sequence[int] | None = None,
    ordered: bool = False,
) -> DataFrame:
    """Pairs with equal `on` columns and right time in [left time + lower, left time + upper].

    Parameters
    ----------
    left, right
        DataFrames of one session, both batch or both streaming.
    on
        Columns of both sides that must be equal; None joins on time alone.
    time
        The time column of the left and of the right side: timestamp, timestamp_ntz, date or
        integers, of one kind on both sides.
    lower, upper
        Both ends are inclusive. For timestamps an interval ("5 minutes", "-1 hour -30 seconds":
        each part has its own sign, as in Spark) or a datetime.timedelta; whole days for dates;
        whole numbers, in the columns' own unit, for integers. As Spark adds intervals to a
        timestamp, whole days are calendar days of the session's time zone.
    how
        "inner", "left", "right", "full", "semi" or "anti", or another of Spark's names for these.
        A full join of batches without equal columns reads both sides twice, so that each must
        give the same rows again: a limit, a sample, `rand()` or a window function below it is an
        error.
    suffix
        Added to right columns whose names the left side has too.
    algorithm
        How Spark is to run the join: "broadcast" gives every executor an index of the smaller
        side, "index" indexes that side in each partition, "sweep" sorts both sides in each
        partition, "matrix" deals both sides over a matrix of cells in which all rows meet, where
        no columns are equal; "auto" leaves the choice to the planner, which goes by the sides'
        sizes. The rows are the same.
    layout
        The matrix, which it asks for: (2, 3) has two rows of three cells, each a task. A left row
        is copied to the cells of one row, a right row to those of one column. In left, semi and
        anti joins the second number is 1, in right joins the first. None leaves it to
        `spark.scalegate.join.layout`, or the planner. Of two streams it stays that of the query's
        checkpoint, and None is no matrix.
    ordered
        Of two streams: rows come in the order of the later row's time, then the earlier's, when
        the watermark has passed both, in one task; a row that matches nothing comes when its
        window closes.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas; no job has run then.

    Examples
    --------
    >>> trades.interval_join(quotes, on="symbol", lower="-5 seconds")  # doctest: +SKIP
    """
    how = schema.join_type(how)
    sides = schema.frames(left, right)
    way = schema.way(algorithm, layout, left.isStreaming)
    order = schema.ordered(ordered, left.isStreaming, way)
    keys = _keys(on, sides)
    names = _time_columns(time, sides)
    data_type = sides[0].field(names[0], "time").dataType
    bounds = tuple(
        schema.amount(w, data_type, a) for w, a in ((lower, "lower"), (upper, "upper"))
    )
    if bounds[0] > bounds[1]:
        raise ScalegateError(
            f"the interval is inverted: lower={lower!r} is above upper={upper!r}."
        )
    if keys and way[:1] == ("matrix",):
        raise ScalegateError(
            f"on={on!r}: rows with equal columns are brought together by these, and a matrix "
            'compares all with all. Leave out on=, or algorithm="matrix" and layout=.'
        )
    renamed = _rename_right(sides, keys, suffix)
    equal = [
        F.col(schema.quote(key)) == F.col(schema.quote(renamed[right]))
        for key, right in keys.items()
    ]
    within = _between(names[0], renamed[names[1]], bounds, data_type)
    joined = _join(left, _renamed(right, renamed), [*equal, within], how, way + order)
    hidden = {left_key: renamed[right_key] for left_key, right_key in keys.items()}
    if how in ("right", "full"):
        given = {name: _given(name, hidden[name]) for name in left.columns if name in hidden}
        joined = joined.withColumns(given)
    return joined.drop(*hidden.values())


def band_join(
    left: DataFrame,
    right: DataFrame,
    bands: Mapping[str, tuple[str, Width]],
    time: Sequence[str] | None = None,
    within: Width | None = None,
    how: str = "inner",
    suffix: str = "_right",
    algorithm: str = "auto",
    layout: Sequence[int] | None = None,
    ordered: bool = False,
) -> DataFrame:
    """Pairs whose values differ by at most a width in every band, and times by at most `within`.

    Parameters
    ----------
    left, right
        DataFrames of one session, both batch or both streaming.
    bands
        Left column to (right column, width): ``{"x": ("a", 10)}`` is ``abs(x - a) <= 10``,
        evaluated in the columns' own types as Spark does. Numeric columns take a number, which
        beside decimals is the decimal number that you write, as 0.05 or Decimal("0.05");
        timestamps and dates take an interval. Widths are inclusive and not negative.
    time, within
        Both or none: the two time columns (("ts", "ts") when only `within` is given) and the
        largest distance between them, both ways; types and units as in `interval_join`.
    how, suffix, algorithm, layout, ordered
        As in `interval_join`.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas; no job has run then.

    Examples
    --------
    >>> r.band_join(s, bands={"x": ("a", 10)}, within="5 minutes")  # doctest: +SKIP
    """
    how = schema.join_type(how)
    sides = schema.frames(left, right)
    way = schema.way(algorithm, layout, left.isStreaming)
    order = schema.ordered(ordered, left.isStreaming, way)
    checked = _bands(bands, sides)
    if time is not None and within is None:
        raise ScalegateError(
            'time is given without within: say how far, as in within="5 minutes".'
        )
    if within is not None:
        names = _time_columns(time or ("ts", "ts"), sides)
        data_type = sides[0].field(names[0], "time").dataType
        width = _not_negative(schema.amount(within, data_type, "within"), within, "within")
    renamed = _rename_right(sides, {}, suffix)
    conditions = [band.condition(renamed) for band in checked]
    if within is not None:
        conditions.append(_between(names[0], renamed[names[1]], (-width, width), data_type))
    return _join(left, _renamed(right, renamed), conditions, how, way + order)


def window_join(
    left: DataFrame,
    right: DataFrame,
    on: Column | None = None,
    time: Sequence[str] = ("ts", "ts"),
    within: Width | Rows = "5 minutes",
    how: str = "inner",
    suffix: str = "_right",
    algorithm: str = "auto",
    layout: Sequence[int] | None = None,
    threads: int | None = None,
    ordered: bool = False,
) -> DataFrame:
    """Pairs for which any condition holds, within a window of time or of rows.

    Parameters
    ----------
    left, right
        DataFrames of one session, both batch or both streaming.
    on
        A condition over columns of both sides, as `DataFrame.join` takes it; None keeps every
        pair of the window. To join a frame with itself give both sides an alias, and name columns
        by it.
    time
        The time columns, as in `interval_join`.
    within
        The largest distance in time, both ways, with units as in `interval_join`; or
        `scalegate.rows(n)`: the later row of a pair, in time order, is matched with the last n
        rows of the other side. Two streams are in that order when the watermark has passed them.
    how, suffix, algorithm, layout, ordered
        As in `interval_join`; a window of rows has one algorithm and takes "auto" alone.
    threads
        Of the one task in which a window of rows is joined; None takes the session's
        `spark.scalegate.cellThreads`, which is an executor's cores unless set. Spark reserves
        `spark.task.cpus` cores for a task, whatever it does with them. A window of time is joined
        in many tasks, each with one thread, and takes None alone.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas; no job has run then.

    Examples
    --------
    >>> r.window_join(s, on=r.x < s.a, within=scalegate.rows(10_000))  # doctest: +SKIP
    """
    how = schema.join_type(how)
    sides = schema.frames(left, right)
    way = schema.way(algorithm, layout, left.isStreaming)
    order = schema.ordered(ordered, left.isStreaming, way)
    if on is not None and not isinstance(on, Column):
        raise ScalegateError(
            f"on={on!r} is not a Column: write a condition such as left.x < right.a; for columns "
            'that must be equal use interval_join(on="name").'
        )
    if isinstance(within, Rows) and way:
        given = f"algorithm={algorithm!r}" if layout is None else f"layout={layout!r}"
        raise ScalegateError(f'{given}: a window of rows works with algorithm="auto" alone.')
    if threads is not None and not isinstance(within, Rows):
        raise ScalegateError(
            f"threads={threads!r}: a window of time runs in many tasks, each with one thread. "
            "Only that of a window of rows, which runs in one task, has more."
        )
    names = _time_columns(time, sides)
    renamed = _rename_right(sides, {}, suffix)
    times = tuple(HIDDEN.format(frame.side, "time") for frame in sides)
    window = _window(times, within, threads, sides[0].field(names[0], "time").dataType)
    # The condition names the user's own columns: nothing may be renamed before the join.
    hidden = [f.df.withColumn(t, F.col(schema.quote(n))) for f, t, n in zip(sides, times, names)]
    conditions = [window] if on is None else [on, window]
    joined = _join(hidden[0], hidden[1], conditions, how, way + order).drop(*times)
    unique = all(old == new for old, new in renamed.items())
    if unique or how in LEFT_ONLY:
        return joined
    return joined.toDF(*left.columns, *renamed.values())


class _Band:
    """One band, checked: two columns and how far apart they may be."""

    def __init__(self, left: T.StructField, right: T.StructField, width: Width) -> None:
        self.left, self.right = left, right
        argument = f"bands[{left.name!r}]"
        integers = (
            schema.time_kind(left.dataType) == schema.time_kind(right.dataType) == "integer"
        )
        self.numeric = isinstance(left.dataType, schema.NUMBERS)
        types = (left.dataType, right.dataType)
        if self.numeric:
            value = _widths.number(width, argument)
            self.width: Number = math.floor(value) if integers else value
            if any(isinstance(t, schema.FLOATING) for t in types):
                self.width = float(value)
            elif any(isinstance(t, T.DecimalType) for t in types):
                self.width = _widths.exact(value)
        else:
            self.width = schema.amount(width, left.dataType, argument)
        _not_negative(self.width, width, argument)

    def condition(self, renamed: Mapping[str, str]) -> Column:
        other = renamed[self.right.name]
        if self.numeric:
            distance = F.abs(F.col(schema.quote(self.left.name)) - F.col(schema.quote(other)))
            return distance <= F.lit(self.width)
        return _between(self.left.name, other, (-self.width, self.width), self.left.dataType)


def _bands(bands: Mapping[str, tuple[str, Width]], sides: tuple[Frame, Frame]) -> list[_Band]:
    if not isinstance(bands, Mapping) or not bands:
        raise ScalegateError(
            f'bands={bands!r}: give at least one band, as in bands={{"x": ("a", 10)}}.'
        )
    return [_band(name, band, sides) for name, band in bands.items()]


def _band(name: str, band: tuple[str, Width], sides: tuple[Frame, Frame]) -> _Band:
    if isinstance(band, str) or not isinstance(band, Sequence) or len(band) != 2:
        raise ScalegateError(
            f"bands[{name!r}]={band!r}: give the right side's column and the width, as in "
            f'{{{name!r}: ("a", 10)}}.'
        )
    left, right = sides[0].field(name, "bands"), sides[1].field(band[0], "bands")
    schema.check_band(left, right)
    return _Band(left, right, band[1])


def _keys(on: str | Sequence[str] | None, sides: tuple[Frame, Frame]) -> dict[str, str]:
    """The keys' names on the left side and on the right, which may differ in case."""
    if on is not None and not isinstance(on, str | Sequence):
        raise ScalegateError(f"on={on!r}: give a column name of both sides, or a list of them.")
    wanted = [on] if isinstance(on, str) else list(on or ())
    pairs = [(sides[0].field(name, "on"), sides[1].field(name, "on")) for name in wanted]
    for left, right in pairs:
        schema.check_key(left, right)
    return {left.name: right.name for left, right in pairs}


def _time_columns(time: Sequence[str], sides: tuple[Frame, Frame]) -> tuple[str, str]:
    names = schema.pair_of_names(time, "time")
    fields = sides[0].field(names[0], "time"), sides[1].field(names[1], "time")
    schema.check_time(*fields)
    return fields[0].name, fields[1].name


def _not_negative(amount: N, given: Width, argument: str) -> N:
    if amount < 0:
        raise ScalegateError(f"{argument}={given!r} is negative: a width is zero or more.")
    return amount


def _rename_right(
    sides: tuple[Frame, Frame], keys: Mapping[str, str], suffix: str
) -> dict[str, str]:
    """The output name of each right column; keys get hidden names, to be dropped by."""
    left, right = sides
    for frame in sides:
        for name in frame.df.columns:
            frame.field(name, "columns")
    taken = {left.fold(name) for name in left.df.columns}
    renamed = {name: name + suffix * (left.fold(name) in taken) for name in right.df.columns}
    kept = [left.fold(new) for old, new in renamed.items() if old not in keys.values()]
    clashes = [name for name in kept if name in taken or kept.count(name) > 1]
    if clashes:
        raise ScalegateError(
            f"the output would have two columns called {clashes[0]!r}: choose another suffix "
            f"than {suffix!r}, or rename one first."
        )
    hidden = {
        right_key: HIDDEN.format("right_key", i) for i, right_key in enumerate(keys.values())
    }
    return renamed | hidden


def _given(left: str, right: str) -> Column:
    """A key's value, which one of the sides may lack."""
    return F.coalesce(F.col(schema.quote(left)), F.col(schema.quote(right)))


def _renamed(right: DataFrame, renamed: Mapping[str, str]) -> DataFrame:
    return right.withColumnsRenamed({old: new for old, new in renamed.items() if old != new})


def _between(left: str, right: str, bounds: Sequence[Number], data_type: T.DataType) -> Column:
    start = F.col(schema.quote(left))
    lower, upper = (start + schema.literal(bound, data_type) for bound in bounds)
    return F.col(schema.quote(right)).between(lower, upper)


def _window(
    times: Sequence[str], within: Width | Rows, threads: int | None, data_type: T.DataType
) -> Column:
    if isinstance(within, Rows):
        counts = [rows(within.count).count]
        if threads is not None:
            counts.append(schema.threads(threads))
        return F.call_function("within_rows", *map(F.col, times), *map(F.lit, counts))
    width = _not_negative(schema.amount(within, data_type, "within"), within, "within")
    return _between(times[0], times[1], (-width, width), data_type)


def _join(
    left: DataFrame,
    right: DataFrame,
    conditions: Sequence[Column],
    how: str,
    way: tuple[str, ...],
) -> DataFrame:
    return left.hint(HINT, *way).join(right, reduce(and_, conditions), how)
