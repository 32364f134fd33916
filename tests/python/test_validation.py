"""Every refused argument: what the message says, and that no job ran."""

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scalegate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote
from scalegate import ScalegateError, band_join, interval_join, window_join
from scalegate._widths import Width, micros

Call = Callable[[DataFrame, DataFrame], object]

NAN, INFINITY = float("nan"), float("inf")


@pytest.fixture(scope="module")
def left(spark: SparkSession) -> DataFrame:
    return spark.sql(
        "SELECT TIMESTAMP'2024-01-01' ts, TIMESTAMP_NTZ'2024-01-01' ntz, DATE'2024-01-01' day, "
        "1L tick, 2 small, 'EWR' symbol, '2024-01-01' text, 1.5BD dec, 1.5D x, 1.5F f, true flag"
    )


@pytest.fixture(scope="module")
def right(left: DataFrame) -> DataFrame:
    return left.withColumnsRenamed({"x": "a", "f": "g"})


@pytest.fixture
def no_jobs(spark: SparkSession) -> Iterator[None]:
    if is_remote():
        yield  # a client is not told of the server's jobs
        return
    context = spark.sparkContext
    context.setJobGroup("validation", "no job may run")
    yield
    ran = context.statusTracker().getJobIdsForGroup("validation")
    context.setLocalProperty("spark.jobGroup.id", None)
    assert list(ran) == []


def stream(near: DataFrame) -> DataFrame:
    """A streaming frame with a timestamp called "timestamp" and a number called "value"."""
    return near.sparkSession.readStream.format("rate").load()


