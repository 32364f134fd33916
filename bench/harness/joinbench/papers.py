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

from joinbench.report import Measurement, Result, deviation, number

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


# --- ScaleJoin ------------------------------------------------------------------------------


def over_threads(
    arm: str, y: Callable[[Measurement], float], label: Callable[[Any], str]
) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "scaling", arm)
        return curves([(label(of), m["threads"], y(m)) for of, m in found])

    return points


def compared(m: Measurement) -> float:
    return rate(m, "comparisons")


def window_of(fits: Any) -> str:
    return f"window {fits[1]} s"


def speedups(lines: Curves) -> str:
    threads = next(iter(lines.values()))[-1][0]
    return (
        f"With {threads:.0f} threads {between([gain(line) for line in lines.values()])} times "
        "the comparisons of one thread."
    )


def roots(lines: Curves) -> str:
    widest, narrowest = list(lines.values())[-1], next(iter(lines.values()))
    ideal = narrowest[-1][0] ** 0.5
    windows = [float(re.sub("[^0-9.]", "", label)) for label in lines]
    return (
        f"Tuples grow {between([gain(line) for line in lines.values()])} times; the root of the "
        f"number of threads is {number(ideal)}. The shortest window takes "
        f"{number(last(narrowest) / last(widest))} times the rate of the longest; the root of "
        f"the windows' ratio is {number((windows[-1] / windows[0]) ** 0.5)}."
    )


def balance(lines: Curves) -> str:
    return f"At most {number(max(y for line in lines.values() for _, y in line))} %."


def milliseconds(lines: Curves) -> str:
    first, end = (between([line[i][1] for line in lines.values()]) for i in (0, -1))
    falls = all(line[-1][1] < line[0][1] for line in lines.values())
    told = "It falls with the number of threads" if falls else "It does not fall everywhere"
    return (
        f"{first} ms on one thread and {end} ms on all. {told}: what waits in full inputs is of "
        "a fixed size here, and more threads empty it sooner."
    )


def with_baselines(result: Result) -> Curves:
    names = {"llhj": "low-latency handshake"}
    found = matching(result, "scaling", r"(\w+)/window 0\.5 s")
    return curves([(names.get(of[1], of[1]), m["threads"], compared(m)) for of, m in found])


def ahead(lines: Curves) -> str:
    ours = last(lines["scalejoin"])
    others = {label: ours / last(line) for label, line in lines.items() if label != "scalejoin"}
    told = ", ".join(f"{number(r)} of {label}" for label, r in others.items())
    return f"With all threads ScaleJoin makes as many times the comparisons: {told}."


def gate_rates(result: Result) -> Curves:
    found = matching(result, "gate", r"(ScaleGate|SkipListMap) (\d+)×(\d+)")
    readers = {"1": "1 reader", "4": "4 readers"}
    return curves(
        [(f"{of[1]}, {readers.get(of[3], of[3])}", int(of[2]), rate(m)) for of, m in found]
    )


def gate_holds(lines: Curves) -> str:
    ours = {label: line for label, line in lines.items() if label.startswith("ScaleGate")}
    told = "; ".join(
        f"{label.partition(', ')[2]}: {number(line[0][1])} tuples/s from one source, "
        f"{number(last(line))} from {line[-1][0]:.0f}"
        for label, line in ours.items()
    )
    return f"{told}. Each source has a thread of its own."


def skew_spread(result: Result) -> Curves:
    return curves(
        [
            (m["facts"]["case"], m["facts"]["at s"], max(deviation(m), 1e-5))
            for _, m in matching(result, "skew", r"skew/.*")
        ]
    )


def skew_holds(lines: Curves) -> str:
    told = ", ".join(
        f"{label} {number(max(y for _, y in line))} %" for label, line in lines.items()
    )
    return f"At most: {told}."


