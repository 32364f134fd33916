"""Reads widths and bounds: intervals and timedeltas as microseconds, numbers as they are.

Python's own values, numpy's and pandas' are taken alike.
"""

import math
import operator
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from scalegate._errors import ScalegateError

Number: TypeAlias = int | float | Decimal

if TYPE_CHECKING:
    import numpy as np

    Duration: TypeAlias = str | timedelta | np.timedelta64
    Width: TypeAlias = Duration | Number | np.integer[Any] | np.floating[Any]
else:
    # numpy is there only where its values are given.
    Duration = str | timedelta
    Width = Duration | Number

MICROS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
SHORT = {
    "us": "microsecond",
    "µs": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "d": "day",
    "w": "week",
}
# In nanoseconds, numpy's units that have a fixed length of whole ones.
NUMPY_NANOS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9} | {
    "h": 3600 * 10**9,
    "D": 86_400 * 10**9,
    "W": 604_800 * 10**9,
}
LONG = range(-(2**63), 2**63)
_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_PART = re.compile(rf"([+-]?)\s*({_NUMBER})\s*([a-zµ]+)\s*")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_BARE = re.compile(rf"[+-]?\s*(?:{_NUMBER})")
_EXAMPLES = '"5 minutes", "-1 hour -30 seconds" or datetime.timedelta(minutes=5)'


# A column that both sides have, or a left and a right one.
PerKey: TypeAlias = str | Sequence[str | tuple[str, str]]


@dataclass(frozen=True)
class Rows:
    """A window of `count` rows: a pair's later row is matched with the other side's last ones.

    A pair of numbers is of the left and of the right side's rows. `keys` are the left and the
    right columns that the rows are counted by; none where all count.
    """

    count: int | tuple[int, int]
    keys: tuple[tuple[str, str], ...] = ()


def rows(
    count: int | None = None,
    per_key: PerKey | None = None,
    *,
    left: int | None = None,
    right: int | None = None,
) -> Rows:
    """A row-count window for `window_join`: `within=scalegate.rows(10_000)`; at least one row.

    Parameters
    ----------
    count
        The later row of a pair is matched with the last `count` rows of the other side.
    left, right
        In the place of `count`, of each side as many: a right row is matched with the last `left`
        left rows before it, and a left row with the last `right` right rows before it. With
        `rows(left=0, right=10)` only left rows look back; one of both is at least 1.
    per_key
        None counts the rows of all keys: a condition of `on` says which of the last rows match,
        and not which are the last. With a column that both sides have, or a list of columns, the
        last `count` rows *with the later row's own key* are meant: `rows(10, per_key="symbol")`.
        A key whose columns have two names is a pair of the left and the right one:
        `per_key=[("symbol", "ticker"), "venue"]`. Keys of two types are compared in their common
        type, as by Spark's `=`. A row with a NULL among its keys matches nothing and takes no
        place in a window; outer and anti joins give it as unmatched.

    Returns
    -------
    Rows
        For `within` of `window_join`; it holds no data.

    Raises
    ------
    ScalegateError
        When the count is no whole number from 1 to 2147483647, when `left` and `right` are not
        both given, or not from 0 to 2147483647, or both 0, and when `per_key` names no columns.

    Examples
    --------
    >>> scalegate.rows(10_000)
    Rows(count=10000, keys=())
    >>> last = scalegate.rows(1, per_key="symbol")
    >>> trades.window_join(quotes, within=last).orderBy("ts", "ts_right").show()
    +-------------------+------+-----+-------------------+------------+----+
    |                 ts|symbol|price|           ts_right|symbol_right| bid|
    +-------------------+------+-----+-------------------+------------+----+
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:02|           A|10.7|
    |2024-05-01 12:00:03|     A| 10.5|2024-05-01 12:00:08|           A|19.9|
    +-------------------+------+-----+-------------------+------------+----+
    """
    keys = () if per_key is None else _key_pairs(per_key)
    if left is None and right is None:
        return Rows(_row_count(count, f"rows({count})", 1), keys)
    if count is not None or left is None or right is None:
        raise ScalegateError(
            "rows(...) takes one number of rows for both sides, or left= and right=: "
            "rows(10), or rows(left=0, right=10)."
        )
    call = f"rows(left={left}, right={right})"
    counts = (_row_count(left, call, 0), _row_count(right, call, 0))
    if counts == (0, 0):
        raise ScalegateError(f"{call} holds no window: give at least one row of a side.")
    return Rows(counts, keys)


def _row_count(count: object, call: str, least: int) -> int:
    whole = whole_number(count)
    if whole is None:
        raise ScalegateError(f"rows(...) takes a whole number of rows, not {count!r}.")
    if not least <= whole < 2**31:
        raise ScalegateError(f"{call} holds no window: give {least} to {2**31 - 1} rows.")
    return whole


def _key_pairs(per_key: PerKey) -> tuple[tuple[str, str], ...]:
    names = [per_key] if isinstance(per_key, str) else per_key
    pairs = [_key_pair(name) for name in names] if isinstance(names, Sequence) else []
    if not pairs or None in pairs:
        raise ScalegateError(
            f"per_key={per_key!r} names no columns: give one that both sides have, "
            'per_key="symbol", a list of these, or pairs of a left and a right one, '
            'per_key=[("symbol", "ticker")].'
        )
    return tuple(pair for pair in pairs if pair is not None)