REFUSED: list[tuple[str, Call, list[str]]] = [
    (
        "an unknown time column is answered with those there are and a close match",
        lambda r, s: interval_join(r, s, time=("ts", "tss"), lower="-5 seconds"),
        ["time: the right side has no column 'tss'; it has 'ts', 'ntz'", "Did you mean 'ts'?"],
    ),
    (
        "an unknown key is looked for on both sides",
        lambda r, s: interval_join(r, s, on="x", lower="-5 seconds"),
        ["on: the right side has no column 'x'"],
    ),
    (
        "keys of two types are refused",
        lambda r, s: interval_join(
            r, s.withColumn("symbol", F.lit(1)), on=["symbol"], lower="-5 seconds"
        ),
        ["on: 'symbol' is string on the left side and int on the right"],
    ),
    (
        "a key that is no name is refused",
        lambda r, s: interval_join(r, s, on=3, lower="-5 seconds"),  # type: ignore[arg-type]
        ["on=3: give a column name"],
    ),
    (
        "a string time is refused with the conversion to write",
        lambda r, s: interval_join(r, s, time=("text", "text"), lower="-5 seconds"),
        ["'text' of the left side is of type string", "F.to_timestamp"],
    ),
    (
        "a decimal time is refused with the cast to write",
        lambda r, s: interval_join(r, s, time=("dec", "dec"), lower=-1, upper=1),
        ["of type decimal(2,1)", "cast it to bigint"],
    ),
    (
        "a floating time is refused",
        lambda r, s: interval_join(r, s, time=("x", "a"), lower=-1, upper=1),
        ["of type double", "cast it to bigint"],
    ),
    (
        "a boolean time is refused",
        lambda r, s: interval_join(r, s, time=("flag", "flag"), lower="-5 seconds"),
        ["of type boolean", "choose another column"],
    ),
    (
        "times with and without a zone are refused together",
        lambda r, s: interval_join(r, s, time=("ts", "ntz"), lower="-5 seconds"),
        ["'ts' is timestamp, 'ntz' is timestamp_ntz; cast one"],
    ),
    (
        "a date and a timestamp are refused together",
        lambda r, s: window_join(r, s, time=("day", "ts"), within="5 minutes"),
        ["'day' is date, 'ts' is timestamp"],
    ),
    (
        "one time column for two sides is refused",
        lambda r, s: interval_join(r, s, time="ts", lower="-5 seconds"),
        ["time='ts': give both sides' columns", '("ts", "ts")'],
    ),
    (
        "an inverted interval is refused",
        lambda r, s: interval_join(r, s, lower="1 second", upper="-1 second"),
        ["the interval is inverted: lower='1 second' is above upper='-1 second'"],
    ),
    (
        "an interval for integers is refused",
        lambda r, s: interval_join(r, s, time=("tick", "tick"), lower="-5 seconds"),
        ["lower='-5 seconds': the columns are integers, which have no unit", "as in lower=5"],
    ),
    (
        "an interval's upper bound for integers is refused",
        lambda r, s: interval_join(
            r, s, time=("tick", "tick"), lower=-5, upper=dt.timedelta(seconds=1)
        ),
        ["upper=datetime.timedelta(seconds=1): the columns are integers"],
    ),
    (
        "an interval without its beginning is answered with a call that has one",
        lambda r, s: interval_join(r, s),  # type: ignore[call-arg]
        [
            "lower is missing: the times are timestamps",
            'as in left.interval_join(right, lower="-5 seconds").',
        ],
    ),
    (
        "an interval of timestamps without a zone has no default either",
        lambda r, s: interval_join(r, s, time=("ntz", "ntz"), lower=None),  # type: ignore[arg-type]
        ["lower is missing: the times are timestamps", 'lower="-5 seconds"'],
    ),
    (
        "an interval of integers without its beginning is shown a number",
        lambda r, s: interval_join(r, s, time=("tick", "tick")),  # type: ignore[call-arg]
        ["lower is missing: the times are integers", "left.interval_join(right, lower=-5)."],
    ),
    (
        "an interval of dates without its beginning is shown days",
        lambda r, s: interval_join(r, s, time=("day", "day")),  # type: ignore[call-arg]
        ["lower is missing: the times are dates", 'interval_join(right, lower="-5 days").'],
    ),
    (
        "a window without a width is answered with both kinds",
        lambda r, s: window_join(r, s, r.x < s.a),  # type: ignore[call-arg]
        [
            "within is missing: the times are timestamps",
            'left.window_join(right, within="5 seconds")',
            "left.window_join(right, within=scalegate.rows(10_000)).",
        ],
    ),
    (
        "a window of dates without a width is shown days",
        lambda r, s: window_join(r, s, time=("day", "day")),  # type: ignore[call-arg]
        ["within is missing: the times are dates", 'window_join(right, within="5 days")'],
    ),
    (
        "windows without aggregates are answered with a call that has some",
        lambda r, s: scalegate.window_aggregate(r, "1 minute"),  # type: ignore[call-arg]
        ["aggs is missing", '"3 seconds", aggs=[F.count("*"), scalegate.first("x")])'],
    ),
    (
        "a number for timestamps is refused with its unit",
        lambda r, s: interval_join(r, s, lower=-5, upper=0),
        ['lower=-5 has no unit: write "-5 seconds".'],
    ),
    (
        "a number as text for timestamps is refused with its unit",
        lambda r, s: interval_join(r, s, lower="-5"),
        ["lower='-5' has no unit: write \"-5 seconds\"."],
    ),
    (
        "a number for dates is refused with days",
        lambda r, s: interval_join(r, s, time=("day", "day"), lower=-2),
        ['lower=-2 has no unit: write "-2 days".'],
    ),
    (
        "hours for dates are refused",
        lambda r, s: interval_join(r, s, time=("day", "day"), lower="-1 hour"),
        ["lower='-1 hour': the columns are dates; give whole days", 'lower="2 days"'],
    ),
    (
        "what is no duration at all is refused",
        lambda r, s: window_join(r, s, within=[5]),  # type: ignore[arg-type]
        ['within=[5] has no unit: write "5 seconds" or datetime.timedelta(seconds=5).'],
    ),
    (
        "numpy's number without a unit is refused",
        lambda r, s: interval_join(r, s, lower=np.int64(-5)),
        ['lower=-5 has no unit: write "-5 seconds".'],
    ),
    (
        "numpy's duration without a unit is refused",
        lambda r, s: interval_join(r, s, lower=np.timedelta64(-5)),
        ['lower=-5 has no unit: write "-5 seconds".'],
    ),
    (
        "numpy's months are refused",
        lambda r, s: window_join(r, s, within=np.timedelta64(1, "M")),
        ["a month has no fixed length"],
    ),
    (
        "numpy's missing duration is refused",
        lambda r, s: window_join(r, s, within=np.timedelta64("NaT")),
        ["is no duration: write"],
    ),
    (
        "pandas' nanoseconds are refused",
        lambda r, s: window_join(r, s, within=pd.Timedelta(5, "ns")),
        ["finer than a microsecond"],
    ),
    (
        "the unit m is refused, being two",
        lambda r, s: window_join(r, s, within="5m"),
        ["within='5m': the unit 'm' is two: write min for minutes"],
    ),
    (
        "two suffixes are refused",
        lambda r, s: interval_join(r, s, suffix=("_l", "_r"), lower="-5 seconds"),  # type: ignore[arg-type]
        ["suffix=('_l', '_r'): give one text, which right columns get", 'suffix="_r"'],
    ),
    (
        "names of one side alone are refused",
        lambda r, s: interval_join(r, s, left_on="symbol", lower="-5 seconds"),
        ["left_on='symbol', right_on=None: give as many columns of the one side"],
    ),
    (
        "names of both sides and of each are refused",
        lambda r, s: interval_join(
            r, s, on="symbol", left_on="small", right_on="tick", lower="-5 seconds"
        ),
        ["on='symbol' is given beside left_on or right_on"],
    ),
    (
        "an unknown name of the right side is refused",
        lambda r, s: band_join(r, s, {"x": ("a", 1)}, left_on=["small"], right_on=["x"]),
        ["right_on: the right side has no column 'x'"],
    ),
    (
        "a matrix of rows with equal columns of two names is refused",
        lambda r, s: band_join(
            r, s, {"x": ("a", 1)}, left_on="small", right_on="tick", layout=(2, 2)
        ),
        ["left_on='small': rows with equal columns", "Leave out left_on="],
    ),
    (
        "an inverted band is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", (5, -5))}),
        ["bands['x']=(5, -5) is inverted: give the lower bound first"],
    ),
    (
        "a band of three bounds is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", (1, 2, 3))}),  # type: ignore[dict-item]
        ["bands['x']=(1, 2, 3): give one width, or a lower and an upper bound"],
    ),
    (
        "a window's size without a unit is refused",
        lambda r, s: scalegate.window_aggregate(r, 10, 1, aggs=[F.count("*")]),  # type: ignore[arg-type]
        ['size=10 has no unit: write "10 seconds".'],
    ),
    (
        "half a unit for integers is refused",
        lambda r, s: interval_join(r, s, time=("tick", "tick"), lower=-1.5, upper=0),
        ["lower=-1.5: the columns are integers"],
    ),
    (
        "a bound beyond 64 bits is refused",
        lambda r, s: interval_join(r, s, time=("tick", "tick"), lower=-(2**63) - 1, upper=0),
        ["does not fit in 64 bits"],
    ),
    (
        "an interval beyond 64 bits of microseconds is refused",
        lambda r, s: interval_join(r, s, lower="-300000000 days"),
        ["does not fit in 64 bits of microseconds"],
    ),
    (
        "a text that is no interval is refused",
        lambda r, s: interval_join(r, s, lower="five seconds"),
        ["lower='five seconds' is not an interval", "datetime.timedelta(minutes=5)"],
    ),
    (
        "an empty interval is refused",
        lambda r, s: window_join(r, s, within=""),
        ["within='' is not an interval"],
    ),
    (
        "an unknown unit is refused with the known ones",
        lambda r, s: window_join(r, s, within="5 fortnights"),
        ["unknown unit 'fortnight'", "microsecond, millisecond, second"],
    ),
    (
        "months are refused, having no fixed length",
        lambda r, s: window_join(r, s, within="1 month"),
        ["a month has no fixed length"],
    ),
    (
        "a part of a microsecond is refused",
        lambda r, s: window_join(r, s, within="0.0000001 seconds"),
        ["finer than a microsecond"],
    ),
    (
        "a negative width is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", -1)}),
        ["bands['x']=-1 is negative"],
    ),
    (
        "a NaN width is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", NAN)}),
        ["bands['x']=nan bounds nothing: give a finite number"],
    ),
    (
        "an infinite width is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", INFINITY)}),
        ["bands['x']=inf bounds nothing"],
    ),
    (
        "a truth value as a width is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", True)}),
        ["bands['x']=True is not a number"],
    ),
    (
        "a negative window is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, within="-5 minutes"),
        ["within='-5 minutes' is negative"],
    ),
    (
        "a time without a window is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, time=("ts", "ts")),
        ["time is given without within"],
    ),
    (
        "no band at all is refused",
        lambda r, s: band_join(r, s, bands={}),
        ["give at least one band"],
    ),
    (
        "a band without a width is refused",
        lambda r, s: band_join(r, s, bands={"x": "a"}),  # type: ignore[dict-item]
        ["bands['x']='a': give the right side's column and the width"],
    ),
    (
        "a band on an unknown column is refused",
        lambda r, s: band_join(r, s, bands={"x": ("x", 1)}),
        ["bands: the right side has no column 'x'"],
    ),
    (
        "a band on strings is refused",
        lambda r, s: band_join(r, s, bands={"symbol": ("symbol", 1)}),
        ["a band needs two numeric columns"],
    ),
    (
        "a window of no rows is refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(0)),
        ["rows(0) holds no window"],
    ),
    (
        "a window of part of a row is refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(1.5)),  # type: ignore[arg-type]
        ["rows(...) takes a whole number of rows, not 1.5"],
    ),
    (
        "no rows of either side",
        lambda r, s: window_join(r, s, within=scalegate.rows(left=0, right=0)),
        ["rows(left=0, right=0) holds no window", "at least one row of a side"],
    ),
    (
        "rows of one side alone",
        lambda r, s: window_join(r, s, within=scalegate.rows(left=3)),
        ["one number of rows for both sides, or left= and right="],
    ),
    (
        "rows of both sides and of each",
        lambda r, s: window_join(r, s, within=scalegate.rows(3, left=3, right=4)),
        ["one number of rows for both sides, or left= and right="],
    ),
    (
        "a key that is no column is refused",
        lambda r, s: window_join(
            r,
            s,
            within=scalegate.rows(3, per_key=True),  # type: ignore[arg-type]
        ),
        ["per_key=True names no columns", 'per_key="symbol"'],
    ),
    (
        "no key at all is refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(3, per_key=[])),
        ["per_key=[] names no columns"],
    ),
    (
        "a key that a side lacks is refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(3, per_key=[("symbol", "ticker")])),
        ["per_key: the right side has no column 'ticker'"],
    ),
    (
        "threads for a window of each key's rows are refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(3, per_key="symbol"), threads=2),
        ["threads=2: a window of each key's rows runs in many tasks"],
    ),
    (
        "a name as a condition is refused",
        lambda r, s: window_join(r, s, on="symbol", within="5 minutes"),  # type: ignore[arg-type]
        ["on='symbol' is not a Column", 'interval_join(on="name")'],
    ),
    (
        "a width of more digits than a decimal has is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", Decimal("1e-39"))}),
        ["bands['x']=Decimal('1E-39') has more than a decimal's 38 digits"],
    ),
    (
        "a cross join has no window",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, how="cross"),
        ["a cross join does not work yet"],
    ),
    (
        "an unknown join type is answered with the known ones",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, how="sideways"),
        ["how='sideways' is not a join type: Spark knows inner, cross, outer"],
    ),
    (
        "an unknown algorithm is answered with the known ones",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, algorithm="magic"),
        ["algorithm='magic': choose one of auto, broadcast, index, sweep, matrix"],
    ),
    (
        "a window of rows has no algorithm but the papers' operators",
        lambda r, s: window_join(r, s, within=scalegate.rows(3), algorithm="index"),
        ['algorithm=\'index\': a window of rows works with algorithm="auto", or "scalejoin"'],
    ),
    (
        "a window of rows has no layout",
        lambda r, s: window_join(r, s, within=scalegate.rows(3), layout=(2, 3)),
        ['layout=(2, 3): a window of rows works with algorithm="auto", or "scalejoin"'],
    ),
    (
        "a layout of another algorithm is refused",
        lambda r, s: interval_join(r, s, algorithm="Sweep", layout=(2, 3), lower="-5 seconds"),
        ["layout=(2, 3) is of algorithm=\"matrix\": algorithm='Sweep' has none"],
    ),
    (
        "a layout without rows is refused",
        lambda r, s: interval_join(r, s, layout=(0, 3), lower="-5 seconds"),
        ["layout=(0, 3): give the rows and columns of the matrix, from 1 on"],
    ),
    (
        "a layout without whole columns is refused",
        lambda r, s: interval_join(r, s, layout=(2, 1.5), lower="-5 seconds"),  # type: ignore[arg-type]
        ["layout=(2, 1.5): give the rows and columns"],
    ),
    (
        "a layout of one number is refused",
        lambda r, s: band_join(r, s, bands={"x": ("a", 1)}, layout=6),  # type: ignore[arg-type]
        ["layout=6: give the rows and columns", "as in layout=(2, 3)"],
    ),
    (
        "a layout as text is refused",
        lambda r, s: interval_join(r, s, layout="23", lower="-5 seconds"),  # type: ignore[arg-type]
        ["layout='23': give the rows and columns"],
    ),
    (
        "a layout of more cells than sense is refused",
        lambda r, s: interval_join(r, s, layout=(33, 32), lower="-5 seconds"),
        ["layout=(33, 32) has 1056 cells, each of which is a task: 1024 are the most"],
    ),
    (
        "a matrix of keyed rows is refused",
        lambda r, s: interval_join(r, s, on="symbol", algorithm="matrix", lower="-5 seconds"),
        ["on='symbol': rows with equal columns are brought together by these"],
    ),
    (
        "a layout for keyed rows is refused",
        lambda r, s: interval_join(r, s, on=["symbol"], layout=(1, 2), lower="-5 seconds"),
        ["on=['symbol']: rows with equal columns", "Leave out on="],
    ),
    (
        "threads of a window of time are refused with the reason",
        lambda r, s: window_join(r, s, threads=4, within="5 minutes"),
        ["threads=4: a window of time runs in many tasks, each with one thread"],
    ),
    (
        "no threads are refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(3), threads=0),
        ["threads=0: give a whole number of threads from 1 to 1024"],
    ),
    (
        "threads that are no number are refused",
        lambda r, s: window_join(r, s, within=scalegate.rows(3), threads=True),
        ["threads=True: give a whole number"],
    ),
    (
        "what is no DataFrame is refused",
        lambda r, s: interval_join(r, [1, 2], lower="-5 seconds"),  # type: ignore[arg-type]
        ["the right side is not a Spark DataFrame but builtins.list"],
    ),
    (
        "another algorithm than an index is refused for streams",
        lambda r, s: interval_join(
            stream(r),
            stream(r),
            time=("timestamp", "timestamp"),
            algorithm="sweep",
            lower="-5 seconds",
        ),
        ["algorithm='sweep': the windows of two streams are indexed"],
    ),
    (
        "a matrix of no size is refused for streams",
        lambda r, s: band_join(stream(r), stream(r), {"value": ("value", 1)}, algorithm="matrix"),
        ["algorithm='matrix': the windows of two streams are indexed", "layout= says how many"],
    ),
    (
        "batches are not ordered",
        lambda r, s: interval_join(r, s, ordered=True, lower="-5 seconds"),
        ["order those of a batch join by what you like"],
    ),
    (
        "cells have no order among them",
        lambda r, s: interval_join(
            stream(r),
            stream(r),
            time=("timestamp", "timestamp"),
            layout=(1, 2),
            ordered=True,
            lower="-5 seconds",
        ),
        ["ordered=True: rows come in one order, and from one task"],
    ),
    (
        "two columns of one name on one side are refused",
        lambda r, s: interval_join(r.select("ts", "x", "x"), s, lower="-5 seconds"),
        ["the left side has 2 columns called 'x'"],
    ),
    (
        "a suffix that makes two columns of one name is refused",
        lambda r, s: interval_join(r, s.withColumnRenamed("a", "ts_right"), lower="-5 seconds"),
        ["two columns called 'ts_right'", "another suffix"],
    ),
]


