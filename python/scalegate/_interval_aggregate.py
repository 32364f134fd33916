"""Aggregates over the rows around each row: to Spark a lateral subquery of the right side.

With the package's jar in the session a window slides over the right rows, and no pair is made. Of
two streams Spark would refuse the subquery.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from scalegate import _schema as schema
from scalegate._aggregates import ByTime, checked_aggregates
from scalegate._bands import between
from scalegate._errors import ScalegateError
from scalegate._joins import Interval, checked_interval
from scalegate._keys import checked_keys
from scalegate._required import required
from scalegate._widths import Width

OUTER = "__scalegate_outer"
COUNT = "__scalegate_count"
ROWS_HINT = "SCALEGATE_LATERAL_ROWS"
EXAMPLE = 'give each interval a name and both ends, as in {"after_1s": (0, "1 second")}.'
CALL = 'left.interval_aggregate(right, lower="-5 seconds", aggs=[F.max("x"), F.count("*")])'


@required("aggs")
def interval_aggregate(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    *,
    time: Sequence[str] = ("ts", "ts"),
    lower: Width | None = None,
    upper: Width = 0,
    intervals: Mapping[str, tuple[Width, Width]] | None = None,
    aggs: Sequence[Column | ByTime],
    prevailing: bool = False,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
) -> DataFrame:
    """Each left row with aggregates of the right rows around it: kdb+'s window join.

    Neither side has to be sorted. What a row costs does not depend on how many right rows its
    interval holds.

    Parameters
    ----------
    left, right
        DataFrames of one session. Two streams, each with a watermark on its time column: a left
        row is given once, when the watermark has passed the end of its interval. Or a stream on
        the left and a batch DataFrame on the right.
    on
        Columns of both sides that must be equal; None aggregates by time alone.
    time, lower, upper
        The time columns, and where the right time may lie from the left one, both ends included,
        as in `interval_join`. Bounds of whole days are calendar days, which are as long as the
        session's time zone has them: such an interval is left to Spark, which joins and groups,
        and refused of streams.
    intervals
        Instead of `lower` and `upper` several intervals by names of yours, as in
        `{"1s": (0, "1 second"), "1m": (0, "1 minute")}`: one operator gives all of them in one
        pass, and of streams all in one row, when the watermark has passed the last end. Without
        keys, or with a hot one, that takes an interval that the others lie in; else each interval
        is an operator of its own, over the same exchanged right side.
    aggs
        Aggregates over columns of the right side, each under the name that `alias` gives it:
        functions of Spark, and `scalegate.first` and `scalegate.last` by the right side's time.
        DISTINCT ones, and functions in Python, are left to Spark, and refused of streams.
    prevailing
        True if the last right row before the interval counts, too, where none stands at its
        beginning: what was true when the interval began. Of rows of one time the last is that
        whose columns, as far as the query uses them, are the greatest.
    left_on, right_on
        As in `interval_join`.

    Returns
    -------
    DataFrame
        One row for each left row, in no order: the left columns, with the input's types and
        nullability, then one for each aggregate, of Spark's type; with `intervals` a struct of
        these for each interval, under its name. Over no rows a count is 0 and
        most others are NULL, as without GROUP BY in SQL; so are those of a left row whose time or
        key is NULL.

    Raises
    ------
    ScalegateError
        When an argument does not fit the schemas, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> around = trades.interval_aggregate(
    ...     quotes, on="symbol", lower="-5 seconds",
    ...     aggs=[F.max("bid").alias("high"), F.count("*").alias("n")]
    ... )
    >>> around.orderBy("ts").show()
    +-------------------+------+-----+----+---+
    |                 ts|symbol|price|high|  n|
    +-------------------+------+-----+----+---+
    |2024-05-01 12:00:03|     A| 10.5|10.7|  2|
    |2024-05-01 12:00:09|     B| 20.0|NULL|  0|
    +-------------------+------+-----+----+---+
    """
    sides = schema.frames(left, right)
    keys = checked_keys(on, left_on, right_on, sides)
    asked = _asked(lower, upper, intervals)
    checked = {
        name: checked_interval(sides, time, *ends, "left.interval_aggregate(right, {})")
        for name, ends in asked.items()
    }
    names = next(iter(checked.values()))
    functions = checked_aggregates(aggs, names.right, CALL)
    if not isinstance(prevailing, bool):
        raise ScalegateError(f"prevailing={prevailing!r}: say True or False.")
    # Inside the subquery a name means a column of the right side, if that has one.
    outer = {
        name: f"{OUTER}{number}"
        for number, name in enumerate(
            dict.fromkeys([names.left, *(ours for ours, _ in keys.pairs)])
        )
    }
    start = F.col(outer[names.left]).outer()
    same = [
        F.col(schema.quote(theirs)) == F.col(outer[ours]).outer() for ours, theirs in keys.pairs
    ]
    found = left.withColumns({own: F.col(schema.quote(name)) for name, own in outer.items()})
    for name, interval in checked.items():
        within = _within(start, interval, prevailing)
        results = functions if intervals is None else [F.struct(*functions).alias(name)]
        # A subquery of no aggregates would give pairs: Spark refuses it beside the count.
        counted = (
            right.hint(ROWS_HINT)
            .where(reduce(and_, [*same, within]))
            .select(*results, F.count("*").alias(COUNT))
        )
        found = found.lateralJoin(counted).drop(COUNT)
    found = found.drop(*outer.values())
    _refuse_clashes(sides[0], found.columns)
    return found


def _refuse_clashes(left: schema.Frame, names: Sequence[str]) -> None:
    """`names` are the left side's columns and what stands behind them."""
    folded = [left.fold(name) for name in names]
    for name in names[len(left.df.columns) :]:
        if folded.count(left.fold(name)) > 1:
            raise ScalegateError(
                f"the output would have two columns called {name!r}: give the aggregate another "
                'name, as in F.max("bid").alias("high"), or the interval, or rename the left one.'
            )


def _asked(
    lower: Width | None,
    upper: Width,
    intervals: Mapping[str, tuple[Width, Width]] | None,
) -> Mapping[str, tuple[Width | None, Width]]:
    """The intervals by their names; one without a name where `lower` and `upper` are given."""
    if intervals is None:
        return {"": (lower, upper)}
    if lower is not None or upper != 0:
        raise ScalegateError("give either intervals, or lower and upper.")
    if not isinstance(intervals, Mapping) or not intervals:
        raise ScalegateError(f"intervals={intervals!r}: {EXAMPLE}")
    for name, ends in intervals.items():
        if not isinstance(name, str) or not isinstance(ends, tuple | list) or len(ends) != 2:
            raise ScalegateError(f"intervals has {name!r}: {ends!r}. {EXAMPLE}")
    return intervals


def _within(start: Column, interval: Interval, prevailing: bool) -> Column:
    if not prevailing:
        return between(start, interval.right, interval.bounds, interval.data_type)
    bounds = (schema.literal(bound, interval.data_type) for bound in interval.bounds)
    return F.call_function("prevailing", start, F.col(schema.quote(interval.right)), *bounds)
