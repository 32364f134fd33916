"""What PIM-Tree gains on two bands at once, which the paper leaves to future work."""

from __future__ import annotations

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    at,
    curves,
    matching,
    rate,
)
from joinbench.report import Result, number

ARM = r"(indexjoin|parallel)(-2d)?/w=2\^(\d+)/plane/uniform/matches (\d+)"
THREADS = {"indexjoin": "one thread", "parallel": "all threads"}


def label(threads: str, dimensions: str | None) -> str:
    return f"{THREADS[threads]}, {'both bands' if dimensions else 'one band'}"


def by_window(result: Result) -> Curves:
    found = matching(result, "scaled", ARM)
    return curves([(label(of[1], of[2]), int(of[3]), rate(m)) for of, m in found if of[4] == "2"])


def tested(result: Result) -> Curves:
    found = matching(result, "scaled", ARM)
    return curves(
        [
            (label(of[1], of[2]), int(of[3]), m["work"]["comparisons"] / m["work"]["tuples"])
            for of, m in found
            if of[4] == "2" and of[1] == "indexjoin"
        ]
    )


def by_matches(result: Result) -> Curves:
    found = matching(result, "scaled", ARM)
    return curves(
        [(label(of[1], of[2]), int(of[4]), rate(m)) for of, m in found if of[3] == "18"]
    )


def gained(lines: Curves, unit: str) -> str:
    told = [
        f"{threads} "
        + ", ".join(
            f"{number(y / at(lines[f'{threads}, one band'], x))} at {unit}{x:.0f}"
            for x, y in lines[f"{threads}, both bands"]
        )
        for threads in THREADS.values()
        if f"{threads}, both bands" in lines
    ]
    return f"On both bands as many times the tuples of one: {'; '.join(told)}."


def windows_hold(lines: Curves) -> str:
    return gained(lines, "2^")


def matches_hold(lines: Curves) -> str:
    return gained(lines, "")


def tested_holds(lines: Curves) -> str:
    one, both = lines["one thread, one band"], lines["one thread, both bands"]
    told = ", ".join(f"{number(y)} and {number(at(both, x))} at 2^{x:.0f}" for x, y in one)
    return f"Rows tested for a tuple on one band and on both: {told}."


RATE = "tuples/s"
WINDOW = "logarithm of the window"
SAID = "a multidimensional index is future work (§7)"
PIM_PLANE = Paper(
    "pim-plane",
    "PIM-Tree on two bands",
    (
        Figure(
            "Two bands, by window",
            "an index over one band and over both",
            SAID,
            "Two uniform keys, bands of one width that together match two tuples. An index over "
            "one band carries the other's attribute and tests it where it searches.",
            Drawn("Two bands, 2 matches", WINDOW, RATE, by_window, windows_hold),
        ),
        Figure(
            "Two bands, rows tested",
            "what a search looks at",
            SAID,
            "As before, on one thread.",
            Drawn(
                "Rows tested for a tuple",
                WINDOW,
                "rows",
                tested,
                tested_holds,
                log_y=True,
            ),
        ),
        Figure(
            "Two bands, by match rate",
            "an index over one band and over both, w = 2^18",
            SAID,
            "Wider bands: each match is handed over, whichever index finds it.",
            Drawn(
                "Two bands, w = 2^18",
                "matches",
                RATE,
                by_matches,
                matches_hold,
                log_x=True,
            ),
        ),
    ),
)
