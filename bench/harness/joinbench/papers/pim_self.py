"""PIM-Tree's figures of a stream that is joined with itself, and what holds of them here."""

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


def self_joins(result: Result) -> Curves:
    names = {
        "bplus": "one thread, B+-tree",
        "indexjoin": "one thread, PIM-Tree",
        "parallel": "all threads, PIM-Tree",
    }
    found = matching(result, "scaled", r"self-(bplus|indexjoin|parallel)/w=2\^(\d+)")
    return curves([(names[of[1]], int(of[2]), rate(m)) for of, m in found])


def self_joins_hold(lines: Curves) -> str:
    ours = lines["all threads, PIM-Tree"]

    def over(label: str) -> str:
        return ", ".join(f"{number(y / at(lines[label], x))} at 2^{x:.0f}" for x, y in ours)

    return (
        f"All threads take as many times the tuples of one thread with the B+-tree: "
        f"{over('one thread, B+-tree')}; with PIM-Tree: {over('one thread, PIM-Tree')}."
    )


def of_two_streams(result: Result) -> Curves:
    names = {"indexjoin": "one thread", "parallel": "all threads"}
    found = list(matching(result, "scaled", r"(self-)?(indexjoin|parallel)/w=2\^(16|20)"))
    return curves(
        [
            (f"{names[of[2]]}, {'one stream' if of[1] else 'two streams'}", int(of[3]), rate(m))
            for of, m in found
        ]
    )


def streams_hold(lines: Curves) -> str:
    told = [
        f"{threads}: "
        + ", ".join(
            f"{number(y / at(lines[f'{threads}, two streams'], x))} at 2^{x:.0f}"
            for x, y in lines[f"{threads}, one stream"]
        )
        for threads in ("one thread", "all threads")
    ]
    return f"A tuple of one stream as many times as one of two: {'; '.join(told)}."


def shares(result: Result) -> Curves:
    """The share of the insertions that the fullest subindexes get, by how many these are."""
    found = matching(result, "shares", r"w=2\^\d+/drift/([\d.]+)")
    return curves(
        [
            (f"r = {of[1]}", float(percent.split()[1]), 100 * float(share))
            for of, m in found
            for percent, share in m["facts"].items()
            if percent.startswith("first ")
        ]
    )


def shares_hold(lines: Curves) -> str:
    told = ", ".join(
        f"{number(at(line, 1))} % and {number(at(line, 10))} % with {label}"
        for label, line in lines.items()
    )
    return (
        f"Of the insertions the fullest 1 % and the fullest 10 % of the subindexes get: {told}."
    )


def drifts(result: Result) -> Curves:
    found = matching(result, "scaled", r"self-parallel/w=2\^18/drift/([\d.]+)/matches 2")
    return curves([("all threads", float(of[1]), rate(m)) for of, m in found])


def drifts_hold(lines: Curves) -> str:
    (line,) = lines.values()
    told = ", ".join(f"{number(y / at(line, 0))} with {x:g}" for x, y in line[1:])
    return f"Of the rate without a drift: {told}."


RATE = "tuples/s"
WINDOW = "logarithm of the window"
PIM_SELF = Paper(
    "pim-self",
    "PIM-Tree on one stream",
    (
        Figure(
            "Fig. 12c",
            "a stream joined with itself, by window",
            "on all threads 7 times one thread with the B+-tree and 4 times one with PIM-Tree, "
            "from 2^16 to 2^25; not effective below (§5.2)",
            "One window and one index. Each tuple meets those before it, so a pair comes once. "
            "Windows up to 2^20. One thread feeds the stream and takes the results.",
            Drawn("Fig. 12c: one stream", WINDOW, RATE, self_joins, self_joins_hold),
        ),
        Figure(
            "Fig. 12a, one stream and two",
            "what one index saves",
            "concurrency control costs 26 % with one stream and 40 % with two (§5.2)",
            "A tuple of one stream is looked up among as many tuples as one of two.",
            Drawn("One stream and two", WINDOW, RATE, of_two_streams, streams_hold),
        ),
        Figure(
            "Fig. 13b",
            "insertions by subindex, keys that drift",
            "evenly without a drift; with r = 1 one subindex gets 77 %, and 70 % of them hardly "
            "any (§5.2)",
            "w = 2^20, merge ratio 1, insertion depth 2; ten windows of tuples while the mean "
            "moves by r, as in the paper. Means over the merges meanwhile. From a merge to the "
            "next the mean moves by r/10 of the key space, which is 0.28 deviations with r = 1: "
            "what the paper shows for that takes a drift ten times as fast here.",
            Drawn(
                "Fig. 13b: insertions, w = 2^20",
                "% of the subindexes, the fullest first",
                "% of the insertions",
                shares,
                shares_hold,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 13c",
            "a stream joined with itself, keys that drift",
            "hardly any difference for r = 0.2, 35 % less for 0.4 to 0.6, more beyond (§5.2)",
            "w = 2^18, all threads; ten windows of tuples while the mean moves by r.",
            Drawn("Fig. 13c: drift, w = 2^18", "r", RATE, drifts, drifts_hold),
        ),
    ),
)
