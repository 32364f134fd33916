"""Checks arguments against the two frames' schemas: columns, their types and their widths.

Nothing here runs a job: a schema is known from analysis alone.
"""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias, get_args

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.column import Column

from scalegate import _session
from scalegate._errors import ScalegateError
from scalegate._operators import MOST_THREADS, OPERATORS, Operator, OperatorName, cells
from scalegate._widths import MICROS, Number, Width, micros, number, plain, whole_number

INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
FLOATING = (T.FloatType, T.DoubleType)
NUMBERS = (*INTEGERS, *FLOATING, T.DecimalType)
INSTEAD = {
    "string": "convert it first, e.g. with F.to_timestamp(...)",
    "decimal": "cast it to bigint, in a unit in which it is whole",
    "float": "cast it to bigint, in a unit in which it is whole",
    "double": "cast it to bigint, in a unit in which it is whole",
}
_Own: TypeAlias = Literal["auto", "broadcast", "index", "sweep", "matrix"]
Algorithm: TypeAlias = Literal[_Own, OperatorName] | Operator
ALGORITHMS: tuple[str, ...] = (*get_args(_Own), *OPERATORS)
MOST_CELLS = 1024
_Sides: TypeAlias = Literal["inner", "left", "right", "full", "semi", "anti", "outer"]
_Outer: TypeAlias = Literal["fullouter", "full_outer", "leftouter", "left_outer"]
_Other: TypeAlias = Literal["rightouter", "right_outer", "leftsemi", "left_semi"]
JoinType: TypeAlias = _Sides | _Outer | _Other | Literal["leftanti", "left_anti"]
JOIN_TYPES = ("inner", "left", "right", "full", "semi", "anti")
KEPT_SIDES = {
    "inner": (),
    "left": ("left",),
    "right": ("right",),
    "full": ("left", "right"),
    "semi": ("left",),
    "anti": ("left",),
}
SPARK_JOIN_TYPES = {
    "inner": "inner",
    "cross": "cross",
    "outer": "full",
    "full": "full",
    "fullouter": "full",
    "left": "left",
    "leftouter": "left",
    "right": "right",
    "rightouter": "right",
    "semi": "semi",
    "leftsemi": "semi",
    "anti": "anti",
    "leftanti": "anti",
}


