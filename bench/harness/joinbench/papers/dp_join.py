"""The figures of DP-Join, and what holds of them here."""

from __future__ import annotations

from collections.abc import Callable

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    Point,
    at,
    compared,
    curves,
    each,
    matching,
    over_threads,
    times,
)
from joinbench.report import Result, number


def relative(line: list[Point]) -> list[Point]:
    return [(x, y / line[0][1]) for x, y in line]


def scalability(result: Result) -> Curves:
    lines = over_threads(r"(linear)/window .*", compared, lambda of: "linear layout")(result)
    ideal = [(x, x) for x, _ in lines["linear layout"]]
    return {**{label: relative(line) for label, line in lines.items()}, "ideal": ideal}


def scalability_holds(lines: Curves) -> str:
    workers, gained = lines["linear layout"][-1]
    return f"{times(gained)} one worker's with {workers:.0f} workers."


def shape(layout: str) -> str:
    rows, columns = (int(n) for n in layout.split("x"))
    if 1 in (rows, columns):
        return "linear"
    return "square" if abs(rows - columns) <= 1 else "rectangular"


def layout_rates(result: Result) -> Curves:
    found = matching(result, "scaling", r"matrix-(\d+x\d+)/.*")
    return curves([(shape(of[1]), m["threads"], compared(m)) for of, m in found])


def layouts_hold(lines: Curves) -> str:
    told = []
    for label, line in lines.items():
        shared = [(x, y) for x, y in line if label != "linear" and x in dict(lines["linear"])]
        told += [
            f"{label} {number(y / at(lines['linear'], x))} of linear with {x:.0f} workers"
            for x, y in shared
        ]
    return "; ".join(told).capitalize() + "."


