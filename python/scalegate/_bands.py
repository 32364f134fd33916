"""Bands: how far apart the values of two columns may be, checked and said as a condition."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar, cast

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from scalegate import _schema as schema
from scalegate import _widths
from scalegate._errors import ScalegateError
from scalegate._schema import Frame
from scalegate._widths import Number, Width

Bounds: TypeAlias = tuple[Width, Width]
Band: TypeAlias = tuple[str, Width | Bounds]
N = TypeVar("N", bound=Number)


class CheckedBand:
    """Two columns, and where the right one's value may lie from the left one's.

    Differences of integers that wrap around (`wraps`) are taken in a type that has room for them:
    else values far apart would pass, and no index could tell which.
    """

    def __init__(
        self, left: T.StructField, right: T.StructField, width: Width | Bounds, wraps: bool
    ) -> None:
        self.left, self.right = left, right
        types = (left.dataType, right.dataType)
        self.roomy = None
        if wraps and all(isinstance(t, T.IntegralType) for t in types):
            has_long = any(isinstance(t, T.LongType) for t in types)
            self.roomy = "decimal(20, 0)" if has_long else "bigint"
        self.numeric = isinstance(left.dataType, schema.NUMBERS)
        self.symmetric = not isinstance(width, Sequence) or isinstance(width, str)
        argument = f"bands[{left.name!r}]"
        if self.symmetric:
            self.upper = self._bound(cast(Width, width), argument, math.floor)
            self.lower = -not_negative(self.upper, width, argument)
        else:
            lower, upper = _two(cast(Bounds, width), argument)
            self.lower = self._bound(lower, argument, math.ceil)
            self.upper = self._bound(upper, argument, math.floor)
            if self.lower > self.upper:
                raise ScalegateError(
                    f"{argument}={width!r} is inverted: give the lower bound first, as in "
                    "(-5, 10)."
                )

    def _bound(self, width: Width, argument: str, whole: Callable[[Number], int]) -> Number:
        if not self.numeric:
            return schema.amount(width, self.left.dataType, argument)
        value = _widths.number(width, argument)
        types = (self.left.dataType, self.right.dataType)
        if any(isinstance(t, schema.FLOATING) for t in types):
            return float(value)
        if any(isinstance(t, T.DecimalType) for t in types):
            return _widths.exact(value)
        return whole(value)

    def condition(self, renamed: Mapping[str, str]) -> Column:
        """That a pair lies within the band, under the right columns' new names."""
        other = renamed[self.right.name]
        if not self.numeric:
            mine = F.col(schema.quote(self.left.name))
            return between(mine, other, (self.lower, self.upper), self.left.dataType)
        mine, others = (F.col(schema.quote(name)) for name in (self.left.name, other))
        if self.roomy is not None:
            mine, others = mine.cast(self.roomy), others.cast(self.roomy)
        if self.symmetric:
            return F.abs(mine - others) <= F.lit(self.upper)
        return (others - mine).between(F.lit(self.lower), F.lit(self.upper))


def checked_bands(bands: Mapping[str, Band], sides: tuple[Frame, Frame]) -> list[CheckedBand]:
    """The bands, each of two columns that have a distance between them."""
    if not isinstance(bands, Mapping) or not bands:
        raise ScalegateError(
            f'bands={bands!r}: give at least one band, as in bands={{"x": ("a", 10)}}.'
        )
    return [_checked(name, band, sides) for name, band in bands.items()]


def _checked(name: str, band: Band, sides: tuple[Frame, Frame]) -> CheckedBand:
    if isinstance(band, str) or not isinstance(band, Sequence) or len(band) != 2:
        raise ScalegateError(
            f"bands[{name!r}]={band!r}: give the right side's column and the width, as in "
            f'{{{name!r}: ("a", 10)}}, or two bounds, as in {{{name!r}: ("a", (-5, 10))}}.'
        )
    left, right = sides[0].field(name, "bands"), sides[1].field(band[0], "bands")
    schema.check_band(left, right)
    return CheckedBand(left, right, band[1], schema.wraps(sides[0].df))


def _two(bounds: Bounds, argument: str) -> Bounds:
    if len(bounds) != 2:
        raise ScalegateError(
            f"{argument}={bounds!r}: give one width, or a lower and an upper bound, as in "
            "(-5, 10)."
        )
    return bounds


def not_negative(amount: N, given: object, argument: str) -> N:
    """A width, which is zero or more."""
    if amount < 0:
        raise ScalegateError(f"{argument}={given!r} is negative: a width is zero or more.")
    return amount


def between(start: Column, right: str, bounds: Sequence[Number], data_type: T.DataType) -> Column:
    """That the right column's value lies from one amount to another after the left one's."""
    lower, upper = (start + schema.literal(bound, data_type) for bound in bounds)
    return F.col(schema.quote(right)).between(lower, upper)
