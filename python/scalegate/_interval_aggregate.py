"""Aggregates over the rows around each row: to Spark a lateral subquery of the right side.

With the package's jar in the session a window slides over the right rows, and no pair is made.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from scalegate import _schema as schema
from scalegate._aggregates import ByTime, checked_aggregates
from scalegate._bands import between
from scalegate._errors import ScalegateError
from scalegate._joins import checked_interval
from scalegate._keys import checked_keys
from scalegate._required import required
from scalegate._widths import Width

OUTER = "__scalegate_outer"
COUNT = "__scalegate_count"
CALL = 'left.interval_aggregate(right, lower="-5 seconds", aggs=[F.max("x"), F.count("*")])'


@required("lower", "aggs")
def interval_aggregate(
    left: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None = None,
    *,
    time: Sequence[str] = ("ts", "ts"),
    lower: Width,
    upper: Width = 0,
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
        Batch DataFrames of one session.
    on
        Columns of both sides that must be equal; None aggregates by time alone.
    time, lower, upper
        The time columns, and where the right time may lie from the left one, both ends included,
        as in `interval_join`. Bounds of whole days are calendar days, which are as long as the
        session's time zone has them: such an interval is left to Spark, which joins and groups.
    aggs
        Aggregates over columns of the right side, each under the name that `alias` gives it:
        functions of Spark, and `scalegate.first` and `scalegate.last` by the right side's time.
        DISTINCT ones, and functions in Python, are left to Spark.
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
        nullability, then one for each aggregate, of Spark's type. Over no rows a count is 0 and
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
    if left.isStreaming:
        raise ScalegateError(
            "interval_aggregate takes batch DataFrames: of two streams write the pairs with "
            "interval_join, and aggregate these."
        )
    keys = checked_keys(on, left_on, right_on, sides)
    interval = checked_interval(sides, time, lower, upper, "left.interval_aggregate(right, {})")
    functions = checked_aggregates(aggs, interval.right, CALL)
    if not isinstance(prevailing, bool):
        raise ScalegateError(f"prevailing={prevailing!r}: say True or False.")
    # Inside the subquery a name means a column of the right side, if that has one.
    outer = {
        name: f"{OUTER}{number}"
        for number, name in enumerate({interval.left, *(ours for ours, _ in keys.pairs)})
    }
    start = F.col(outer[interval.left]).outer()
    if prevailing:
        bounds = (schema.literal(bound, interval.data_type) for bound in interval.bounds)
        within = F.call_function(
            "prevailing", start, F.col(schema.quote(interval.right)), *bounds
        )
    else:
        within = between(start, interval.right, interval.bounds, interval.data_type)
    same = [
        F.col(schema.quote(theirs)) == F.col(outer[ours]).outer() for ours, theirs in keys.pairs
    ]
    # A subquery of no aggregates would give pairs: Spark refuses it beside the count.
    counted = right.where(reduce(and_, [*same, within])).select(
        *functions, F.count("*").alias(COUNT)
    )
    named = {own: F.col(schema.quote(name)) for name, own in outer.items()}
    return left.withColumns(named).lateralJoin(counted).drop(*named, COUNT)
