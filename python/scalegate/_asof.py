"""Joins with the nearest rows: arguments are checked, then said to Spark as `asof` or `nearest`.

Output columns, NULL and NaN are as in `scalegate._joins`.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from scalegate import _schema as schema
from scalegate import _widths
from scalegate._bands import not_negative
from scalegate._errors import ScalegateError
from scalegate._joins import (
    LEFT_ONLY,
    hidden_columns,
    rename_right,
    with_hidden,
    with_names,
    with_renamed,
)
from scalegate._keys import Keys, checked_keys
from scalegate._required import required
from scalegate._schema import Frame
from scalegate._widths import Width

Direction: TypeAlias = Literal["backward", "forward", "nearest"]
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward", "nearest")
AsOfType: TypeAlias = Literal["left", "inner", "semi", "anti"]
JOIN_TYPES: tuple[AsOfType, ...] = ("left", "inner", "semi", "anti")
MOST_ROWS = 100_000


def asof_join(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    *,
    time: Sequence[str] = ("ts", "ts"),
    direction: Direction = "backward",
    tolerance: Width | None = None,
    allow_exact: bool = True,
    how: AsOfType = "left",
    ties: str | Sequence[str] | None = None,
    condition: Column | None = None,
    suffix: str = "_right",
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
) -> DataFrame:
    """Each left row with the right row that is nearest to it in time, as pandas' `merge_asof`.

    Neither side has to be sorted.

    Parameters
    ----------
    left, right
        DataFrames of one session. Two streams, each with a watermark on its time column: a left
        row is given once, when the watermark says that no nearer right row can come. Or a stream
        on the left and a table on the right: each row of the stream is joined with the table as
        it is read in the row's batch.
    on
        Columns of both sides that must be equal; None joins on time alone.
    time
        The time column of the left and of the right side: timestamps, timestamps without a zone
        or dates, of one kind on both sides, or any two numbers (decimals of up to 18 digits).
    direction
        "backward" takes the last right row at or before the left one's time, "forward" the first
        at or after it, "nearest" the nearer of the two, and of two as near the earlier one.
    tolerance
        No right row farther away matches; it counts itself. As the widths of `interval_join`: an
        interval or timedelta for timestamps, whole days for dates, a number for numbers. None
        for any distance; of two streams only with "backward", and without a condition on both.
    allow_exact
        False if a right row of the left one's own time does not match.
    how
        "left" keeps left rows that match nothing, with NULLs in the right columns, "inner" does
        not; "semi" gives the left rows that match, "anti" those that do not.
    ties
        Columns of the right side that order its rows of equal keys and times: "backward" takes
        the last of them, "forward" the first, with NULL before every value. Rows that are equal
        in these, too, are ordered by their other columns that the query uses, so that the same
        query gives the same rows however the data arrived.
    condition
        What a right row must satisfy, beside its left row, to be taken at all: the nearest of
        those is. Over columns of both frames, as `DataFrame.join` takes it. To look at the row
        that was taken, filter the result. It may call Python functions, in a batch: they are
        called for every right row in reach, so give a tolerance, too.
    suffix, left_on, right_on
        As in `interval_join`.

    Returns
    -------
    DataFrame
        At most one row for each left row, in no order; a left join has one for each. Columns: the
        left side's, then the right side's, with the input's types and nullability; in a left join
        the right ones are nullable. `on` columns come once. Semi and anti joins have the left
        columns alone.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> trades.asof_join(quotes, on="symbol").orderBy("ts").show()
    +-------------------+------+-----+-------------------+----+
    |                 ts|symbol|price|           ts_right| bid|
    +-------------------+------+-----+-------------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|10.7|
    |2024-05-01 12:00:09|     B| 20.0|               NULL|NULL|
    +-------------------+------+-----+-------------------+----+
    >>> below = trades.price > quotes.bid
    >>> trades.asof_join(quotes, on="symbol", how="inner", condition=below).show()
    +-------------------+------+-----+-------------------+----+
    |                 ts|symbol|price|           ts_right| bid|
    +-------------------+------+-----+-------------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:01|10.4|
    +-------------------+------+-----+-------------------+----+
    """
    sides = schema.frames(left, right)
    keys = checked_keys(on, left_on, right_on, sides)
    nearest = _Nearest(sides, time, direction, tolerance, allow_exact, ties, None)
    return _joined(sides, keys, nearest, how, condition, suffix)


@required("k")
def nearest_join(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    *,
    k: int,
    time: Sequence[str] = ("ts", "ts"),
    direction: Direction = "nearest",
    tolerance: Width | None = None,
    allow_exact: bool = True,
    how: AsOfType = "left",
    ties: str | Sequence[str] | None = None,
    condition: Column | None = None,
    suffix: str = "_right",
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
) -> DataFrame:
    """Each left row with the k right rows that are nearest to it, in time or in any number.

    Parameters
    ----------
    left, right
        DataFrames of one session, as in `asof_join`.
    k
        The most right rows for each left one, from 1 to 100000; it must be given.
    on, time, direction, tolerance, allow_exact, how, ties, condition, suffix, left_on, right_on
        As in `asof_join`, whose "backward" is here the last k rows at or before the left one's
        time, and "forward" the first k at or after it.

    Returns
    -------
    DataFrame
        Up to k rows for each left row, in no order; columns as `asof_join`. A left join has one
        row for each left row that matches nothing.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> trades.nearest_join(quotes, k=2, on="symbol", how="inner").orderBy("ts_right").show()
    +-------------------+------+-----+-------------------+----+
    |                 ts|symbol|price|           ts_right| bid|
    +-------------------+------+-----+-------------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:01|10.4|
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|10.7|
    +-------------------+------+-----+-------------------+----+
    """
    sides = schema.frames(left, right)
    keys = checked_keys(on, left_on, right_on, sides)
    count = _widths.whole_number(k)
    if count is None or not 1 <= count <= MOST_ROWS:
        raise ScalegateError(f"k={k!r}: give a whole number of rows from 1 to {MOST_ROWS}.")
    nearest = _Nearest(sides, time, direction, tolerance, allow_exact, ties, count)
    return _joined(sides, keys, nearest, how, condition, suffix)


class _Nearest:
    """The checked arguments of the function that stands in the join's condition."""

    def __init__(
        self,
        sides: tuple[Frame, Frame],
        time: Sequence[str],
        direction: str,
        tolerance: Width | None,
        allow_exact: bool,
        ties: str | Sequence[str] | None,
        count: int | None,
    ) -> None:
        names = schema.pair_of_names(time, "time")
        left, right = (frame.field(name, "time") for frame, name in zip(sides, names))
        schema.check_nearest_time(left, right)
        if direction not in DIRECTIONS:
            raise ScalegateError(
                f"direction={direction!r}: choose one of {', '.join(map(repr, DIRECTIONS))}."
            )
        if not isinstance(allow_exact, bool):
            raise ScalegateError(f"allow_exact={allow_exact!r}: say True or False.")
        if sides[1].df.isStreaming and direction != "backward" and tolerance is None:
            raise ScalegateError(
                f"direction={direction!r} of two streams needs a tolerance, as in "
                'tolerance="5 seconds": a left row would wait for a right one that may never '
                "come."
            )
        self.times = left.name, right.name
        self.ties = [sides[1].field(name, "ties").name for name in _list_of(ties, "ties")]
        self.count = count
        self.direction = F.lit(direction)
        self.exact = F.lit(allow_exact)
        self.reach = F.lit(None)
        if tolerance is not None:
            self.reach = _reach(tolerance, left.dataType, right.dataType)

    def marker(self, left: str, right: str, ties: Sequence[str]) -> Column:
        """The function, of columns of these names."""
        times = [F.col(schema.quote(left)), F.col(schema.quote(right))]
        more = [F.col(schema.quote(name)) for name in ties]
        if self.count is None:
            options = [self.direction, self.reach]
            return F.call_function("asof", *times, *options, self.exact, *more)
        options = [F.lit(self.count), self.reach, self.direction]
        return F.call_function("nearest", *times, *options, self.exact, *more)