SCALEJOIN = Paper(
    "scalejoin",
    "ScaleJoin",
    (
        Figure(
            "Fig. 5a, 5d",
            "comparisons a second over processing threads, three windows",
            "grows linearly; 1.4 billion on 16 cores, 4 billion on 48 (§VI)",
            "Windows of 0.5, 1 and 1.5 s on the clock stand for 5, 10 and 15 minutes: their "
            "lengths have the same ratios, and fill while one waits. One thread feeds and takes "
            "results, and kernels compare with vectors.",
            Drawn(
                "Fig. 5a, 5d: comparisons/s",
                "processing threads",
                "comparisons/s",
                over_threads(r"scalejoin/window ([\d.]+) s", compared, window_of),
                speedups,
                (("paper, 16 cores", (16, 1.4e9)),),
            ),
        ),
        Figure(
            "Fig. 5b, 5e",
            "tuples a second over processing threads",
            "grows with the root of the number of threads; 3,000, 2,100 and 1,750 on 16 cores",
            "The same runs.",
            Drawn(
                "Fig. 5b, 5e: tuples/s of both streams",
                "processing threads",
                "tuples/s",
                over_threads(r"scalejoin/window ([\d.]+) s", rate, window_of),
                roots,
            ),
        ),
        Figure(
            "Fig. 5c, 5f",
            "standard deviation of the threads' comparisons, in percent of their mean",
            "at most 2 % up to 16 threads, 4 % up to 48",
            "The same runs, over one second: a thread may be some tuples ahead at its ends.",
            Drawn(
                "Fig. 5c, 5f: balance",
                "processing threads",
                "standard deviation, %",
                over_threads(
                    r"scalejoin/window ([\d.]+) s",
                    deviation,
                    window_of,
                ),
                balance,
                (("paper, most on 16", (16, 2.0)),),
            ),
        ),
        Figure(
            "Fig. 6",
            "comparisons a second beside handshake join",
            "the difference grows linearly with the threads; on 48, 4 billion against 1.5",
            "Handshake join, its low-latency variant, SplitJoin and CellJoin are our own, on the "
            "same kernels: what is compared is how tuples reach the threads.",
            Drawn(
                "Fig. 6: beside other parallel joins",
                "threads",
                "comparisons/s",
                with_baselines,
                ahead,
            ),
        ),
        Figure(
            "Fig. 7a",
            "tuples a second through a ScaleGate, over sources and readers",
            "grows with the sources up to 150,000 and does not fall with the readers",
            "A source and a reader are a thread each. A `ConcurrentSkipListMap` with explicit "
            "readiness is set beside it, as in T-Gate's Fig. 7.",
            Drawn(
                "Fig. 7a: ScaleGate alone",
                "sources",
                "tuples/s",
                gate_rates,
                gate_holds,
                (("paper, most", (16, 150_000)),),
                log_y=True,
            ),
        ),
        Figure(
            "Fig. 7b, 7c",
            "latency at the highest rate",
            "at most 70 ms, and it grows with the threads",
            "The runs of Fig. 5, mean. Inputs are full at such a rate, so it is mostly what "
            "waits in them.",
            Drawn(
                "Fig. 7b, 7c: latency at the highest rate",
                "processing threads",
                "ms",
                over_threads(
                    r"scalejoin/window ([\d.]+) s",
                    lambda m: float(m["facts"]["mean ms"]),
                    window_of,
                ),
                milliseconds,
                (("paper, most", (16, 70)),),
            ),
        ),
        Figure(
            "Fig. 8",
            "balance of the threads with streams in parts: constant rates, sine waves, peaks",
            "a standard deviation of 0.05 %, 0.1 % and 0.1 %",
            "10, 12 and 14 threads, and as many parts, as in the paper, in periods of 10 s with "
            "a window of 60 s, of the streams' time. The paper states rates for the first case "
            "only; waves and peaks are ours.",
            Drawn(
                "Fig. 8: balance with streams in parts",
                "seconds of the streams",
                "standard deviation, %",
                skew_spread,
                skew_holds,
                (("paper, constant", (300, 0.05)), ("paper, the others", (300, 0.1))),
                log_y=True,
            ),
        ),
    ),
)


# --- DP-Join --------------------------------------------------------------------------------


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
    told = ", ".join(
        f"{label} {number(at(line, workers))} ms" for label, line in lines.items() if line
    )
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