def latency_of(streams: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = list(matching(result, "latency", rf"{streams}/matrix-(\d+x\d+)"))
        behind = [m for _, m in found if float(m["facts"]["mean ms"]) > 20]
        return curves(
            [
                (shape(of[1]), m["threads"], float(m["facts"]["mean ms"]))
                for of, m in found
                if m not in behind
            ]
        )

    return points


def square_is_best(lines: Curves) -> str:
    workers, square = lines["square"][-1]
    told = each(lines, lambda line: f"{number(at(line, workers))} ms")
    ratio = at(lines["linear"], workers) / square
    return f"With {workers:.0f} workers: {told}; linear takes {times(ratio)} as long as square."


def by_layout(streams: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "latency", rf"{streams}/matrix-(\d+)x(\d+)")
        return curves(
            [
                (f"{m['threads']} workers", int(of[1]), float(m["facts"]["mean ms"]))
                for of, m in found
            ]
        )

    return points


def best_rows(lines: Curves) -> str:
    line = next(iter(lines.values()))
    rows, least = min(line, key=lambda point: point[1])
    workers = next(iter(lines)).split()[0]
    return (
        f"Best with {rows:.0f} x {int(workers) // int(rows)}: {number(least)} ms; "
        f"{number(max(y for _, y in line))} ms at most."
    )


def output_rates(result: Result) -> Curves:
    found = list(matching(result, "output", r"matrix-(\d+x\d+)/.*"))

    def line(label: str, fact: str) -> list[tuple[str, float, float]]:
        return [(label, m["threads"], float(m["facts"][fact])) for _, m in found]

    measured = [
        (shape(of[1]), m["threads"], float(m["facts"]["results/s"]))
        for of, m in found
        if of[1].startswith("1x") or shape(of[1]) != "linear"
    ]
    said = [*line("Expression 3", "by Expr. 3"), *line("Expression 4", "by Expr. 4")]
    return curves([*measured, *dict.fromkeys(said)])


def output_holds(lines: Curves) -> str:
    linear, most = lines["linear"], lines["Expression 3"][0][1]
    offered = dict(lines["Expression 4"])
    below = [(x, y) for x, y in linear if offered[x] < most]
    fewest = next((x for x, y in linear if y > 0.98 * most), None)
    needed = min(x for x, y in offered.items() if y >= most)
    told = ", ".join(f"{number(y / offered[x])} of Expression 4 with {x:.0f}" for x, y in below)
    held = f"held with {fewest:.0f} workers" if fewest else "not held"
    return (
        f"The streams' {number(most)} results/s are {held}, and by Expression 4 with "
        f"{needed:.0f}; the most measured is {number(max(y for _, y in linear) / most)} of "
        f"Expression 3; {told}."
    )


DP_RATES = Paper(
    "dp-rates",
    "Output rates of DP-Join",
    (
        Figure(
            "Fig. 4",
            "output rates by the number of workers, at a fixed rate of input",
            "what is measured and what Expression 3 says differ by less than 2 %; 7 workers are "
            "enough in a line, 8 or 9 in rectangles and squares (§IV-B)",
            "The rate is the one at which the streams need three quarters of the workers, by "
            "what one worker sustains; windows of 2 s. Handshake join is left out.",
            Drawn(
                "Fig. 4: output rates",
                "workers",
                "results/s",
                output_rates,
                output_holds,
            ),
        ),
    ),
)

DP_JOIN = Paper(
    "dp-join",
    "DP-Join",
    (
        Figure(
            "Fig. 4",
            "output rates by the number of workers, at a fixed rate of input",
            elsewhere="[Below](#output-rates-of-dp-join).",
        ),
        Figure(
            "Fig. 5a",
            "scalability of the linear layout",
            "near the ideal up to 16 workers (§IV-B)",
            "Comparisons a second over those of one worker, with a window of 0.5 s on the clock.",
            Drawn(
                "Fig. 5a: scalability, linear layout",
                "workers",
                "times one worker",
                scalability,
                scalability_holds,
            ),
        ),
        Figure(
            "Fig. 5b",
            "the highest rate of input by the number of workers",
            elsewhere="The same runs as Fig. 5a, in tuples a second: "
            "[figures-dp-join](performance/figures-dp-join.md).",
        ),
        Figure(
            "Table I",
            "bandwidth of layouts of as many workers",
            "9,301 rectangular to 8,529 linear with 6 workers, 14,047 square to 13,599 with 9; "
            "21,740, 21,700 and 21,659 with 16: they differ little, and linear is the lowest",
            "Comparisons a second; 12 workers for 16.",
            Drawn(
                "Table I: layouts",
                "workers",
                "comparisons/s",
                layout_rates,
                layouts_hold,
            ),
        ),
        Figure(
            "Fig. 6",
            "mean latency of layouts, symmetric streams",
            "square is best: 0.95 ms with 16 workers, linear 2.42 ms, handshake join 67 s",
            "10,000 tuples/s of each stream and a window of 30 s, which is full when the "
            "measurement begins. Arms that cannot hold the load are left out.",
            Drawn(
                "Fig. 6: mean latency, symmetric streams",
                "workers",
                "ms",
                latency_of("symmetric"),
                square_is_best,
                (("paper, square", (16, 0.95)), ("paper, linear", (16, 2.42))),
            ),
        ),
        Figure(
            "Fig. 7a",
            "mean latency of layouts, rates of 1 to 3",
            "rectangular is best: 0.26 ms for 3 x 5, 0.30 ms for 4 x 4",
            "5,000 and 15,000 tuples/s, windows of 30 s.",
            Drawn(
                "Fig. 7a: mean latency, rates of 1 to 3",
                "rows of the layout",
                "ms",
                by_layout("rates 1 to 3"),
                best_rows,
            ),
        ),
        Figure(
            "Fig. 7b",
            "mean latency of layouts, windows of 1 to 2",
            "rectangular is best",
            "10,000 tuples/s each, windows of 15 and 30 s.",
            Drawn(
                "Fig. 7b: mean latency, windows of 1 to 2",
                "rows of the layout",
                "ms",
                by_layout("windows 1 to 2"),
                best_rows,
            ),
        ),
    ),
)
