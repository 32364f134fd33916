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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from scalegate import _schema as schema
from scalegate._bands import Band, between, checked_bands, not_negative
from scalegate._errors import ScalegateError
from scalegate._keys import STREAMED, Keys, checked_keys, checked_pairs, hidden_name
from scalegate._operators import Operator
from scalegate._required import required
from scalegate._schema import Algorithm, Frame, JoinType
from scalegate._widths import Rows, Width

HINT = "WINDOW_JOIN"
NAMES_HINT = "SCALEGATE_COLUMN_NAMES"
LEFT_ONLY = ("semi", "anti")
ROWS_OR_TIME = (
    "left.window_join(right, within={}), or, for the last rows, in "
    "left.window_join(right, within=scalegate.rows(10_000))"
)


@required("lower")
def interval_join(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    *,
    time: Sequence[str] = ("ts", "ts"),
    lower: Width,
    upper: Width = 0,
    how: JoinType = "inner",
    suffix: str = "_right",
    algorithm: Algorithm = "auto",
    layout: Sequence[int] | None = None,
    ordered: bool = False,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
) -> DataFrame:
    """Pairs with equal `on` columns and right time in [left time + lower, left time + upper].

    Parameters
    ----------
    left, right
        DataFrames of one session, batch or streaming. Each batch of a stream beside a table is
        joined with the table's rows as they are then; `how` keeps rows of the stream alone.
    on
        Columns of both sides that must be equal; None joins on time alone.
    time
        The time column of the left and of the right side: timestamp, timestamp_ntz, date or
        integers, of one kind on both sides.
    lower
        Where the right time may lie from the left one, at the earliest; it must be given, and
        counts itself. For timestamps an interval ("5 minutes", "-90s", "-1 hour -30 seconds":
        each part has its own sign, as in Spark), a datetime.timedelta or one of pandas or numpy;
        whole days for dates; whole numbers, in the columns' own unit, for integers. 0 needs no
        unit. As Spark adds intervals to a timestamp, whole days are calendar days of the
        session's time zone.
    upper
        Likewise at the latest, which counts, too; the left time itself unless given.
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
        sizes. It may also be an operator of the papers: "scalejoin", "pim", "hp" and others
        (`docs/choosing.md` lists them), which joins within each task on threads of its own; rows
        of streams wait for the watermark then. The rows are the same.
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
    left_on, right_on
        Instead of `on`, where the columns that must be equal have other names on the two sides:
        as many of the one as of the other. Both are kept.

    Returns
    -------
    DataFrame
        One row for each pair, in no order unless `ordered`; other join types add or keep rows:
        "left" adds one for each left row that matches nothing, "right" one for each such right
        row, "full" both; "semi" has one for each left row that matches, "anti" one for each that
        does not. Columns: the left side's, then the right side's, each side in its own order,
        with the input's types and nullability. Each `on` column comes once, on the left; in right
        and full joins it is the value of the side that has the row, in the common type of both.
        Columns of a side that has no row in a left, right or full join are NULL, and nullable.
        Semi and anti joins have the left columns alone.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> trades.interval_join(quotes, on="symbol", lower="-5 seconds").orderBy("ts_right").show()
    +-------------------+------+-----+-------------------+----+
    |                 ts|symbol|price|           ts_right| bid|
    +-------------------+------+-----+-------------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:01|10.4|
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|10.7|
    +-------------------+------+-----+-------------------+----+
    >>> trades.interval_join(quotes, on="symbol", lower="-5 seconds", how="anti").show()
    +-------------------+------+-----+
    |                 ts|symbol|price|
    +-------------------+------+-----+
    |2024-05-01 12:00:09|     B| 20.0|
    +-------------------+------+-----+
    """
    kind = schema.join_type(how)
    sides = schema.frames(left, right, kind)
    streams = schema.of_streams(left, right)
    way = schema.way(algorithm, layout, streams)
    order = schema.ordered(ordered, streams, way)
    keys = checked_keys(on, left_on, right_on, sides)
    interval = checked_interval(sides, time, lower, upper, "left.interval_join(right, {})")
    keys.refuse_matrix(way)
    renamed = rename_right(sides, keys, suffix)
    start = F.col(schema.quote(interval.left))
    within = between(start, renamed[interval.right], interval.bounds, interval.data_type)
    conditions = [*keys.conditions(renamed), within]
    joined = _join(left, with_renamed(right, renamed), conditions, kind, way + order)
    return keys.once(joined, left.columns, kind)


