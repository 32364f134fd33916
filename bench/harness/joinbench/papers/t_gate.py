"""The figures of T-Gate and W-Hive, and what holds of them here."""

from __future__ import annotations

from collections.abc import Callable

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    curves,
    each,
    gain,
    last,
    matching,
    rate,
    times,
)
from joinbench.report import Result, number


def by_inputs(query: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "aggregate", rf"{query} (\d+)in (MQ|MQLF|TuMLSC|WiML)")
        return curves([(of[2], int(of[1]), rate(m)) for of, m in found])

    return points


def inputs_hold(lines: Curves) -> str:
    told = each(lines, lambda line: number(gain(line)))
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
    told = each(lines, lambda line: number(gain(line)))
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
        Figure(
            "Fig. 12",
            "durations of the operations, and latency by the rate",
            elsewhere="[Below](#operations-of-t-gate-and-w-hive).",
        ),
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
