"""Makes the functions methods of DataFrame, which classic and Connect frames both extend.

Type checkers do not see what is attached: `typed` gives them a class that has the methods.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import DataFrame

from scalegate import _aggregates, _asof, _cube, _interval_aggregate, _joins

METHODS: tuple[Callable[..., DataFrame], ...] = (
    _joins.interval_join,
    _joins.band_join,
    _joins.window_join,
    _cube.cube_join,
    _asof.asof_join,
    _asof.nearest_join,
    _interval_aggregate.interval_aggregate,
    _aggregates.window_aggregate,
)

if TYPE_CHECKING:

    class Frame(DataFrame):
        """A DataFrame, as type checkers see it once this package is imported."""

        interval_join = _joins.interval_join
        band_join = _joins.band_join
        window_join = _joins.window_join
        cube_join = _cube.cube_join
        asof_join = _asof.asof_join
        nearest_join = _asof.nearest_join
        interval_aggregate = _interval_aggregate.interval_aggregate
        window_aggregate = _aggregates.window_aggregate
else:
    Frame = DataFrame


def typed(df: DataFrame) -> "Frame":
    """The very same DataFrame, for type checkers: of a class that has the package's methods.

    Parameters
    ----------
    df
        Any DataFrame.

    Returns
    -------
    Frame
        `df` itself.

    Examples
    --------
    >>> scalegate.typed(trades) is trades
    True
    """
    return cast("Frame", df)


def attach_methods() -> None:
    """Attach each under its own name, unless DataFrame has a method of that name."""
    for function in METHODS:
        present: Any = getattr(DataFrame, function.__name__, function)
        if getattr(present, "__module__", "").startswith("scalegate"):
            setattr(DataFrame, function.__name__, function)
