"""Aggregates over sliding windows of one or several inputs, and functions that go by time.

The windows are those of `pyspark.sql.functions.window`, half-open: [start, start + size). With
the package's jar in the session they are computed on panes, one update for each row, however many
windows hold it; the rows are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from scalegate import _schema as schema
from scalegate import _session, _widths
from scalegate._errors import ScalegateError
from scalegate._operators import DESIGNS, DesignName, Operator, operator
from scalegate._required import required
from scalegate._widths import Duration

DESIGN_HINT = "WINDOW_DESIGN"
EMIT_HINT = "WINDOW_EMIT"
EMISSIONS = ("final", "update")
TIMES = (T.TimestampType, T.TimestampNTZType)
# In the metadata of a column of event times.
WATERMARK = "spark.watermarkDelayMs"
# Spark's analyzer makes an expression for each window that holds a row, at about a millisecond.
MOST_WINDOWS = 100_000
ColumnOrName: TypeAlias = Column | str
CALL = (
    'window_aggregate(inputs, "30 seconds", "3 seconds", aggs=[F.count("*"), '
    'scalegate.first("x")])'
)


@dataclass(frozen=True)
class ByTime:
    """The first or the last value of a window by event time; `window_aggregate` knows the time.

    `scalegate.first` and `scalegate.last` make it.
    """

    value: ColumnOrName
    latest: bool
    name: str | None = None

    def alias(self, name: str) -> "ByTime":
        """The same aggregate under another name.

        Parameters
        ----------
        name
            Of the column.

        Returns
        -------
        ByTime
            For the `aggs` of `window_aggregate`, whose column has this name.

        Examples
        --------
        >>> scalegate.first("kwh").alias("opening").name
        'opening'
        """
        return replace(self, name=name)

    def column(self, time: ColumnOrName) -> Column:
        """The aggregate by a time of the caller's, for `agg` of Spark.

        Parameters
        ----------
        time
            A column of any type that has an order.

        Returns
        -------
        Column
            `first_by_time` or `last_by_time` of the value: of its type, nullable; one value for
            each group.

        Raises
        ------
        ScalegateError
            When the active session is without the package.

        Examples
        --------
        >>> readings.agg(scalegate.last("kwh").column("ts")).show()
        +---------+
        |last(kwh)|
        +---------+
        |      0.9|
        +---------+
        """
        made = (last_by_time if self.latest else first_by_time)(self.value, time)
        shown = self.value if isinstance(self.value, str) else "value"
        return made.alias(self.name or f"{'last' if self.latest else 'first'}({shown})")


def first(value: ColumnOrName) -> ByTime:
    """For `window_aggregate`: the value of the window's earliest row, as `first_by_time`.

    Parameters
    ----------
    value
        A column of any type that has an order.

    Returns
    -------
    ByTime
        For `aggs`. Its column is called "first(value)", unless `alias` names it; it is of the
        value's type and nullable, with one value for each window and key.

    Examples
    --------
    >>> readings.window_aggregate(
    ...     "1 minute", aggs=[scalegate.first("kwh")], keys="meter"
    ... ).orderBy("meter").show(truncate=False)
    +------------------------------------------+-----+----------+
    |window                                    |meter|first(kwh)|
    +------------------------------------------+-----+----------+
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m1   |0.2       |
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m2   |0.9       |
    +------------------------------------------+-----+----------+
    """
    return ByTime(value, latest=False)


def last(value: ColumnOrName) -> ByTime:
    """For `window_aggregate`: the value of the window's latest row, as `last_by_time`.

    Parameters
    ----------
    value
        A column of any type that has an order.

    Returns
    -------
    ByTime
        As that of `first`; its column is called "last(value)".

    Examples
    --------
    >>> readings.window_aggregate(
    ...     "1 minute", aggs=[scalegate.last("kwh").alias("closing")], keys="meter"
    ... ).orderBy("meter").show(truncate=False)
    +------------------------------------------+-----+-------+
    |window                                    |meter|closing|
    +------------------------------------------+-----+-------+
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m1   |0.3    |
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m2   |0.9    |
    +------------------------------------------+-----+-------+
    """
    return ByTime(value, latest=True)


def first_by_time(value: ColumnOrName, time: ColumnOrName) -> Column:
    """An aggregate: the value of the row with the earliest time, however the rows arrive.

    Of several values at that time the smallest, NULL before all others. Rows whose time is NULL
    do not count; of no rows the result is NULL. In SQL `first_by_time(value, time)`.

    Parameters
    ----------
    value
        Of any type that has an order.
    time
        Likewise; a timestamp, as a rule.

    Returns
    -------
    Column
        An aggregate of the value's type, nullable: one value for each group.

    Raises
    ------
    ScalegateError
        When the active session is without the package.

    Examples
    --------
    >>> readings.groupBy("meter").agg(
    ...     scalegate.first_by_time("kwh", "ts").alias("opening")
    ... ).orderBy("meter").show()
    +-----+-------+
    |meter|opening|
    +-----+-------+
    |   m1|    0.2|
    |   m2|    0.9|
    +-----+-------+
    """
    return _by_time("first_by_time", value, time)


def last_by_time(value: ColumnOrName, time: ColumnOrName) -> Column:
    """An aggregate: the value of the row with the latest time; of several values the greatest.

    Parameters
    ----------
    value, time
        As in `first_by_time`, of which all else holds, too.

    Returns
    -------
    Column
        An aggregate of the value's type, nullable: one value for each group.

    Raises
    ------
    ScalegateError
        When the active session is without the package.

    Examples
    --------
    >>> readings.groupBy("meter").agg(
    ...     scalegate.last_by_time("kwh", "ts").alias("closing")
    ... ).orderBy("meter").show()
    +-----+-------+
    |meter|closing|
    +-----+-------+
    |   m1|    0.3|
    |   m2|    0.9|
    +-----+-------+
    """
    return _by_time("last_by_time", value, time)


def _by_time(name: str, value: ColumnOrName, time: ColumnOrName) -> Column:
    session = SparkSession.getActiveSession()
    if session is not None:
        _session.require(session)
    return F.call_function(name, _column(value), _column(time))


@required("aggs")
def window_aggregate(
    inputs: DataFrame | Sequence[DataFrame],
    size: Duration,
    slide: Duration | None = None,
    *,
    aggs: Sequence[Column | ByTime],
    time: str = "ts",
    keys: str | Sequence[str] = (),
    start: Duration = "0 seconds",
    design: DesignName | Operator | None = None,
    emit: Literal["final", "update"] | None = None,
) -> DataFrame:
    """One row for each sliding window, and each value of the keys, that has rows in it.

    Parameters
    ----------
    inputs
        One DataFrame or several of one session with the same columns, in any order: all batch,
        or all streaming. Of streams each has its own `withWatermark`, or none has, and a window
        is closed when the watermarks of all of them have passed it.
    size, slide
        Intervals ("30 seconds", "30s") or datetime.timedelta, above zero; `slide` at most `size`,
        which is at most 100,000 times as long. None slides by `size`: windows do not overlap.
    aggs
        Must be given: aggregates of Spark, and `scalegate.first(column)` and
        `scalegate.last(column)`, which go by `time`; at least one.
    time
        The column of the event time, timestamp or timestamp_ntz; a row without one is in no
        window.
    keys
        The columns to group by beside the window; NULL is a key.
    start
        What the windows' starts are shifted by from 1970-01-01 00:00:00 UTC, less than `slide`
        either way.
    design
        None for panes, which are faster, or a design of the paper on T-Gate and W-Hive: "mq",
        "mqlf", "tumlsc", "tumlmc" or "wiml", or one with options, which `scalegate.operator`
        makes. In each task it has as many sorted inputs as `inputs` has frames, unless its
        options say otherwise, and the task's rows are dealt to them in the order of time. It
        takes windows that overlap, and functions whose partial results are of fixed size, as
        those of counts, sums, averages and least or greatest numbers are. Over streams its tuples
        are panes, in output mode append or with `emit="final"`, which it then stands for; under
        trigger(realTime=...) each task that reads a source is an input. The rows are the same.
    emit
        Of streams under trigger(realTime=...): "final" gives a window once, when every source has
        passed its end by the watermark's delay, in the order of their ends; "update" gives it
        whenever rows of it have come. It takes functions other than those of DISTINCT values.
        None goes by spark.scalegate.realTime.windows, which leaves these aggregates to Spark
        unless it is set. Under other triggers the output mode says it.

    Returns
    -------
    DataFrame
        One row for each window, and each value of the keys, that has rows in it. Columns:
        `window`, a struct of `start` and `end` of the type of `time`, never NULL, though Spark's
        schema calls it nullable where windows overlap; the keys, with the inputs' types and
        nullability; then the aggregates, under their own names, of the types and nullability that
        Spark gives them.

    Raises
    ------
    ScalegateError
        When an argument does not fit the inputs, or the session is without the package; no job
        has run then.

    Examples
    --------
    >>> scalegate.window_aggregate(
    ...     [readings, readings.where("kwh > 0.2")], "60 seconds", "30 seconds",
    ...     aggs=[F.count("*"), scalegate.first("kwh")], keys="meter"
    ... ).orderBy("window", "meter").show(truncate=False)
    +------------------------------------------+-----+--------+----------+
    |window                                    |meter|count(1)|first(kwh)|
    +------------------------------------------+-----+--------+----------+
    |{2024-05-01 11:59:30, 2024-05-01 12:00:30}|m1   |1       |0.2       |
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m1   |3       |0.2       |
    |{2024-05-01 12:00:00, 2024-05-01 12:01:00}|m2   |2       |0.9       |
    |{2024-05-01 12:00:30, 2024-05-01 12:01:30}|m1   |2       |0.3       |
    |{2024-05-01 12:00:30, 2024-05-01 12:01:30}|m2   |2       |0.9       |
    +------------------------------------------+-----+--------+----------+
    """
    frames = _frames(inputs)
    frame = reduce(DataFrame.unionByName, frames)
    side = schema.frame(frame, "input")
    field = side.field(time, "time")
    _check_watermarks(frames, field.name)
    if not isinstance(field.dataType, TIMES):
        raise ScalegateError(
            f"time column {time!r} is of type {field.dataType.simpleString()}; windows are of "
            "timestamp or timestamp_ntz."
        )
    names = [side.field(key, "keys").name for key in ([keys] if isinstance(keys, str) else keys)]
    over = _window(field.name, size, slide, start)
    if design is not None:
        frame = frame.hint(DESIGN_HINT, _design(design, len(frames)))
    if emit is not None:
        frame = frame.hint(EMIT_HINT, _emission(emit, frames))
    return frame.groupBy(over, *(F.col(schema.quote(n)) for n in names)).agg(
        *checked_aggregates(aggs, field.name, CALL)
    )


def _design(asked: DesignName | Operator, inputs: int) -> str:
    """What the hint says of a design."""
    if (asked.name if isinstance(asked, Operator) else asked) not in DESIGNS:
        raise ScalegateError(
            f"design={str(asked)!r}: choose one of {', '.join(DESIGNS)}, or "
            "scalegate.operator(...) for one of them with options."
        )
    named = asked if isinstance(asked, Operator) else operator(asked)
    told = named.options
    if "inputs" not in dict(told):
        told = (*told, ("inputs", str(inputs)))
    return str(replace(named, options=told))


def _emission(asked: str, frames: Sequence[DataFrame]) -> str:
    if asked not in EMISSIONS:
        raise ScalegateError(f"emit={asked!r}: choose one of {', '.join(EMISSIONS)}.")
    if not frames[0].isStreaming:
        raise ScalegateError(
            f"emit={asked!r}: inputs are no streams, and each of their windows is given once; "
            "leave it out."
        )
    return asked


def _frames(inputs: DataFrame | Sequence[DataFrame]) -> list[DataFrame]:
    frames = [inputs] if isinstance(inputs, DataFrame) else list(inputs)
    if not frames:
        raise ScalegateError("inputs is empty: give at least one DataFrame.")
    for at, frame in enumerate(frames):
        if not isinstance(frame, DataFrame):
            raise ScalegateError(f"inputs[{at}] is no Spark DataFrame but {frame!r}.")
        if frame.isStreaming != frames[0].isStreaming:
            raise ScalegateError(
                f"inputs[{at}] is {'a stream' if frame.isStreaming else 'no stream'} and "
                "inputs[0] is not so: give streams alone, or batch DataFrames alone."
            )
        if set(frame.columns) != set(frames[0].columns):
            differing = sorted(set(frame.columns) ^ set(frames[0].columns))
            raise ScalegateError(
                f"inputs[{at}] and inputs[0] differ in {', '.join(map(repr, differing))}: select "
                "the same columns of each."
            )
    _session.require(frames[0].sparkSession)
    return frames


def _check_watermarks(frames: Sequence[DataFrame], time: str) -> None:
    """Spark would close windows by the watermarks that there are, and drop what another stream
    brings later."""
    if not frames[0].isStreaming:
        return
    marked = [WATERMARK in frame.schema[time].metadata for frame in frames]
    if any(marked) and not all(marked):
        raise ScalegateError(
            f"inputs[{marked.index(False)}] has no watermark on {time!r}, inputs"
            f"[{marked.index(True)}] has one: call withWatermark({time!r}, delay) on each, after "
            "what makes the column."
        )


def _window(time: str, size: Duration, slide: Duration | None, start: Duration) -> Column:
    long = _widths.micros(size, "size")
    step = long if slide is None else _widths.micros(slide, "slide")
    offset = _widths.micros(start, "start")
    if long <= 0 or step <= 0:
        raise ScalegateError(f"size={size!r}, slide={slide!r}: both must be above zero.")
    if step > long:
        raise ScalegateError(
            f"slide={slide!r} is above size={size!r}: the rows between two windows would be in "
            "none. Filter these out, or slide by less."
        )
    if long // step > MOST_WINDOWS:
        raise ScalegateError(
            f"size={size!r} is {long // step} times slide={slide!r}: Spark takes minutes to "
            f"analyze windows of which more than {MOST_WINDOWS} hold a row. Slide by more."
        )
    if abs(offset) >= step:
        raise ScalegateError(f"start={start!r} shifts the windows by slide={slide!r} or more.")
    parts = (f"{n} microseconds" for n in (long, step, offset))
    return F.window(schema.quote(time), *parts).alias("window")


def checked_aggregates(aggs: Sequence[Column | ByTime], time: str, call: str) -> list[Column]:
    """Aggregates as Spark takes them, those by time over `time`; `call` is one that has some."""
    if isinstance(aggs, Column | ByTime | str) or not aggs:
        given = "aggs is missing" if aggs is None else f"aggs={aggs!r}"
        raise ScalegateError(f"{given}: give a list of aggregates, as in {call}.")
    made = [a.column(schema.quote(time)) if isinstance(a, ByTime) else a for a in aggs]
    for agg in made:
        if not isinstance(agg, Column):
            raise ScalegateError(
                f"aggs has {agg!r}, which is no aggregate: F.sum({agg!r}) is one."
            )
    return made


def _column(of: ColumnOrName) -> Column:
    return F.col(of) if isinstance(of, str) else of