@dataclass(frozen=True)
class Frame:
    """One side of a join, with its name in error messages and the session's reading of names."""

    df: DataFrame
    side: str
    fold: Callable[[str], str]

    def field(self, name: str, argument: str) -> T.StructField:
        """The column that `argument` names, or an error that lists the columns there are."""
        if not isinstance(name, str):
            raise ScalegateError(f"{argument} takes column names, not {name!r}.")
        found = [f for f in self.df.schema.fields if self.fold(f.name) == self.fold(name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ScalegateError(
                f"the {self.side} side has {len(found)} columns called {name!r}: rename one "
                "first."
            )
        names = self.df.columns
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ScalegateError(
            f"{argument}: the {self.side} side has no column {name!r}; it has "
            f"{', '.join(map(repr, names))}.{hint}"
        )


def frames(left: DataFrame, right: DataFrame, kind: str = "left") -> tuple[Frame, Frame]:
    """Both sides, refused where one is a stream and the other's rows are kept.

    Whether a row of a table matches nothing is known when the stream ends, so that a join of this
    kind may not ask. `left` is also what gives each left row its answer.
    """
    for side, df in (("left", left), ("right", right)):
        if not isinstance(df, DataFrame):
            raise ScalegateError(
                f"the {side} side is not a Spark DataFrame but {type(df).__module__}."
                f"{type(df).__qualname__}: make one with spark.createDataFrame(...)."
            )
    if left.isStreaming != right.isStreaming:
        stream, batch = ("left", "right") if left.isStreaming else ("right", "left")
        if batch in KEPT_SIDES[kind]:
            raise ScalegateError(
                f"the {stream} side is a streaming DataFrame and the {batch} side a batch one: "
                "no row of a table has its answer before the stream ends. Join two streams, or a "
                "stream on the left with a table, and keep rows of the stream alone."
            )
    _session.require(left.sparkSession)
    return frame(left, "left"), frame(right, "right")


def frame(df: DataFrame, side: str) -> Frame:
    """A frame under the name that messages give it."""
    sensitive = df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"
    return Frame(df, side, str if sensitive else str.lower)


def of_streams(left: DataFrame, right: DataFrame) -> bool:
    """Whether both sides are streams, whose join has a state; beside a table one has none."""
    return left.isStreaming and right.isStreaming


def wraps(df: DataFrame) -> bool:
    """Whether sums of integers that have no room wrap around, in a batch.

    A stream's condition stays as it was when its checkpoint was written.
    """
    ansi = df.sparkSession.conf.get("spark.sql.ansi.enabled", "true")
    return not df.isStreaming and ansi == "false"


def quote(name: str) -> str:
    """The name as SQL and `F.col` take it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def join_type(how: str) -> str:
    """Spark's name of a join type that works; a cross join has no window."""
    known = SPARK_JOIN_TYPES.get(how.lower().replace("_", "")) if isinstance(how, str) else None
    if known is None:
        raise ScalegateError(
            f"how={how!r} is not a join type: Spark knows {', '.join(SPARK_JOIN_TYPES)}, "
            f"of which {', '.join(JOIN_TYPES)} work here."
        )
    if known not in JOIN_TYPES:
        raise ScalegateError(
            f"how={how!r}: a {known} join does not work yet; {', '.join(JOIN_TYPES)} do."
        )
    return known


def algorithm(asked: str | Operator) -> str:
    """What the hint calls a join algorithm, or an error that lists them."""
    if isinstance(asked, Operator) and asked.name in OPERATORS:
        return str(asked)
    if not isinstance(asked, str) or asked.lower() not in ALGORITHMS:
        raise ScalegateError(
            f"algorithm={str(asked)!r}: choose one of {', '.join(ALGORITHMS)}, or "
            "scalegate.operator(...) for one of the papers' with options."
        )
    return asked.lower()


def is_operator(asked: str | Operator) -> bool:
    """Whether an algorithm is an operator of the papers."""
    return isinstance(asked, Operator) or asked.lower() in OPERATORS


def way(asked: str | Operator, layout: Sequence[int] | None, streaming: bool) -> tuple[str, ...]:
    """What the hint says of how to run the join: nothing where it is left to the planner."""
    name = algorithm(asked)
    if (
        streaming
        and not is_operator(asked)
        and (name not in ("auto", "index", "matrix") or (name, layout) == ("matrix", None))
    ):
        raise ScalegateError(
            f"algorithm={str(asked)!r}: the windows of two streams are indexed, so algorithm "
            'takes "auto" and "index", or an operator of the papers, as "pim", or layout= says '
            "how many cells share them."
        )
    if layout is None:
        # "auto" is what a session's setting may change; a hint that says so would overrule it.
        return () if name == "auto" else (name,)
    if name not in ("auto", "matrix"):
        raise ScalegateError(
            f'layout={layout!r} is of algorithm="matrix": algorithm={str(asked)!r} has none. '
            'Workers of DP-Join are laid out by scalegate.operator("dp-join", layout=...).'
        )
    return "matrix", cells(layout, MOST_CELLS)


def ordered(asked: bool, streaming: bool, way: tuple[str, ...]) -> tuple[str, ...]:
    """What the hint says of the order of a join's rows."""
    if not isinstance(asked, bool):
        raise ScalegateError(f"ordered={asked!r}: say True or False.")
    if not asked:
        return ()
    if not streaming:
        raise ScalegateError(
            "ordered=True orders the rows of a join of two streams: order those of a batch join "
            "by what you like with orderBy."
        )
    if way[:1] == ("matrix",):
        raise ScalegateError(
            "ordered=True: rows come in one order, and from one task. Leave out layout=, or "
            "ordered=True."
        )
    return ("ordered",)


def threads(count: int) -> int:
    """A number of threads, or an error that says which there may be."""
    whole = whole_number(count)
    if whole is None or not 1 <= whole <= MOST_THREADS:
        raise ScalegateError(
            f"threads={count!r}: give a whole number of threads from 1 to {MOST_THREADS}."
        )
    return whole


def suffix(text: str) -> str:
    """What right columns get whose names the left side has too."""
    if not isinstance(text, str):
        raise ScalegateError(
            f'suffix={text!r}: give one text, which right columns get, as in suffix="_r"; rename '
            "left columns before the join, with withColumnsRenamed."
        )
    return text


def pair_of_names(names: Sequence[str], argument: str) -> tuple[str, str]:
    """Two column names, the left side's and the right side's."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ScalegateError(
            f'{argument}={names!r}: give both sides\' columns, as in {argument}=("ts", "ts").'
        )
    return names[0], names[1]


def check_time(left: T.StructField, right: T.StructField) -> None:
    """Refuses times that are no timestamps, dates or integers, or of two kinds."""
    for side, field in (("left", left), ("right", right)):
        if time_kind(field.dataType) is None:
            shown = field.dataType.simpleString()
            instead = INSTEAD.get(field.dataType.typeName(), "choose another column")
            raise ScalegateError(
                f"time column {field.name!r} of the {side} side is of type {shown}; times are "
                f"timestamp, timestamp_ntz, date or integers: {instead}."
            )
    if time_kind(left.dataType) != time_kind(right.dataType):
        raise ScalegateError(
            f"the time columns differ in type: {left.name!r} is {left.dataType.simpleString()}, "
            f"{right.name!r} is {right.dataType.simpleString()}; cast one to the other's type."
        )


def check_nearest_time(left: T.StructField, right: T.StructField) -> None:
    """Refuses what has no distance: all but two numbers, or two times of one kind."""
    numeric = [isinstance(field.dataType, NUMBERS) for field in (left, right)]
    if all(numeric):
        for side, field in (("left", left), ("right", right)):
            if isinstance(field.dataType, T.DecimalType) and field.dataType.precision > 18:
                raise ScalegateError(
                    f"time column {field.name!r} of the {side} side is of type "
                    f"{field.dataType.simpleString()}; cast it to a decimal of up to 18 digits."
                )
    else:
        check_time(left, right)


def time_kind(data_type: T.DataType) -> str | None:
    """What a time is compared as; integers of any width are one kind."""
    if isinstance(data_type, INTEGERS):
        return "integer"
    if isinstance(data_type, T.TimestampType | T.TimestampNTZType | T.DateType):
        return data_type.typeName()
    return None


def check_band(left: T.StructField, right: T.StructField) -> None:
    """Refuses a band on columns that have no distance between them."""
    numeric = isinstance(left.dataType, NUMBERS) and isinstance(right.dataType, NUMBERS)
    kind = time_kind(left.dataType)
    if not numeric and (kind is None or kind != time_kind(right.dataType)):
        raise ScalegateError(
            f"bands: {left.name!r} is {left.dataType.simpleString()} and {right.name!r} is "
            f"{right.dataType.simpleString()}; a band needs two numeric columns, or two "
            "timestamps or dates of one type."
        )


def check_key(left: T.StructField, right: T.StructField) -> None:
    """Refuses keys of two types: Spark would cast one of them, or fail in the middle of a job."""
    both_numeric = isinstance(left.dataType, NUMBERS) and isinstance(right.dataType, NUMBERS)
    if left.dataType != right.dataType and not both_numeric:
        raise ScalegateError(
            f"on: {left.name!r} is {left.dataType.simpleString()} on the left side and "
            f"{right.dataType.simpleString()} on the right; cast one to the other's type."
        )


def amount(width: Width, data_type: T.DataType, argument: str) -> int:
    """A width or bound of times: micros for timestamps, days for dates, else a whole number."""
    kind = time_kind(data_type)
    if kind == "integer":
        return _whole_amount(width, argument)
    total = micros(width, argument, "day" if kind == "date" else "second")
    if kind != "date":
        return total
    days, rest = divmod(total, MICROS["day"])
    if rest:
        raise ScalegateError(
            f"{argument}={width!r}: the columns are dates; give whole days, as in "
            f'{argument}="2 days".'
        )
    return days


def _whole_amount(width: Width, argument: str) -> int:
    if isinstance(plain(width), str | timedelta):
        raise ScalegateError(
            f"{argument}={width!r}: the columns are integers, which have no unit of time; give "
            f"a whole number in the columns' own unit, as in {argument}=5."
        )
    value = number(width, argument)
    if value != int(value):
        raise ScalegateError(f"{argument}={width!r}: the columns are integers; give a whole one.")
    return int(value)


def refuse_missing(width: Width | None, data_type: T.DataType, argument: str, call: str) -> None:
    """Refuses no amount at all; `call` shows one that has it, in the unit of the columns."""
    if width is not None:
        return
    kind = time_kind(data_type)
    what, unit = {"integer": ("integers", ""), "date": ("dates", "days")}.get(
        str(kind), ("timestamps", "seconds")
    )
    number = "-5" if argument == "lower" else "5"
    example = f'"{number} {unit}"' if unit else number
    raise ScalegateError(
        f"{argument} is missing: the times are {what}; say how far apart they may be, as in "
        f"{call.format(example)}."
    )


def literal(value: Number, data_type: T.DataType) -> Column:
    """An amount as a Column that Spark adds to a column of this type."""
    kind = time_kind(data_type)
    if kind == "date":
        return F.expr(f"INTERVAL '{value}' DAY")
    if kind in ("timestamp", "timestamp_ntz"):
        sign, total = ("-" if value < 0 else ""), abs(int(value))
        seconds, fraction = divmod(total, MICROS["second"])
        return F.expr(f"INTERVAL '{sign}{seconds}.{fraction:06d}' SECOND")
    return F.lit(value)
