"""PIM-Tree's figures over the parameters of its index and of its input, and what holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    Point,
    at,
    curves,
    each,
    gain,
    matching,
    rate,
    times,
)
from joinbench.report import Result, number

ONE_THREAD = r"match rate 2/uniform/w=2\^(\d+)/"


def window(log: str) -> str:
    return f"w = 2^{log}"


def once(points: Iterable[tuple[str, float, float]]) -> Curves:
    """By the window. What two figures share is measured for both, and of some windows for one."""
    lines = curves([(label, x, y) for (label, x), y in {p[:2]: p[2] for p in points}.items()])
    return {label: lines[label] for label in sorted(lines) if len(lines[label]) > 1}


def by_window(lines: Curves, say: Callable[[list[Point]], str]) -> str:
    return "; ".join(f"{say(line)} at {label}" for label, line in lines.items())


def depths(result: Result) -> Curves:
    alone = matching(result, "index", ONE_THREAD + r"PIM/8/(\d)")
    return once((window(of[1]), int(of[2]), rate(m)) for of, m in alone)


def depths_hold(lines: Curves) -> str:
    told = by_window(lines, lambda line: number(gain(line)))
    return f"Depth 4 has as many times the rate of depth 1: {told}."


def parallel_depths(result: Result) -> Curves:
    found = matching(result, "scaled", r"parallel-1/(\d)/8/w=2\^(14|16|18|20)")
    return once((window(of[2]), int(of[1]), rate(m)) for of, m in found)


def ratios(result: Result, index: str, depth: int) -> Curves:
    found = matching(result, "index", ONE_THREAD + rf"{index}/(\d+)/{depth}")
    return once((window(of[1]), 1 / int(of[2]), rate(m)) for of, m in found)


def im_ratios(result: Result) -> Curves:
    return ratios(result, "IM", 0)


def pim_ratios(result: Result) -> Curves:
    return ratios(result, "PIM", 2)


def parallel_ratios(result: Result) -> Curves:
    found = matching(result, "scaled", r"parallel-(\d+)/2/8/w=2\^(14|17|20)")
    return once((window(of[2]), 1 / int(of[1]), rate(m)) for of, m in found)


def best_ratio(lines: Curves) -> str:
    def told(line: list[Point]) -> str:
        x, y = max(line, key=lambda point: point[1])
        ratio = "1" if x == 1 else f"1/{1 / x:.0f}"
        return f"{ratio}, {times(y / min(of for _, of in line))} the worst"

    return f"The best is {by_window(lines, told)}."


def match_rates(result: Result) -> Curves:
    alone = matching(result, "index", r"match rate ([\d.]+)/uniform/w=2\^20/(B\+|IM|PIM)")
    points = [(of[2], float(of[1]), rate(m)) for of, m in alone]
    found = matching(result, "scaled", r"parallel/w=2\^20(/uniform/matches ([\d.]+))?")
    points += [("PIM, all threads", float(of[2] or 2), rate(m)) for of, m in found]
    return curves(points)


def match_rates_hold(lines: Curves) -> str:
    few = each({k: v for k, v in lines.items() if k in ("B+", "IM", "PIM")}, flat_until)
    most = max(x for x, _ in lines["PIM"])
    over = at(lines["PIM"], most) / at(lines["B+"], most)
    return (
        f"Of the rate with the fewest matches, with 16 and with {most:,.0f} a tuple: {few}. "
        f"With {most:,.0f} PIM-Tree has {times(over)} the rate of the B+-tree."
    )


def flat_until(line: list[Point]) -> str:
    return f"{number(at(line, 16) / line[0][1])} and {number(gain(line))}"


def task_sizes(result: Result) -> Curves:
    found = matching(result, "scaled", r"parallel-1/2/(\d+)/w=2\^(16|20)")
    return once((window(of[2]), int(of[1]), rate(m)) for of, m in found)


def task_sizes_hold(lines: Curves) -> str:
    told = by_window(lines, eight_over_one)
    return f"With 8 tuples a task as many times the rate with one: {told}."


def eight_over_one(line: list[Point]) -> str:
    return number(at(line, 8) / at(line, 1))


def task_latencies(result: Result) -> Curves:
    found = list(matching(result, "merge", r"parallel-1/2/(\d+)/w=2\^(\d+)"))
    return curves(
        [
            (f"{window(of[2])}, {fact.removesuffix(' ms')}", int(of[1]), float(m["facts"][fact]))
            for of, m in found
            for fact in ("p50 ms", "p99 ms")
        ]
    )


def latencies_hold(lines: Curves) -> str:
    def told(line: list[Point]) -> str:
        return f"{number(at(line, 1))} with one tuple a task and {number(at(line, 16))} with 16"

    return f"Milliseconds: {by_window(lines, told)}."


STEPS = ("probe", "insert and expire", "merge")


def steps(result: Result) -> Curves:
    """By the window; the memory is told apart."""
    found = matching(result, "steps", ONE_THREAD + r"(B\+|IM|PIM)")
    return curves(
        [
            (f"{of[2]}, {step}", int(of[1]), float(m["facts"][f"{step} ns"]))
            for of, m in found
            for step in STEPS
            if (of[2], step) != ("B+", "merge")
        ]
    )


def steps_hold(lines: Curves) -> str:
    most = max(x for x, _ in lines["PIM, probe"])
    told = []
    for index in ("B+", "IM", "PIM"):
        cost = {step: at(lines.get(f"{index}, {step}", [(most, 0.0)]), most) for step in STEPS}
        parts = ", ".join(f"{step} {number(ns)}" for step, ns in cost.items() if ns)
        told.append(f"{index} {parts}")
    return f"Nanoseconds a tuple at {window(f'{most:.0f}')}: {'; '.join(told)}."


def memory(result: Result) -> Curves:
    """Of an index, for each tuple of its window."""
    names = {"B+": "B+-tree", "PIM": "PIM-Tree, m = 1/8", "PIM/1/2": "PIM-Tree, m = 1"}
    found = matching(result, "steps", ONE_THREAD + r"(B\+|PIM|PIM/1/2)")
    return curves(
        [
            (names[of[2]], int(of[1]), m["facts"]["index bytes"] / 2 / 2 ** int(of[1]))
            for of, m in found
        ]
    )


def memory_holds(lines: Curves) -> str:
    over = [y / at(lines["B+-tree"], x) for x, y in lines["PIM-Tree, m = 1"]]
    told = ", ".join(f"{number(value)}" for value in over)
    return f"With a merge ratio of one PIM-Tree takes as many times the B+-tree's bytes: {told}."


SHAPES = ("uniform", "gaussian", "gamma/3/3", "gamma/1/5")


def shapes(result: Result) -> Curves:
    pattern = r"parallel/w=2\^18(/(uniform|gaussian|gamma/3/3|gamma/1/5)/matches 2)?"
    found = matching(result, "scaled", pattern)
    return curves([("all threads", SHAPES.index(of[2] or "uniform"), rate(m)) for of, m in found])


def shapes_hold(lines: Curves) -> str:
    (line,) = lines.values()
    told = ", ".join(f"{SHAPES[int(x)]} {number(y / at(line, 0))}" for x, y in line[1:])
    return f"Of the rate with uniform keys: {told}."


RATIO = "merge ratio"
RATE = "tuples/s"
HERE = "Windows up to 2^20, where the paper's go to 2^23."
PARALLEL = f"Merges here stop nobody, and two threads rarely meet at a lock. {HERE}"
PIM_PARAMETERS = Paper(
    "pim-parameters",
    "PIM-Tree by its parameters",
    (
        Figure(
            "Fig. 8c",
            "insertion depth, one thread",
            "the highest depth that the tree has costs more than it gives (§5.2)",
            f"Merge ratio 1/8. {HERE}",
            Drawn(
                "Fig. 8c: insertion depth, one thread",
                "insertion depth",
                RATE,
                depths,
                depths_hold,
            ),
        ),
        Figure(
            "Fig. 9a",
            "insertion depth, all threads",
            "with few subindexes threads meet at their locks: depth 1 is far behind (§5.2)",
            f"Merge ratio 1, tasks of 8. {PARALLEL}",
            Drawn(
                "Fig. 9a: insertion depth, all threads",
                "insertion depth",
                RATE,
                parallel_depths,
                depths_hold,
            ),
        ),
        Figure(
            "Fig. 9b",
            "merge ratio, IM-Tree on one thread",
            "best between: 1/8 at 2^16, 1/16 at 2^23 (§5.2)",
            HERE,
            Drawn(
                "Fig. 9b: merge ratio, IM-Tree", RATIO, RATE, im_ratios, best_ratio, log_x=True
            ),
        ),
        Figure(
            "Fig. 9c",
            "merge ratio, PIM-Tree on one thread",
            "as Fig. 9b, and faster on average",
            f"Insertion depth 2. {HERE}",
            Drawn(
                "Fig. 9c: merge ratio, PIM-Tree", RATIO, RATE, pim_ratios, best_ratio, log_x=True
            ),
        ),
        Figure(
            "Fig. 9d",
            "merge ratio, PIM-Tree on all threads",
            "one is best for every window (§5.2)",
            f"Insertion depth 2. {PARALLEL}",
            Drawn(
                "Fig. 9d: merge ratio, all threads",
                RATIO,
                RATE,
                parallel_ratios,
                best_ratio,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 10a",
            "cost of the steps",
            "merges take 7 % at 2^17 and 11 % at 2^23; IM-Tree and PIM-Tree insert 1.5 and 2.6 "
            "times faster than the B+-tree; searching is nearly the same at 2^23 (§5.2)",
            "Search and scan are one step, the probe; 256 tuples probe and are then inserted.",
            Drawn(
                "Fig. 10a: steps, one thread", "logarithm of the window", "ns", steps, steps_hold
            ),
        ),
        Figure(
            "Fig. 10c",
            "match rate, w = 2^20",
            "hardly any difference up to 2^4 matches, far slower from 2^5 on (§5.2)",
            "In parallel up to 16 matches: each result is handed over.",
            Drawn(
                "Fig. 10c: match rate, w = 2^20",
                "matches",
                RATE,
                match_rates,
                match_rates_hold,
                log_x=True,
                log_y=True,
            ),
        ),
        Figure(
            "Fig. 11a",
            "task size",
            "grows up to four tuples a task, and hardly beyond eight (§5.2)",
            "All threads, merge ratio 1.",
            Drawn("Fig. 11a: task size", "tuples a task", RATE, task_sizes, task_sizes_hold),
        ),
        Figure(
            "Fig. 11b",
            "latency by the task size",
            "grows with the size of the tasks, and with the window (§5.2)",
            "At half of what the slowest sustains.",
            Drawn(
                "Fig. 11b: latency, w = 2^16",
                "tuples a task",
                "ms",
                task_latencies,
                latencies_hold,
                log_y=True,
            ),
        ),
        Figure(
            "Fig. 11c",
            "memory of an index",
            "PIM-Tree with a merge ratio of one takes twice the B+-tree's (§5.2)",
            "A key, a position and a value, where the paper's has 8 bytes for the first two. The "
            "window's own tuples are left out.",
            Drawn(
                "Fig. 11c: memory",
                "logarithm of the window",
                "bytes for each tuple",
                memory,
                memory_holds,
            ),
        ),
        Figure(
            "Fig. 13a",
            "distributions of the keys",
            "Gaussian and Gamma keys cost 2 to 4 % (§5.2)",
            "w = 2^18, all threads: uniform, Gaussian, Gamma(3, 3), Gamma(1, 5).",
            Drawn("Fig. 13a: keys, w = 2^18", "distribution", RATE, shapes, shapes_hold),
        ),
        Figure("Fig. 13b, 13c", "keys that drift", elsewhere="[Below](#pim-tree-on-one-stream)."),
    ),
)