@pytest.mark.connect
@pytest.mark.usefixtures("no_jobs")
@pytest.mark.parametrize("call, says", [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(left: DataFrame, right: DataFrame, call: Call, says: list[str]) -> None:
    with pytest.raises(ScalegateError) as refusal:
        call(left, right)
    for part in says:
        assert part in str(refusal.value)


ACCEPTED: list[tuple[str, Call]] = [
    ("timestamps", lambda r, s: interval_join(r, s, lower="-5 seconds")),
    (
        "timestamps without a zone",
        lambda r, s: interval_join(r, s, time=("ntz", "ntz"), lower="-5 seconds"),
    ),
    (
        "dates",
        lambda r, s: interval_join(r, s, time=("day", "day"), lower="-2 days", upper="0 days"),
    ),
    (
        "integers of two widths",
        lambda r, s: interval_join(r, s, time=("small", "tick"), lower=-5, upper=5.0),
    ),
    (
        "timedeltas",
        lambda r, s: window_join(r, s, within=dt.timedelta(hours=1)),
    ),
    (
        "names in another case",
        lambda r, s: interval_join(r, s, on="SYMBOL", time=("TS", "Ts"), lower="-5 seconds"),
    ),
    ("a band of no width", lambda r, s: band_join(r, s, bands={"x": ("a", 0)})),
    (
        "numpy's numbers",
        lambda r, s: interval_join(
            r, s, time=("tick", "tick"), lower=np.int32(-5), upper=np.float32(5)
        ),
    ),
    (
        "no time at all, without a unit",
        lambda r, s: interval_join(r, s, lower=0, upper=np.int64(0)),
    ),
    ("one bound of integers", lambda r, s: interval_join(r, s, time=("tick", "tick"), lower=-5)),
    ("numpy's rows", lambda r, s: window_join(r, s, within=scalegate.rows(np.int64(3)))),
    (
        "numpy's layout",
        lambda r, s: window_join(r, s, layout=np.array([2, 3]).tolist(), within="5 minutes"),
    ),
    (
        "a band on timestamps",
        lambda r, s: band_join(r, s, bands={"ts": ("ts", "1 hour"), "x": ("a", 1)}),
    ),
]


@pytest.mark.usefixtures("no_jobs")
@pytest.mark.parametrize("call", [c[1] for c in ACCEPTED], ids=[c[0] for c in ACCEPTED])
def test_accepted(left: DataFrame, right: DataFrame, call: Call) -> None:
    assert isinstance(call(left, right), DataFrame)


@pytest.mark.parametrize(
    "text",
    ["5 minutes", "-1 hour 30 seconds", "-1 hour -30 seconds", ".5 seconds", "INTERVAL 2 weeks"],
)
def test_an_interval_is_as_long_as_spark_says(spark: SparkSession, text: str) -> None:
    quoted = text.removeprefix("INTERVAL").strip()
    spoken = spark.sql(
        "SELECT unix_micros(TIMESTAMP'2024-01-01 00:00:00' + CAST(? AS INTERVAL)) "
        "- unix_micros(TIMESTAMP'2024-01-01 00:00:00') AS micros",
        args=[quoted],
    ).first()
    assert spoken is not None
    assert micros(text, "within") == spoken["micros"]


@pytest.mark.parametrize(
    "same, seconds",
    [
        (["-5s", "-5 sec", "-5secs", np.timedelta64(-5, "s"), dt.timedelta(seconds=-5)], -5),
        (["250ms", "250 MS", "250 milliseconds", np.timedelta64(250, "ms")], 0.25),
        (["3us", "3 µs", "3μs", pd.Timedelta(3, "us"), np.timedelta64(3000, "ns")], 3e-6),
        (["90min", "1h 30 mins", "1.5hrs", pd.Timedelta("1.5h")], 5400),
        (["2d", "48h", "interval 2 days", np.timedelta64(2, "D"), pd.Timedelta(days=2)], 172_800),
        (["1w", "7 d", np.timedelta64(1, "W")], 604_800),
        ([0, 0.0, "0", "-0", " 0.0 ", np.int64(0), Decimal(0), "0s"], 0),
    ],
)
def test_a_duration_is_read_in_every_usual_spelling(same: list[Width], seconds: float) -> None:
    read = [micros(given, "within") for given in same]
    assert read == [round(seconds * 1_000_000)] * len(read)