def _joined(
    sides: tuple[Frame, Frame],
    keys: Keys,
    nearest: _Nearest,
    how: str,
    condition: Column | None,
    suffix: str,
) -> DataFrame:
    kind = schema.join_type(how)
    if kind not in JOIN_TYPES:
        raise ScalegateError(
            f"how={how!r}: a join with the nearest rows gives rows for those of its left side; "
            f"choose one of {', '.join(map(repr, JOIN_TYPES))}. Swap the sides of a right join."
        )
    renamed = rename_right(sides, keys, suffix)
    left, right = sides[0].df, sides[1].df
    if condition is None:
        ties = [renamed[name] for name in nearest.ties]
        marker = nearest.marker(nearest.times[0], renamed[nearest.times[1]], ties)
        conditions = [*keys.conditions(renamed), marker]
        joined = left.join(with_renamed(right, renamed), reduce(and_, conditions), kind)
        return keys.once(joined, left.columns, kind)
    if not isinstance(condition, Column):
        raise ScalegateError(
            f"condition={condition!r} is not a Column: write one such as left.x < right.a; for "
            'columns that must be equal give on="name".'
        )
    # The condition names the user's own columns: nothing may be renamed before the join.
    pairs = [("time", nearest.times), *((f"key{i}", pair) for i, pair in enumerate(keys.pairs))]
    hidden = [hidden_columns(pair, what, sides) for what, pair in pairs]
    ties = [hidden_columns((n, n), f"tie{i}", sides)[1] for i, n in enumerate(nearest.ties)]
    shown = [{new[s]: old[s] for new, (_, old) in zip(hidden, pairs)} for s in (0, 1)]
    shown[1].update(zip(ties, nearest.ties))
    (time, right_time), *by = hidden
    same = [F.col(schema.quote(a)) == F.col(schema.quote(b)) for a, b in by]
    conditions = [*same, nearest.marker(time, right_time, ties), condition]
    frames = [with_hidden(frame.df, columns) for frame, columns in zip(sides, shown)]
    joined = frames[0].join(frames[1], reduce(and_, conditions), kind)
    joined = joined.drop(*shown[0], *shown[1])
    if kind in LEFT_ONLY:
        return joined
    named = with_names(joined, [*left.columns, *renamed.values()])
    return keys.once(named, left.columns, kind)


def _reach(tolerance: Width, left: T.DataType, right: T.DataType) -> Column:
    if schema.time_kind(left) in (None, "integer"):
        # Numbers: in the type of the columns, of which one may be fractional.
        value = _widths.number(tolerance, "tolerance")
        if any(isinstance(t, T.DecimalType) for t in (left, right)):
            value = _widths.exact(value)
        not_negative(value, tolerance, "tolerance")
        whole = all(isinstance(t, schema.INTEGERS) for t in (left, right))
        if whole and value != int(value):
            raise ScalegateError(
                f"tolerance={tolerance!r}: the columns are integers; give a whole one."
            )
        return F.lit(int(value) if whole else value)
    amount = schema.amount(tolerance, left, "tolerance")
    return schema.literal(not_negative(amount, tolerance, "tolerance"), left)


def _list_of(names: str | Sequence[str] | None, argument: str) -> list[str]:
    if names is not None and not isinstance(names, str | Sequence):
        raise ScalegateError(
            f"{argument}={names!r}: give a column name of the right side, or a list of them."
        )
    return [names] if isinstance(names, str) else list(names or ())