DP_JOIN = Paper(
    "dp-join",
    "DP-Join",
    (
        Figure(
            "Fig. 4",
            "output rates by the number of workers, at a fixed rate of input",
            elsewhere="Not run: Expression 3, which it checks, is not in the code yet.",
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


# --- PPOIJ ----------------------------------------------------------------------------------

PATTERN = r"interval/(KP|DP|HP)/W=100000"
LARGE = 100_000


def by_keys(skew: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = [
            (of, m)
            for of, m in matching(result, "interval", rf"{PATTERN}/keys=(\d+)/s={skew}")
            if of[2] != "50" or m["threads"] == most_of_keys(result)
        ]
        return curves([(of[1], int(of[2]), rate(m)) for of, m in found])

    return points


def most_of_keys(result: Result) -> int:
    """The replicas of the runs over the numbers of keys."""
    return next(m["threads"] for _, m in matching(result, "interval", rf"{PATTERN}/keys=5/.*"))


def keys_hold(lines: Curves) -> str:
    keys = [x for x, _ in lines["HP"]]
    best = [max(lines, key=lambda label: at(lines[label], x)) for x in keys]
    behind = max(
        1 - at(lines["HP"], x) / max(at(lines[p], x) for p in ("KP", "DP")) for x in keys
    )
    told = ", ".join(f"{x:,.0f} keys: {b}" for x, b in zip(keys, best, strict=True))
    short = f"HP is at most {100 * max(behind, 0):.0f} % behind the better of the other two"
    return f"Best by keys: {told}. {short}."


def replicas(result: Result) -> Curves:
    found = matching(result, "interval", rf"{PATTERN}/keys=50/s=0\.35")
    return curves([(of[1], m["threads"], rate(m)) for of, m in found])


def replicas_hold(lines: Curves) -> str:
    most = lines["HP"][-1][0]
    told = ", ".join(f"{label} {number(gain(line))}" for label, line in lines.items())
    return f"Times one replica's rate with {most:.0f}: {told}."


def unbalance(result: Result) -> Curves:
    found = matching(result, "interval", rf"{PATTERN}/keys=(\d+)/s=0\.35")
    most = most_of_keys(result)
    return curves([(of[1], int(of[2]), deviation(m)) for of, m in found if m["threads"] == most])


def unbalance_holds(lines: Curves) -> str:
    told = ", ".join(
        f"{label} {between([y for _, y in line])} %" for label, line in lines.items()
    )
    return f"Standard deviation of the replicas' comparisons: {told}."


def by_skew(result: Result) -> Curves:
    most = most_of_keys(result)
    found = matching(result, "interval", rf"{PATTERN}/keys=50/s=(0\.\d+)")
    return curves([(of[1], float(of[2]), rate(m)) for of, m in found if m["threads"] == most])


def skew_rates_hold(lines: Curves) -> str:
    told = ", ".join(
        f"{label} {number(line[0][1])} to {number(last(line))}" for label, line in lines.items()
    )
    return f"Tuples a second from the most skewed to the least: {told}."


def beside_scale_oij(result: Result) -> Curves:
    found = matching(result, "interval", r"interval/(HP|Scale-OIJ)/W=10000/keys=(\d+)/s=0\.5")
    return curves([(f"{of[1]}, {of[2]} keys", m["threads"], rate(m)) for of, m in found])


def scale_oij_holds(lines: Curves) -> str:
    told = []
    for keys in ("100", "1000"):
        ours, theirs = (lines[f"{arm}, {keys} keys"] for arm in ("HP", "Scale-OIJ"))
        told.append(f"{number(last(ours) / last(theirs))} with {keys} keys")
    return f"With all replicas HP takes as many times the tuples of Scale-OIJ: {', '.join(told)}."


OF_PPOIJ = (
    "A self-similar distribution as in the paper; streams alternate, and a second attribute "
    "keeps results few. Every replica reads every tuple of one gate, where the paper's emitters "
    "send each tuple to those that need it."
)
PPOIJ = Paper(
    "ppoij",
    "PPOIJ",
    (
        Figure(
            "Fig. 10",
            "throughput by the number of keys, uniform",
            "KP is best from 25 keys on, DP only with one key (§5.1)",
            OF_PPOIJ,
            Drawn(
                "Fig. 10: uniform keys",
                "keys",
                "tuples/s",
                by_keys(r"0\.5"),
                keys_hold,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 11",
            "throughput by the number of keys, skew 0.35",
            "DP is best with few keys, then HP; KP seldom",
            "As Fig. 10.",
            Drawn(
                "Fig. 11: skewed keys",
                "keys",
                "tuples/s",
                by_keys(r"0\.35"),
                keys_hold,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 12",
            "balance of the replicas by the number of keys",
            "DP is perfectly balanced, HP nearly, KP with many keys only",
            "The right half, as the standard deviation of the replicas' comparisons; the "
            "splitting degree of the left half is not recorded.",
            Drawn(
                "Fig. 12: balance, skewed keys",
                "keys",
                "standard deviation, %",
                unbalance,
                unbalance_holds,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 13",
            "throughput by the number of replicas, 50 keys, skew 0.35",
            "HP scales best",
            "As Fig. 10.",
            Drawn(
                "Fig. 13: replicas, skewed keys", "replicas", "tuples/s", replicas, replicas_hold
            ),
        ),
        Figure(
            "Fig. 14",
            "throughput by the skew of 50 keys (0.5 is uniform)",
            "DP hardly changes, KP grows as the skew falls, HP is best between",
            "As Fig. 10.",
            Drawn(
                "Fig. 14: skew, 50 keys",
                "skew (smaller is more skewed)",
                "tuples/s",
                by_skew,
                skew_rates_hold,
            ),
        ),
        Figure(
            "Fig. 15",
            "throughput by the size of batches",
            elsewhere="Not run: replicas here read from a gate, and nothing is sent in batches.",
        ),
        Figure(
            "Fig. 16",
            "latency, uniform and skewed",
            elsewhere="Not run.",
        ),
        Figure(
            "Fig. 17",
            "throughput beside Scale-OIJ by the number of replicas, 100 and 1,000 keys",
            "Scale-OIJ is ahead below 4 replicas, and behind from there on",
            "Scale-OIJ is our own; an interval of 10,000 tuples to both sides. Flink's interval "
            "join is in [streams](performance/streams.md).",
            Drawn(
                "Fig. 17: beside Scale-OIJ",
                "replicas",
                "tuples/s",
                beside_scale_oij,
                scale_oij_holds,
                log_y=True,
            ),
        ),
        Figure("Fig. 18", "latency beside Scale-OIJ", elsewhere="Not run."),
    ),
)


# --- PIM-Tree -------------------------------------------------------------------------------


def index_threads(result: Result) -> Curves:
    names = {"parallel": "parallel, PIM-Tree", "roundrobin": "round robin, B+-Tree"}
    found = list(matching(result, "scaled", r"(parallel|roundrobin|indexjoin)/w=2\^20"))
    lines = curves([(names[of[1]], m["threads"], rate(m)) for of, m in found if of[1] in names])
    most = max(x for line in lines.values() for x, _ in line)
    alone = next(rate(m) for of, m in found if of[1] == "indexjoin")
    return {**lines, "one thread, PIM-Tree": [(1, alone), (most, alone)]}


def threads_hold(lines: Curves) -> str:
    line = lines["parallel, PIM-Tree"]
    best, most = max(line, key=lambda point: point[1]), line[-1]
    alone = lines["one thread, PIM-Tree"][0][1]
    return (
        f"Best with {best[0]:.0f} threads: {times(best[1] / line[0][1])} its own rate on one, "
        f"{times(best[1] / alone)} the join on one thread; {times(most[1] / line[0][1])} with "
        f"{most[0]:.0f}."
    )


def index_windows(result: Result) -> Curves:
    names = {"indexjoin": "one thread", "parallel": "parallel", "blocking": "blocking merge"}
    found = matching(result, "scaled", r"(indexjoin|parallel|blocking)/w=2\^(\d+)")
    wide = [(of, m) for of, m in found if of[2] != "20"]
    return curves([(names[of[1]], int(of[2]), rate(m)) for of, m in wide])


def windows_hold(lines: Curves) -> str:
    ratios = {x: y / at(lines["one thread"], x) for x, y in lines["parallel"]}
    told = ", ".join(f"{number(r)} at 2^{x:.0f}" for x, r in ratios.items())
    merge = [y / at(lines["parallel"], x) for x, y in lines["blocking merge"]]
    return (
        f"The parallel join takes as many times the tuples of one thread: {told}. Blocking "
        f"merges give {between(merge)} times the rate of those that do not block."
    )


ON_ONE_THREAD = "[index](performance/index.md), one thread"
PIM_TREE = Paper(
    "pim-tree",
    "PIM-Tree",
    (
        Figure(
            "Fig. 8a, 12a",
            "parallel index joins by the number of threads, w = 2^20",
            "4.6 times with 8 threads and 5.7 with 16, of its own on one; concurrency control "
            "costs 40 %; round robin gains 2.5 times (§5.1, §5.2)",
            "Uniform keys, match rate 2, merge ratio 1. One thread feeds both streams and takes "
            "the results, where the paper's threads take tuples that are there already; a thread "
            "that finds the queue taken by another sleeps. The self-join is not built.",
            Drawn(
                "Fig. 8a, 12a: threads, w = 2^20",
                "threads",
                "tuples/s",
                index_threads,
                threads_hold,
            ),
        ),
        Figure("Fig. 8b", "chained indexes", elsewhere=ON_ONE_THREAD + "."),
        Figure("Fig. 8c, 9a", "insertion depth", elsewhere="Not run over depths."),
        Figure("Fig. 9b, 9c, 9d", "merge ratio", elsewhere="Not run over ratios."),
        Figure("Fig. 10a", "cost of the steps", elsewhere="Not run."),
        Figure(
            "Fig. 10b",
            "B+-Tree, IM-Tree and PIM-Tree by window",
            elsewhere=ON_ONE_THREAD + ".",
        ),
        Figure("Fig. 10c", "match rate", elsewhere="Not run over match rates."),
        Figure("Fig. 11", "task size, memory", elsewhere="Not run."),
        Figure(
            "Fig. 12b",
            "one thread and many by window, blocking merges and those that do not",
            "3.7 times one thread between 2^15 and 2^25; blocking is slightly faster",
            "As Fig. 12a, at four windows. No Bw-Tree.",
            Drawn(
                "Fig. 12b: windows",
                "logarithm of the window",
                "tuples/s",
                index_windows,
                windows_hold,
            ),
        ),
        Figure("Fig. 12c", "self-join", elsewhere="Not built: a self-join has two indexes here."),
        Figure(
            "Fig. 13",
            "Gaussian, Gamma and drifting keys",
            elsewhere="[index](performance/index.md), Gaussian and drifting keys on one thread; "
            "no Gamma, and not in parallel.",
        ),
    ),
)


# --- T-Gate and W-Hive ----------------------------------------------------------------------


def by_inputs(query: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "aggregate", rf"{query} (\d+)in (MQ|MQLF|TuMLSC|WiML)")
        return curves([(of[2], int(of[1]), rate(m)) for of, m in found])

    return points


def inputs_hold(lines: Curves) -> str:
    told = ", ".join(f"{label} {number(gain(line))}" for label, line in lines.items())
    best = max(lines, key=lambda label: last(lines[label]))
    most = lines["MQ"][-1][0]
    return (
        f"Of the rate with 2 inputs, with {most:.0f}: {told}. There {best} takes "
        f"{times(last(lines[best]) / last(lines['MQ']))} the tuples of MQ."
    )


def update_threads(result: Result) -> Curves:
    found = matching(result, "aggregate", r"([kK]-OS) 20in TuMLMC\((\d+)\)")
    return curves([(of[1], int(of[2]), rate(m)) for of, m in found])


def updates_hold(lines: Curves) -> str:
    told = ", ".join(f"{label} {number(gain(line))}" for label, line in lines.items())
    most = next(iter(lines.values()))[-1][0]
    return f"Of the rate with one update thread, with {most:.0f}: {told}."


def inputs_figure(name: str, query: str, said: str) -> Figure:
    return Figure(
        name,
        f"throughput by the number of inputs, query {query}",
        said,
        "A thread feeds several inputs where there are fewer cores than inputs.",
        Drawn(
            f"{name}: {query}", "inputs", "tuples/s", by_inputs(query), inputs_hold, log_y=True
        ),
    )


FALLS = "MQ and MQLF fall with the inputs, TuMLSC stays"
T_GATE = Paper(
    "t-gate",
    "T-Gate and W-Hive",
    (
        Figure(
            "Fig. 7",
            "T-Gate beside a skip list by the number of inputs",
            elsewhere="[gate](performance/gate.md), and ScaleJoin's Fig. 7a above.",
        ),
        Figure("Fig. 12", "durations of the operations", elsewhere="Not measured."),
        inputs_figure("Fig. 17, order-sensitive, few keys", "k-OS", FALLS),
        inputs_figure("Fig. 17, order-sensitive, many keys", "K-OS", FALLS),
        inputs_figure("Fig. 17, few keys", "k-OI", FALLS + ", WiML grows"),
        inputs_figure("Fig. 17, many keys", "K-OI", FALLS + ", WiML grows"),
        Figure(
            "Fig. 22, 27",
            "throughput by windows of a tuple, and by the cost of the function",
            elsewhere="[aggregates](performance/aggregates.md), the eight other queries.",
        ),
        Figure(
            "Fig. 34",
            "TuMLMC by the number of update threads",
            "the rate grows with the threads, more with many keys (§7.4)",
            "20 inputs.",
            Drawn("Fig. 34: TuMLMC", "update threads", "tuples/s", update_threads, updates_hold),
        ),
    ),
)

PAPERS = (SCALEJOIN, T_GATE, PIM_TREE, DP_JOIN, PPOIJ)
