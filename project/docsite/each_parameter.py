"""A Griffe extension: parameters that are told of together get a type and a default each.

Griffe would give all of `lower, upper` what the first of them has.
"""

import re
from typing import Any

import griffe

TOGETHER = re.compile(r"^(\w+(?:, \w+)+)\n((?: +.*\n?)+)", re.MULTILINE)


class EachParameter(griffe.Extension):
    """Writes the text once for each name, before it is read."""

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """For each function and method, when it was read from its file."""
        if func.docstring is not None:
            func.docstring.value = TOGETHER.sub(_apart, func.docstring.value)


def _apart(group: re.Match[str]) -> str:
    text = group[2].rstrip("\n")
    return "".join(f"{name}\n{text}\n" for name in group[1].split(", "))
