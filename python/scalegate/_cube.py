"""The join of three inputs by a cube of workers: arguments are checked, then said to Spark as two
joins and the CUBE_JOIN hint."""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from scalegate import _schema as schema
from scalegate import _session
from scalegate._bands import between, not_negative
from scalegate._errors import ScalegateError
from scalegate._joins import hidden_columns, with_hidden, with_names
from scalegate._required import required
from scalegate._schema import MOST_CELLS, Frame
from scalegate._widths import Width, whole_number

HINT = "CUBE_JOIN"
PLACES = ("first", "second", "third")
CALL = "first.cube_join(second, third, within={})"


@required("within")
def cube_join(
    first: DataFrame,
    second: DataFrame,
    third: DataFrame,
    *,
    within: Width,
    on: Column | None = None,
    time: Sequence[str] = ("ts", "ts", "ts"),
    layout: Sequence[int] | None = None,
    suffixes: Sequence[str] = ("_2", "_3"),
) -> DataFrame:
    """Join three batches or streams: each triple of rows whose times are near each other.

    One operator compares each row with those of both others, in a cube of workers, the extension
    to three inputs that the DP-Join paper leaves open. All rows meet in one task, whose threads
    are the workers. Two joins one after the other are faster where their conditions bound
    something that an index can look up; this is for conditions that all three rows decide.

    Parameters
    ----------
    first, second, third
        DataFrames of one session: three batches, or three streams, each with a watermark on its
        time column. Rows of streams wait for the watermark, a triple comes when it has passed all
        three, and a row is held for as long as `within` reaches behind the watermark.
    within
        How far apart any two of the three times may be, both ends included: an interval
        ("5 seconds") or datetime.timedelta for timestamps, days for dates, a whole number for
        integers. Not negative.
    on
        A further condition on the columns of all three, such as
        `(first.x < second.a) & (second.a < third.b)`. Differences that it bounds, as in
        `F.abs(first.x - third.b) <= 2`, are compared before all else.
    time
        The time columns: timestamps, timestamps without time zone, dates or integers, all of one
        kind.
    layout
        How many segments the window of each is cut into, as in (2, 1, 1); each combination of
        three segments has a worker, a thread. None takes as many as an executor has cores, of the
        first.
    suffixes
        Added to columns of the second, and of the third, whose names one before them has.

    Returns
    -------
    DataFrame
        The columns of all three, in this order, with their types and nullability. A row whose
        time is NULL matches nothing. The rows are those of two inner joins. Those of streams come
        in the order of the latest of the three times.

    Raises
    ------
    ScalegateError
        When an argument does not fit the inputs, some of them are streams and some are not, or
        the session is without the package; no job has run then. What streams lack, such as a
        watermark, is said when the query starts.

    Examples
    --------
    >>> near = trades.cube_join(
    ...     quotes, readings, within="1 minute", on=F.col("price") < F.col("bid") * 2)
    >>> near.columns
    ['ts', 'symbol', 'price', 'ts_2', 'symbol_2', 'bid', 'ts_3', 'meter', 'kwh']
    >>> near.count()
    18
    """
    frames = _frames((first, second, third))
    times = _times(time, frames)
    names = _names(frames, suffixes)
    data_type = frames[0].field(times[0], "time").dataType
    schema.refuse_missing(within, data_type, "within", CALL)
    width = not_negative(schema.amount(within, data_type, "within"), within, "within")
    hidden = hidden_columns(times, "time", frames)
    inputs = [with_hidden(f.df, {new: old}) for f, new, old in zip(frames, hidden, times)]
    windows = {
        (i, j): between(F.col(schema.quote(hidden[i])), hidden[j], (-width, width), data_type)
        for i, j in combinations(range(3), 2)
    }
    last = [windows[0, 2], windows[1, 2], *([] if on is None else [_condition(on)])]
    joined = inputs[0].join(inputs[1], windows[0, 1]).join(inputs[2], reduce(and_, last))
    hinted = joined.hint(HINT, *([] if layout is None else [_layout(layout)]))
    return with_names(hinted.drop(*hidden), names)


def _frames(given: Sequence[DataFrame]) -> list[Frame]:
    for place, df in zip(PLACES, given):
        if not isinstance(df, DataFrame):
            raise ScalegateError(
                f"the {place} input is not a Spark DataFrame but {type(df).__module__}."
                f"{type(df).__qualname__}: make one with spark.createDataFrame(...)."
            )
        if df.isStreaming != given[0].isStreaming:
            streaming = ("batch", "stream")[df.isStreaming]
            raise ScalegateError(
                f"the {place} input is a {streaming}, and the first is none: a cube joins three "
                "batches or three streams. Join a stream with the table first, by window_join."
            )
    _session.require(given[0].sparkSession)
    return [schema.frame(df, place) for place, df in zip(PLACES, given)]


def _times(time: Sequence[str], frames: Sequence[Frame]) -> list[str]:
    if isinstance(time, str) or not isinstance(time, Sequence) or len(time) != len(PLACES):
        raise ScalegateError(
            f'time={time!r}: give the columns of all three, as in time=("ts", "ts", "ts").'
        )
    fields = [frame.field(name, "time") for frame, name in zip(frames, time)]
    for field in fields[1:]:
        schema.check_time(fields[0], field)
    return [field.name for field in fields]


def _names(frames: Sequence[Frame], suffixes: Sequence[str]) -> list[str]:
    if isinstance(suffixes, str) or not isinstance(suffixes, Sequence) or len(suffixes) != 2:
        raise ScalegateError(
            f'suffixes={suffixes!r}: give two texts, as in suffixes=("_2", "_3").'
        )
    fold = frames[0].fold
    names: list[str] = []
    for frame, suffix in zip(frames, ("", *map(schema.suffix, suffixes))):
        taken = {fold(name) for name in names}
        names += [name + suffix * (fold(name) in taken) for name in frame.df.columns]
    folded = [fold(name) for name in names]
    twice = [name for name, one in zip(names, folded) if folded.count(one) > 1]
    if twice:
        raise ScalegateError(
            f"the output would have two columns called {twice[0]!r}: choose other suffixes than "
            f"{tuple(suffixes)!r}, or rename one first."
        )
    return names


def _condition(on: Column) -> Column:
    if not isinstance(on, Column):
        raise ScalegateError(f"on={on!r} is not a Column: write one such as first.x < third.b.")
    return on


def _layout(layout: Sequence[int]) -> str:
    whole = [whole_number(n) for n in layout] if isinstance(layout, Sequence) else []
    sizes = [n for n in whole if n is not None and n > 0]
    workers = 1
    for n in sizes:
        workers *= n
    if isinstance(layout, str) or len(sizes) != len(PLACES) or workers > MOST_CELLS:
        raise ScalegateError(
            f"layout={layout!r}: give three whole numbers from 1 on, the segments of each input's"
            f" window, of no more than {MOST_CELLS} workers in all, as in layout=(2, 1, 1)."
        )
    return "x".join(map(str, sizes))
