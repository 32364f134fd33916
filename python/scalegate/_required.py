"""Arguments without a default whose absence is answered with an example of a call."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def required(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: keyword-only arguments of these names that a call leaves out are None.

    The function refuses None and shows a call that gives the argument, in the unit that the
    columns have; Python's own error would only name it. Type checkers and `help` see arguments
    without a default.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in names:
                kwargs.setdefault(name, None)
            return function(*args, **kwargs)

        return call

    return decorate