def band_join(
    left: DataFrame,
    right: DataFrame,
    bands: Mapping[str, Band],
    *,
    time: Sequence[str] | None = None,
    within: Width | None = None,
    how: JoinType = "inner",
    suffix: str = "_right",
    algorithm: Algorithm = "auto",
    layout: Sequence[int] | None = None,
    ordered: bool = False,
    on: str | Sequence[str] | None = None,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
) -> DataFrame:
    """Pairs whose values differ by at most a width in every band, and times by at most `within`.

    Parameters
    ----------
    left, right
        DataFrames of one session, batch or streaming. Each batch of a stream beside a table is
        joined with the table's rows as they are then; `how` keeps rows of the stream alone.
    bands
        Left column to (right column, width): ``{"x": ("a", 10)}`` is ``abs(x - a) <= 10``,
        evaluated in the columns' own types as Spark does; integers in a type in which nothing
        wraps around where ANSI mode is off, in a batch. Numeric columns take a number, which
        beside decimals is the decimal number that you write, as 0.05 or Decimal("0.05");
        timestamps and dates take an interval. Widths are inclusive and not negative. A band that
        is not the same both ways has two bounds, ``{"x": ("a", (-5, 10))}``: the right value less
        the left one is from -5 to 10.
    time, within
        Both or none: the two time columns (("ts", "ts") when only `within` is given) and the
        largest distance between them, both ways; types and units as in `interval_join`.
    how, suffix, algorithm, layout, ordered, on, left_on, right_on
        As in `interval_join`.

    Returns
    -------
    DataFrame
        As `interval_join`: one row for each pair, the left columns, then the right ones.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> near = trades.band_join(quotes, {"price": ("bid", 0.25)}, within="5 seconds")
    >>> near.orderBy("ts_right").show()
    +-------------------+------+-----+-------------------+------------+----+
    |                 ts|symbol|price|           ts_right|symbol_right| bid|
    +-------------------+------+-----+-------------------+------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:01|           A|10.4|
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|           A|10.7|
    |2024-05-01 12:00:09|     B| 20.0|2024-05-01 12:00:08|           A|19.9|
    +-------------------+------+-----+-------------------+------------+----+
    """
    kind = schema.join_type(how)
    sides = schema.frames(left, right, kind)
    streams = schema.of_streams(left, right)
    way = schema.way(algorithm, layout, streams)
    order = schema.ordered(ordered, streams, way)
    keys = checked_keys(on, left_on, right_on, sides)
    checked = checked_bands(bands, sides)
    if time is not None and within is None:
        raise ScalegateError(
            'time is given without within: say how far, as in within="5 minutes".'
        )
    if within is not None:
        names = _time_columns(time or ("ts", "ts"), sides)
        data_type = sides[0].field(names[0], "time").dataType
        width = not_negative(schema.amount(within, data_type, "within"), within, "within")
    keys.refuse_matrix(way)
    renamed = rename_right(sides, keys, suffix)
    conditions = [*keys.conditions(renamed), *(band.condition(renamed) for band in checked)]
    if within is not None:
        start = F.col(schema.quote(names[0]))
        conditions.append(between(start, renamed[names[1]], (-width, width), data_type))
    joined = _join(left, with_renamed(right, renamed), conditions, kind, way + order)
    return keys.once(joined, left.columns, kind)


