"""The operations of T-Gate's and W-Hive's designs one by one, and what holds here."""

from __future__ import annotations

from collections.abc import Callable

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    Point,
    at,
    curves,
    each,
    last,
    matching,
    rate,
)
from joinbench.report import Result, number

OPERATIONS = {"input": "input ns", "consumer": "consumer ns"}
INPUTS = 20.0


def durations(query: str, designs: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "operations", rf"{query} (\d+)in ({designs})")
        return curves(
            [
                (f"{of[2]}, {who}", int(of[1]), float(m["facts"][name]))
                for of, m in found
                for who, name in OPERATIONS.items()
            ]
        )

    return points


def durations_hold(lines: Curves) -> str:
    told = [
        f"{design} {number(at(lines[f'{design}, input'], INPUTS))} and "
        f"{number(at(lines[f'{design}, consumer'], INPUTS))}"
        for design in ("MQ", "MQLF", "TuMLSC", "WiML")
        if f"{design}, input" in lines
    ]
    return f"Nanoseconds of an input and of the consumer with 20 inputs: {', '.join(told)}."


def latencies(query: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        arms = rf"{query} 20in (MQ|MQLF|TuMLSC|WiML) at (\d+)/s"
        found = matching(result, "aggregate", arms)
        return curves([(of[1], int(of[2]), float(m["facts"]["p50 ms"])) for of, m in found])

    return points


def latencies_hold(lines: Curves) -> str:
    def told(line: list[Point]) -> str:
        rate_of_least, least = min(line, key=lambda point: point[1])
        return (
            f"{number(line[0][1])}, {number(least)} at {rate_of_least:,.0f} and "
            f"{number(last(line))}"
        )

    return (
        "Medians in milliseconds at the lowest rate, at the best and at the highest: "
        f"{each(lines, told)}."
    )


def catch_ups(result: Result) -> Curves:
    found = matching(result, "hive", r"(list|skip list), (\d+) windows behind")
    return curves([(of[1], int(of[2]), float(m["facts"]["catch-up ns"])) for of, m in found])


def catch_ups_hold(lines: Curves) -> str:
    walked, skipped = lines["list"], lines["skip list"]
    told = "; ".join(f"{x:,.0f}: {number(y)} and {number(at(skipped, x))}" for x, y in walked)
    return f"Nanoseconds by the windows behind, in a list and in a skip list: {told}."


def with_shortcuts(result: Result) -> Curves:
    found = matching(result, "aggregate", r"K-OI (\d+)in (WiML|WiML with shortcuts)")
    return curves([(of[2], int(of[1]), rate(m)) for of, m in found])


def with_shortcuts_hold(lines: Curves) -> str:
    told = ", ".join(
        f"{number(y / at(lines['WiML'], x))} with {x:.0f} inputs"
        for x, y in lines["WiML with shortcuts"]
    )
    return f"With shortcuts as many times the tuples: {told}."


def durations_figure(query: str, designs: str, said: str, same: str) -> Figure:
    return Figure(
        f"Fig. 12, {query}",
        "durations of the operations of a tuple, by the number of inputs",
        said,
        same,
        Drawn(
            f"Fig. 12: {query}",
            "inputs",
            "ns",
            durations(query, designs),
            durations_hold,
            log_y=True,
        ),
    )


def latencies_figure(query: str) -> Figure:
    return Figure(
        f"Fig. 12, latency of {query}",
        "latency of a result by the rate",
        "it falls as the rate grows, and explodes where the operator is saturated (§7.3)",
        "20 inputs, fed by one thread; the latency counts from the arrival of what made a result "
        "ready, and so has no wait for later tuples in it.",
        Drawn(
            f"Fig. 12: latency, {query}",
            "tuples/s",
            "ms",
            latencies(query),
            latencies_hold,
            log_x=True,
            log_y=True,
        ),
    )


T_GATE_OPERATIONS = Paper(
    "t-gate-operations",
    "Operations of T-Gate and W-Hive",
    (
        durations_figure(
            "K-OS",
            "MQ|MQLF|TuMLSC",
            "both are shorter for MQLF than for MQ; TuMLSC's input takes longer and its consumer "
            "less, since the inputs merge (§7.3)",
            "The paper draws 20 inputs. One thread does both in turn, so neither waits for the "
            "other, and no lock is contended: MQ's input is then no slower than MQLF's.",
        ),
        durations_figure(
            "K-OI",
            "MQLF|TuMLSC|WiML",
            "WiML's input takes longer than TuMLSC's, since it updates windows, too, and its "
            "consumer the least (§7.3)",
            "As above.",
        ),
        latencies_figure("K-OS"),
        latencies_figure("K-OI"),
        Figure(
            "Shortcuts, a silent thread",
            "a tuple of a thread that was silent while another made windows",
            "W-Hive has T-Gate's shortcuts (§5.6); what they are worth it does not say",
            "Each tuple of the other thread makes a window. An aggregate lets no input be more "
            "than 1,024 windows behind, unless it is told otherwise.",
            Drawn(
                "Shortcuts of W-Hive",
                "windows behind",
                "ns",
                catch_ups,
                catch_ups_hold,
                log_x=True,
                log_y=True,
            ),
        ),
        Figure(
            "Shortcuts, throughput",
            "throughput of WiML by the number of inputs, query K-OI",
            "as above",
            "All inputs keep pace.",
            Drawn("WiML: K-OI", "inputs", "tuples/s", with_shortcuts, with_shortcuts_hold),
        ),
    ),
)
