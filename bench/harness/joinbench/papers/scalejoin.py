"""The figures of ScaleJoin, and what holds of them here."""

from __future__ import annotations

import re
from typing import Any

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    between,
    compared,
    curves,
    each,
    gain,
    last,
    matching,
    over_threads,
    rate,
)
from joinbench.report import Result, deviation, number


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
    told = each(lines, lambda line: f"{number(max(y for _, y in line))} %")
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
