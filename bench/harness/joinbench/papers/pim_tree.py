"""The figures of PIM-Tree, and what holds of them here."""

from __future__ import annotations

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    at,
    between,
    curves,
    matching,
    rate,
    times,
)
from joinbench.report import Result, number


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
            "that finds the queue taken by another sleeps. The self-join is Fig. 12c.",
            Drawn(
                "Fig. 8a, 12a: threads, w = 2^20",
                "threads",
                "tuples/s",
                index_threads,
                threads_hold,
            ),
        ),
        Figure("Fig. 8b", "chained indexes", elsewhere=ON_ONE_THREAD + "."),
        Figure(
            "Fig. 10b",
            "B+-Tree, IM-Tree and PIM-Tree by window",
            elsewhere=ON_ONE_THREAD + ".",
        ),
        Figure(
            "Fig. 12b",
            "one thread and many by window, blocking merges and those that do not",
            "3.7 times one thread between 2^15 and 2^25; blocking is slightly faster",
            "As Fig. 12a, at four windows. [No Bw-Tree](papers.md#pim-tree).",
            Drawn(
                "Fig. 12b: windows",
                "logarithm of the window",
                "tuples/s",
                index_windows,
                windows_hold,
            ),
        ),
        Figure("Fig. 12c", "self-join", elsewhere="[Below](#pim-tree-on-one-stream)."),
    ),
)
