"""The papers' figures and tables: how each is drawn from the results, what its paper says, and
what of that holds in them.

Points of a paper are those that its text or a table states; a curve that it only draws is not
guessed from the picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from joinbench.report import Measurement, Result, number

Point = tuple[float, float]
Curves = dict[str, list[Point]]
"""By the label of a line; points in the order of x."""


@dataclass(frozen=True)
class Drawn:
    """One plot."""

    title: str
    x: str
    y: str
    curves: Callable[[Result], Curves]
    holds: Callable[[Curves], str]
    """What the curves say, in sentences with their figures."""
    published: tuple[tuple[str, Point], ...] = ()
    """Points of the paper on the same axes."""
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Figure:
    """One figure or table of a paper, or a few that show the same.

    `said` is what the paper says of it and `same` what is the same here and what is not. One that
    is not drawn says in `elsewhere` where its numbers are, or why there are none.
    """

    number: str
    shows: str
    said: str = ""
    same: str = ""
    drawn: Drawn | None = None
    elsewhere: str = ""


@dataclass(frozen=True)
class Paper:
    key: str
    """Of its result file, `figures-<key>.json`, and of its picture."""
    title: str
    figures: tuple[Figure, ...]


def matching(result: Result, family: str, pattern: str) -> Iterator[tuple[Any, Measurement]]:
    """The measurements of a family whose arms fit the pattern, with its groups."""
    for m in result["measurements"]:
        fits = re.fullmatch(pattern, m["arm"]) if m["family"] == family else None
        if fits:
            yield fits, m


def rate(m: Measurement, work: str = "tuples") -> float:
    return float(m["work"][work]) / median(m["seconds"])


def curves(points: Sequence[tuple[str, float, float]]) -> Curves:
    lines: Curves = {}
    for label, x, y in points:
        lines.setdefault(label, []).append((x, y))
    return {label: sorted(line) for label, line in lines.items()}


def last(line: list[Point]) -> float:
    return line[-1][1]


def gain(line: list[Point]) -> float:
    """The last point as a multiple of the first."""
    return line[-1][1] / line[0][1]


def at(line: list[Point], x: float) -> float:
    return next(y for here, y in line if here == x)


def times(value: float) -> str:
    return f"{number(value)} times"


def between(values: Sequence[float]) -> str:
    least, most = number(min(values)), number(max(values))
    return least if least == most else f"{least} to {most}"


def over_threads(
    arm: str, y: Callable[[Measurement], float], label: Callable[[Any], str]
) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "scaling", arm)
        return curves([(label(of), m["threads"], y(m)) for of, m in found])

    return points


def compared(m: Measurement) -> float:
    return rate(m, "comparisons")


def each(lines: Curves, say: Callable[[list[Point]], str]) -> str:
    """What there is to say of each line, after its label."""
    return ", ".join(f"{label} {say(line)}" for label, line in lines.items())
