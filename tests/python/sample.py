"""How much of what they could try the tests try, as `io.scalegate.Sample` says for Scala's: a
sample, the same in every run, and all of it with SCALEGATE_SOAK, as `make soak` sets it."""

import os
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

SOAK = int(os.environ.get("SCALEGATE_SOAK", "0")) > 0
T = TypeVar("T")


def turn(values: Sequence[T], number: int) -> Sequence[T]:
    """All in a campaign; otherwise the one whose turn it is: over several numbers in a row each
    comes up."""
    return values if SOAK else [values[number % len(values)]]


def covering(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All combinations in a campaign; otherwise as many as it takes for each value to come up."""
    if SOAK:
        return list(product(*values))
    return [tuple(each[i % len(each)] for each in values) for i in range(max(map(len, values)))]


def marked(
    cases: Sequence[tuple[Any, ...]], mark: pytest.MarkDecorator, *numbers: int
) -> list[Any]:
    """All cases, those of the numbers with a mark."""
    return [
        pytest.param(*case, marks=[mark] if number in numbers else [])
        for number, case in enumerate(cases)
    ]
