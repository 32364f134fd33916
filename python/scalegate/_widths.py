"""Reads widths and bounds: intervals and timedeltas as microseconds, numbers as they are."""

import math
import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TypeAlias

from scalegate._errors import ScalegateError

Duration: TypeAlias = str | timedelta
Number: TypeAlias = int | float | Decimal
Width: TypeAlias = str | timedelta | Number

MICROS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
LONG = range(-(2**63), 2**63)
_PART = re.compile(r"([+-]?)\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_EXAMPLES = '"5 minutes", "-1 hour -30 seconds" or datetime.timedelta(minutes=5)'


@dataclass(frozen=True)
class Rows:
    """A window of `count` rows: a pair's later row is matched with the other side's last ones."""

    count: int


def rows(count: int) -> Rows:
    """A row-count window for `window_join`: `within=scalegate.rows(10_000)`; at least one row."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise ScalegateError(f"rows(...) takes a whole number of rows, not {count!r}.")
    if not 1 <= count < 2**31:
        raise ScalegateError(f"rows({count}) holds no window: give 1 to {2**31 - 1} rows.")
    return Rows(count)


def micros(duration: Duration, argument: str) -> int:
    """A duration in microseconds; `argument` names it in the error."""
    if isinstance(duration, timedelta):
        total = duration // timedelta(microseconds=1)
    else:
        total = _parse(duration, argument)
    if total not in LONG:
        raise ScalegateError(f"{argument}={duration!r} does not fit in 64 bits of microseconds.")
    return total


def number(value: Width, argument: str) -> Number:
    """A finite number that fits Spark's types; `argument` names it in the error."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ScalegateError(
            f"{argument}={value!r} is not a number, and its columns are numeric."
        )
    if not math.isfinite(value):
        raise ScalegateError(f"{argument}={value!r} bounds nothing: give a finite number.")
    if isinstance(value, int) and value not in LONG:
        raise ScalegateError(f"{argument}={value!r} does not fit in 64 bits.")
    if isinstance(value, Decimal) and max(value.adjusted() + 1, 0) + _fraction(value) > 38:
        raise ScalegateError(f"{argument}={value!r} has more than a decimal's 38 digits.")
    return value


def exact(value: Number) -> int | Decimal:
    """The number as it is written: 0.05 is five hundredths."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def _fraction(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _parse(text: str, argument: str) -> int:
    """The sum of the parts, each with its own sign: "-1 hour 30 seconds" is -3570 s in Spark."""
    rest = text.strip().lower().removeprefix("interval").strip()
    if not _WHOLE.fullmatch(rest):
        raise ScalegateError(f"{argument}={text!r} is not an interval: write {_EXAMPLES}.")
    return sum(
        (-1 if sign == "-" else 1) * _part_micros(amount, unit, text, argument)
        for sign, amount, unit in _PART.findall(rest)
    )


def _part_micros(amount: str, unit: str, text: str, argument: str) -> int:
    unit = unit.removesuffix("s")
    if unit in ("month", "year"):
        raise ScalegateError(
            f"{argument}={text!r}: a {unit} has no fixed length; write the number of days."
        )
    if unit not in MICROS:
        raise ScalegateError(
            f"{argument}={text!r} has the unknown unit {unit!r}: use one of {', '.join(MICROS)}."
        )
    whole, _, fraction = amount.partition(".")
    scaled = int(whole + fraction) * MICROS[unit]
    exact, lost = divmod(scaled, int("1" + "0" * len(fraction)))
    if lost:
        raise ScalegateError(f"{argument}={text!r} is finer than a microsecond.")
    return exact
