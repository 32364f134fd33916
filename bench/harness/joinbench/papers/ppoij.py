"""The figures of PPOIJ, and what holds of them here."""

from __future__ import annotations

import re
from collections.abc import Callable

from joinbench.papers.figure import (
    Curves,
    Drawn,
    Figure,
    Paper,
    at,
    between,
    curves,
    each,
    gain,
    last,
    matching,
    rate,
)
from joinbench.report import Result, deviation, number

GATE = ""
EMITTERS = "-emitters-32"
"""How the patterns are built, in the names of their arms."""


def pattern(built: str, of: str) -> str:
    return rf"interval/(KP|DP|HP){built}(?:-(?P<theta>[\d.]+))?/W=100000/{of}"


def by_keys(skew: str, built: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = [
            (of, m)
            for of, m in matching(
                result, "interval", pattern(built, rf"keys=(?P<keys>\d+)/s={skew}")
            )
            if of["keys"] != "50" or m["threads"] == most_of_keys(result)
        ]
        return curves([(named(of), int(of["keys"]), rate(m)) for of, m in found])

    return points


def named(arm: re.Match[str]) -> str:
    return f"{arm[1]}, θ = {arm['theta']}" if arm["theta"] else arm[1]


def most_of_keys(result: Result) -> int:
    """The replicas of the runs over the numbers of keys."""
    found = matching(result, "interval", pattern(f"({GATE}|{EMITTERS})", "keys=5/.*"))
    return next(m["threads"] for _, m in found)


def keys_hold(lines: Curves) -> str:
    keys = [x for x, _ in lines["HP"]]
    patterns = ("KP", "DP", "HP")
    best = [max(patterns, key=lambda label: at(lines[label], x)) for x in keys]
    told = ", ".join(f"{x:,.0f} keys: {b}" for x, b in zip(keys, best, strict=True))

    def behind(hybrid: str) -> str:
        most, where = max(
            (1 - at(lines[hybrid], x) / max(at(lines[p], x) for p in ("KP", "DP")), x)
            for x in keys
        )
        return f"{hybrid} is at most {100 * max(most, 0):.0f} % behind, with {where:,.0f} keys"

    short = "; ".join(behind(label) for label in lines if label.startswith("HP"))
    return f"Best by keys: {told}. Beside the better of the other two {short}."


def replicas(built: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "interval", pattern(built, r"keys=50/s=0\.35"))
        return curves([(named(of), m["threads"], rate(m)) for of, m in found if not of["theta"]])

    return points


def replicas_hold(lines: Curves) -> str:
    most = lines["HP"][-1][0]
    gains = each(lines, lambda line: number(gain(line)))
    return f"Times one replica's rate with {most:.0f}: {gains}."


def unbalance(built: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        found = matching(result, "interval", pattern(built, r"keys=(?P<keys>\d+)/s=0\.35"))
        most = most_of_keys(result)
        return curves(
            [
                (named(of), int(of["keys"]), deviation(m))
                for of, m in found
                if m["threads"] == most
            ]
        )

    return points


def unbalance_holds(lines: Curves) -> str:
    told = each(lines, lambda line: f"{between([y for _, y in line])} %")
    return f"Standard deviation of the replicas' comparisons: {told}."


def by_skew(built: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        most = most_of_keys(result)
        found = matching(result, "interval", pattern(built, r"keys=50/s=(?P<skew>0\.\d+)"))
        return curves(
            [
                (of[1], float(of["skew"]), rate(m))
                for of, m in found
                if m["threads"] == most and not of["theta"]
            ]
        )

    return points


def skew_rates_hold(lines: Curves) -> str:
    told = each(lines, lambda line: f"{number(line[0][1])} to {number(last(line))}")
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


def distribution(keys: int) -> Callable[[Result], Curves]:
    """How many percent of the results took no longer, by milliseconds."""

    def points(result: Result) -> Curves:
        found = matching(result, "latency", rf"(KP|DP|HP|Scale-OIJ)/keys={keys}/s=(0\.\d+)")
        shares = [
            (f"{of[1]}, {'uniform' if of[2] == '0.5' else 'skewed'}", float(p), ms)
            for of, m in found
            for p in ("5", "25", "50", "75", "90", "95", "99", "99.9")
            for ms in [float(m["facts"][f"p{p} ms"])]
        ]
        return curves([(label, ms, p) for label, p, ms in shares])

    return points


def latencies_hold(lines: Curves) -> str:
    def told(line: list[tuple[float, float]]) -> str:
        p50, p95 = (next(x for x, y in line if y == p) for p in (50, 95))
        return f"{number(p50)} and {number(p95)}"

    return (
        f"Milliseconds at p50 and p95: {'; '.join(f'{k} {told(v)}' for k, v in lines.items())}."
    )


def by_batch(skew: str) -> Callable[[Result], Curves]:
    def points(result: Result) -> Curves:
        where = rf"W=100000/keys=50/s={re.escape(skew)}"
        sent = matching(result, "interval", rf"interval/(KP|DP|HP)-emitters-(\d+)/{where}")
        lines = [(of[1], float(of[2]), rate(m)) for of, m in sent]
        sizes = sorted({size for _, size, _ in lines})
        read = matching(result, "interval", rf"interval/(KP|DP|HP)/{where}")
        return curves(
            lines + [(f"{of[1]}, gate", size, rate(m)) for of, m in read for size in sizes]
        )

    return points


def batches_hold(lines: Curves) -> str:
    sent = {label: line for label, line in lines.items() if "gate" not in label}
    told = each(sent, lambda line: f"{number(line[0][1])} to {number(last(line))}")
    best = [max(sent, key=lambda label: at(sent[label], x)) for x, _ in sent["KP"]]
    sizes = ", ".join(
        f"{size:,.0f}: {arm}" for (size, _), arm in zip(sent["KP"], best, strict=True)
    )
    gate = each(sent, lambda line: number(max(y for _, y in line)))
    own = ", ".join(f"{label} {number(lines[f'{label}, gate'][0][1])}" for label in sent)
    return (
        f"Tuples a second from the smallest batches to the largest: {told}. "
        f"Best by size: {sizes}. The best of each: {gate}; by one gate: {own}."
    )


OF_PPOIJ = (
    "A self-similar distribution as in the paper; streams alternate, and a second attribute "
    "keeps results few. Every replica reads every tuple of one gate, where the paper's emitters "
    "send each tuple to those that need it."
)


def figures_of(built: str, same: str) -> tuple[Figure, ...]:
    """Figures 10 to 14 of the patterns that are built so."""
    return (
        Figure(
            "Fig. 10",
            "throughput by the number of keys, uniform",
            "KP is best from 25 keys on, DP only with one key (§5.1)",
            same,
            Drawn(
                "Fig. 10: uniform keys",
                "keys",
                "tuples/s",
                by_keys(r"0\.5", built),
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
                by_keys(r"0\.35", built),
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
                unbalance(built),
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
                "Fig. 13: replicas, skewed keys",
                "replicas",
                "tuples/s",
                replicas(built),
                replicas_hold,
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
                by_skew(built),
                skew_rates_hold,
            ),
        ),
    )


PPOIJ = Paper(
    "ppoij",
    "PPOIJ",
    (
        *figures_of(GATE, OF_PPOIJ),
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
    ),
)
EMITTERS_OF_PPOIJ = Paper(
    "oij-emitters",
    "Emitters of PPOIJ",
    figures_of(
        EMITTERS,
        "The data of PPOIJ above; the patterns have emitters and collectors as in the paper, and "
        "batches of 32 tuples. HP plans once, by the frequencies of 4,096 tuples, until no "
        "replica has more than θ times the average, 1.05 unless said. With 100 uniform keys one "
        "has 6 % more, and to mend that HP splits keys, which costs more than it saves. The "
        "paper does not say its θ; a larger one splits too few skewed keys.",
    ),
)
BATCHES_OF_PPOIJ = Paper(
    "oij-batches",
    "Batches of PPOIJ",
    tuple(
        Figure(
            f"Fig. 15 {half}",
            f"throughput by the size of batches, {what}",
            told,
            "50 keys, emitters and collectors as in the paper. A line of a gate is our own form, "
            "where all replicas read one gate, at any size.",
            Drawn(
                f"Fig. 15 {half}: batches, {what}",
                "tuples in a batch",
                "tuples/s",
                by_batch(skew),
                batches_hold,
                log_x=True,
            ),
        )
        for half, what, skew, told in (
            ("left", "uniform", "0.5", "without batches KP is best"),
            (
                "right",
                "skew 0.35",
                "0.35",
                "batches of two tuples let HP pass KP; DP gains most from them (§5.1)",
            ),
        )
    ),
)
LATENCY_OF_PPOIJ = Paper(
    "oij-latency",
    "Latency of PPOIJ",
    (
        Figure(
            "Fig. 16",
            "latency, uniform and skewed",
            "with uniform keys KP and HP take 2 ms and DP 28 ms; with skewed ones DP 33 ms, KP "
            "95 ms and HP 111 ms, means (§5.2)",
            "50 keys, which the paper does not say. At half of what the slowest of the three "
            "sustains, from when the windows are full.",
            Drawn(
                "Fig. 16: latency, 50 keys",
                "ms",
                "% of the results",
                distribution(50),
                latencies_hold,
                log_x=True,
            ),
        ),
        Figure(
            "Fig. 18",
            "latency beside Scale-OIJ, 100 keys",
            "much the same without batches, below 27 ms with them (§5.3)",
            "As Fig. 16, with an interval of 10,000 tuples; Scale-OIJ is our own.",
            Drawn(
                "Fig. 18: latency, 100 keys",
                "ms",
                "% of the results",
                distribution(100),
                latencies_hold,
                log_x=True,
            ),
        ),
    ),
)