def _key_pair(name: object) -> tuple[str, str] | None:
    if isinstance(name, str):
        return name, name
    if isinstance(name, tuple) and len(name) == 2 and all(isinstance(n, str) for n in name):
        return name[0], name[1]
    return None


def whole_number(value: object) -> int | None:
    """Python's own int of what is one, truth values aside."""
    value = plain(value)
    return None if isinstance(value, bool) or not isinstance(value, int) else value


def plain(value: Any) -> Any:
    """The value of a numpy scalar as Python's own type, and others as they are."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.generic):
        return value
    return value if isinstance(value, numpy.timedelta64) else value.item()


def micros(duration: Width, argument: str, unit: str = "second") -> int:
    """A duration in microseconds; `argument` names it in the error, which proposes `unit`."""
    given = plain(duration)
    if isinstance(given, timedelta):
        total = _of_timedelta(given, argument)
    elif isinstance(given, str):
        total = _parse(given, argument, unit)
    elif type(given).__name__ == "timedelta64":
        total = _of_numpy(given, argument)
    elif isinstance(given, Number) and not isinstance(given, bool) and given == 0:
        total = 0
    else:
        raise _without_unit(given, argument, unit)
    if total not in LONG:
        raise ScalegateError(f"{argument}={duration!r} does not fit in 64 bits of microseconds.")
    return total


def number(value: Width, argument: str) -> Number:
    """A finite number that fits Spark's types; `argument` names it in the error."""
    given = plain(value)
    if isinstance(given, bool) or not isinstance(given, Number):
        raise ScalegateError(
            f"{argument}={value!r} is not a number, and its columns are numeric."
        )
    if not math.isfinite(given):
        raise ScalegateError(f"{argument}={given!r} bounds nothing: give a finite number.")
    if isinstance(given, int) and given not in LONG:
        raise ScalegateError(f"{argument}={given!r} does not fit in 64 bits.")
    if isinstance(given, Decimal) and max(given.adjusted() + 1, 0) + _fraction(given) > 38:
        raise ScalegateError(f"{argument}={given!r} has more than a decimal's 38 digits.")
    return given


def exact(value: Number) -> int | Decimal:
    """The number as it is written: 0.05 is five hundredths."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def _fraction(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _without_unit(value: object, argument: str, unit: str) -> ScalegateError:
    is_number = isinstance(value, Number | str) and not isinstance(value, bool)
    proposed = f"{value} {unit}s" if is_number else f"5 {unit}s"
    other = "" if is_number else f" or datetime.timedelta({unit}s=5)"
    return ScalegateError(f'{argument}={value!r} has no unit: write "{proposed}"{other}.')


def _finer(value: object, argument: str) -> ScalegateError:
    return ScalegateError(f"{argument}={value!r} is finer than a microsecond.")


def _of_timedelta(duration: timedelta, argument: str) -> int:
    # pandas' own has nanoseconds, too.
    if getattr(duration, "nanoseconds", 0):
        raise _finer(duration, argument)
    return int(duration // timedelta(microseconds=1))


def _of_numpy(duration: "np.timedelta64", argument: str) -> int:
    numpy = sys.modules["numpy"]
    unit, times = numpy.datetime_data(duration.dtype)
    if numpy.isnat(duration):
        raise ScalegateError(f"{argument}={duration!r} is no duration: write {_EXAMPLES}.")
    count = operator.index(duration.astype("int64").item()) * times
    if unit in ("Y", "M"):
        raise _not_fixed(duration, argument, "year" if unit == "Y" else "month")
    if unit == "generic":
        raise _without_unit(count, argument, "second")
    total, lost = divmod(count * NUMPY_NANOS.get(unit, 0), 1000)
    if lost or (count and unit not in NUMPY_NANOS):
        raise _finer(duration, argument)
    return int(total)


def _not_fixed(value: object, argument: str, unit: str) -> ScalegateError:
    return ScalegateError(
        f"{argument}={value!r}: a {unit} has no fixed length; write the number of days."
    )


def _parse(text: str, argument: str, unit: str) -> int:
    """The sum of the parts, each with its own sign: "-1 hour 30 seconds" is -3570 s in Spark."""
    rest = text.strip().lower().replace("μ", "µ").removeprefix("interval").strip()
    if _BARE.fullmatch(rest):
        if float(rest.replace(" ", "")) == 0:
            return 0
        raise _without_unit(text, argument, unit)
    if not _WHOLE.fullmatch(rest):
        raise ScalegateError(f"{argument}={text!r} is not an interval: write {_EXAMPLES}.")
    return sum(
        (-1 if sign == "-" else 1) * _part_micros(amount, of, text, argument)
        for sign, amount, of in _PART.findall(rest)
    )


def _part_micros(amount: str, unit: str, text: str, argument: str) -> int:
    single = SHORT.get(unit) or unit.removesuffix("s")
    single = SHORT.get(single, single)
    if single in ("month", "year"):
        raise _not_fixed(text, argument, single)
    if single == "m":
        raise ScalegateError(f"{argument}={text!r}: the unit 'm' is two: write min for minutes.")
    if single not in MICROS:
        raise ScalegateError(
            f"{argument}={text!r} has the unknown unit {single!r}: use one of "
            f"{', '.join([*MICROS, *SHORT])}."
        )
    whole, _, fraction = amount.partition(".")
    scaled = int(whole + fraction) * MICROS[single]
    exact, lost = divmod(scaled, int("1" + "0" * len(fraction)))
    if lost:
        raise _finer(text, argument)
    return exact