@required("within")
def window_join(
    left: DataFrame,
    right: DataFrame,
    on: Column | None = None,
    *,
    time: Sequence[str] = ("ts", "ts"),
    within: Width | Rows,
    how: JoinType = "inner",
    suffix: str = "_right",
    algorithm: Algorithm = "auto",
    layout: Sequence[int] | None = None,
    threads: int | None = None,
    ordered: bool = False,
) -> DataFrame:
    """Pairs for which any condition holds, within a window of time or of rows.

    Parameters
    ----------
    left, right
        DataFrames of one session, batch or streaming. Each batch of a stream beside a table is
        joined with the table's rows as they are then; `how` keeps rows of the stream alone.
    on
        A condition over columns of both sides, as `DataFrame.join` takes it, which may call
        Python functions; None keeps every pair of the window. To join a frame with itself give
        both sides an alias, and name columns by it.
    time
        The time columns, as in `interval_join`.
    within
        The largest distance in time, both ways, with units as in `interval_join`. Or
        `scalegate.rows(n)`: the later row of a pair, in time order, is matched with the last n
        rows of the other side, whatever their keys: `on` says which of these match.
        `scalegate.rows(n, per_key="symbol")` means the last n rows with the later row's own
        symbol. Two streams are in that order when the watermark has passed them. It must be
        given.
    how, suffix, algorithm, layout, ordered
        As in `interval_join`; a window of rows takes "auto", which is "scalejoin", or another
        operator of the papers unless it has `per_key`.
    threads
        Of the one task in which a window of rows is joined; None takes the session's
        `spark.scalegate.cellThreads`, which is an executor's cores unless set. Spark reserves
        `spark.task.cpus` cores for a task, whatever it does with them. A window of time, or of
        each key's rows, is joined in many tasks, each with one thread, and takes None alone.

    Returns
    -------
    DataFrame
        As `interval_join`, without its `on`: one row for each pair, all left columns, then all
        right ones.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> above = trades.price > quotes.bid
    >>> trades.window_join(quotes, above, within="5 seconds").orderBy("ts").show()
    +-------------------+------+-----+-------------------+------------+----+
    |                 ts|symbol|price|           ts_right|symbol_right| bid|
    +-------------------+------+-----+-------------------+------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:01|           A|10.4|
    |2024-05-01 12:00:09|     B| 20.0|2024-05-01 12:00:08|           A|19.9|
    +-------------------+------+-----+-------------------+------------+----+
    >>> trades.window_join(quotes, within=scalegate.rows(1)).orderBy("ts", "ts_right").show()
    +-------------------+------+-----+-------------------+------------+----+
    |                 ts|symbol|price|           ts_right|symbol_right| bid|
    +-------------------+------+-----+-------------------+------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|           A|10.7|
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:08|           A|19.9|
    |2024-05-01 12:00:09|     B| 20.0|2024-05-01 12:00:08|           A|19.9|
    +-------------------+------+-----+-------------------+------------+----+
    """
    kind = schema.join_type(how)
    sides = schema.frames(left, right, kind)
    streams = schema.of_streams(left, right)
    way = schema.way(algorithm, layout, streams)
    order = schema.ordered(ordered, streams, way)
    if on is not None and not isinstance(on, Column):
        raise ScalegateError(
            f"on={on!r} is not a Column: write a condition such as left.x < right.a; for columns "
            'that must be equal use interval_join(on="name").'
        )
    if isinstance(within, Rows) and left.isStreaming != right.isStreaming:
        raise ScalegateError(
            f"within=rows({within.count}): a stream and a table have no order by which the last "
            'rows could be counted. Give a window of time, as in within="5 minutes".'
        )
    if isinstance(within, Rows) and way and (within.keys or not schema.is_operator(algorithm)):
        given = f"algorithm={str(algorithm)!r}" if layout is None else f"layout={layout!r}"
        raise ScalegateError(
            f'{given}: a window of rows works with algorithm="auto", or "scalejoin" and the '
            "other operators of the papers where all rows count."
        )
    if threads is not None and not isinstance(within, Rows):
        raise ScalegateError(
            f"threads={threads!r}: a window of time runs in many tasks, each with one thread. "
            "Only that of a window of rows, which runs in one task, has more, and operators of "
            "the papers: algorithm=scalegate.operator(name, threads=...)."
        )
    if threads is not None and isinstance(algorithm, Operator):
        raise ScalegateError(
            f"threads={threads!r}: say it of the operator alone, which is {str(algorithm)!r}."
        )
    if threads is not None and isinstance(within, Rows) and within.keys:
        raise ScalegateError(
            f"threads={threads!r}: a window of each key's rows runs in many tasks, each with one "
            "thread. Leave out threads=, or per_key= of rows(...)."
        )
    names = _time_columns(time, sides)
    keys = checked_pairs(within.keys, "per_key", sides) if isinstance(within, Rows) else ()
    renamed = rename_right(sides, Keys(), suffix)
    times = hidden_columns(names, "time", sides)
    by = [hidden_columns(pair, f"key{i}", sides) for i, pair in enumerate(keys)]
    data_type = sides[0].field(names[0], "time").dataType
    if isinstance(within, Rows):
        window = _last_rows(times, within, threads, by)
    else:
        window = _distance(times, within, data_type)
    # The condition names the user's own columns: nothing may be renamed before the join.
    shown = [dict(zip(side, given)) for side, given in zip(zip(times, *by), zip(names, *keys))]
    hidden = [with_hidden(frame.df, columns) for frame, columns in zip(sides, shown)]
    conditions = [window] if on is None else [on, window]
    joined = _join(hidden[0], hidden[1], conditions, kind, way + order)
    joined = joined.drop(*shown[0], *shown[1])
    unique = all(old == new for old, new in renamed.items())
    if unique or kind in LEFT_ONLY:
        return joined
    return with_names(joined, [*left.columns, *renamed.values()])


