"""Makes the joins methods of DataFrame, the class that classic and Connect frames both extend."""

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame

from scalegate import _joins

JOINS: tuple[Callable[..., DataFrame], ...] = (
    _joins.interval_join,
    _joins.band_join,
    _joins.window_join,
)


def attach_methods() -> None:
    """Attach each join under its own name, unless DataFrame has a method of that name."""
    for join in JOINS:
        present: Any = getattr(DataFrame, join.__name__, join)
        if getattr(present, "__module__", "").startswith("scalegate"):
            setattr(DataFrame, join.__name__, join)