@dataclass(frozen=True)
class Interval:
    """A left and a right time column, and where the right time may lie from the left one.

    `bounds` are microseconds for timestamps, days for dates, whole numbers for integers.
    """

    left: str
    right: str
    bounds: tuple[int, int]
    data_type: T.DataType


def checked_interval(
    sides: tuple[Frame, Frame], time: Sequence[str], lower: Width | None, upper: Width, call: str
) -> Interval:
    """The interval that the arguments give; `call` is one of the method, for its arguments."""
    names = _time_columns(time, sides)
    data_type = sides[0].field(names[0], "time").dataType
    schema.refuse_missing(lower, data_type, "lower", call.format("lower={}"))
    assert lower is not None
    bounds = schema.amount(lower, data_type, "lower"), schema.amount(upper, data_type, "upper")
    if bounds[0] > bounds[1]:
        raise ScalegateError(
            f"the interval is inverted: lower={lower!r} is above upper={upper!r}."
        )
    return Interval(*names, bounds, data_type)


def _time_columns(time: Sequence[str], sides: tuple[Frame, Frame]) -> tuple[str, str]:
    names = schema.pair_of_names(time, "time")
    fields = sides[0].field(names[0], "time"), sides[1].field(names[1], "time")
    schema.check_time(*fields)
    return fields[0].name, fields[1].name


def rename_right(sides: tuple[Frame, Frame], keys: Keys, suffix: str) -> dict[str, str]:
    """The output name of each right column; keys that come once have hidden names until then."""
    left, right = sides
    suffix = schema.suffix(suffix)
    for frame in sides:
        for name in frame.df.columns:
            frame.field(name, "columns")
    taken = {left.fold(name) for name in left.df.columns}
    renamed = {name: name + suffix * (left.fold(name) in taken) for name in right.df.columns}
    kept = [left.fold(new) for old, new in renamed.items() if old not in keys.hidden]
    clashes = [name for name in kept if name in taken or kept.count(name) > 1]
    if clashes:
        raise ScalegateError(
            f"the output would have two columns called {clashes[0]!r}: choose another suffix "
            f"than {suffix!r}, or rename one first."
        )
    return {**renamed, **keys.hidden}


def with_renamed(right: DataFrame, renamed: Mapping[str, str]) -> DataFrame:
    """The right side with the names that it has in the output."""
    return right.withColumnsRenamed({old: new for old, new in renamed.items() if old != new})


def with_names(df: DataFrame, names: Sequence[str]) -> DataFrame:
    """The frame with its columns called so; those of this name already stay the same columns."""
    return df.hint(NAMES_HINT, *names)


def hidden_columns(names: Sequence[str], what: str, sides: Sequence[Frame]) -> list[str]:
    """What copies of a column of each side are called, for the window's condition."""
    return [
        hidden_name(name, frame.side, STREAMED.format(frame.side, what), sides)
        for name, frame in zip(names, sides)
    ]


def with_hidden(df: DataFrame, columns: Mapping[str, str]) -> DataFrame:
    """The frame with copies of columns, by the copies' names."""
    # Over Spark Connect `withColumns` would take the watermark off what it copies.
    copies = (F.col(schema.quote(old)).alias(new) for new, old in columns.items())
    return df.select("*", *copies)


def _last_rows(
    times: Sequence[str],
    within: Rows,
    threads: int | None,
    keys: Sequence[Sequence[str]],
) -> Column:
    count = within.count
    rows = F.array(*map(F.lit, count)) if isinstance(count, tuple) else F.lit(count)
    columns = [[F.col(schema.quote(name)) for name in pair] for pair in [times, *keys]]
    more = [column for pair in columns[1:] for column in pair]
    if threads is not None:
        more.append(F.lit(schema.threads(threads)))
    return F.call_function("within_rows", *columns[0], rows, *more)


def _distance(times: Sequence[str], within: Width, data_type: T.DataType) -> Column:
    schema.refuse_missing(within, data_type, "within", ROWS_OR_TIME)
    width = not_negative(schema.amount(within, data_type, "within"), within, "within")
    return between(F.col(schema.quote(times[0])), times[1], (-width, width), data_type)


def _join(
    left: DataFrame,
    right: DataFrame,
    conditions: Sequence[Column],
    how: str,
    way: tuple[str, ...],
) -> DataFrame:
    return left.hint(HINT, *way).join(right, reduce(and_, conditions), how)
