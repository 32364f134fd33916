"""A result file as a Markdown page of tables, which say only what the file says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from joinbench import HERE
from joinbench.datasets import ALONE, SETS

Result = dict[str, Any]
Measurement = dict[str, Any]

ENGINE_REFERENCES = ("spark-abs", "spark-bins")
KERNEL_REFERENCES = ("cpp-nl", "cpp-nlsc")
STREAM_REFERENCE = "limit"
TRIGGER_REFERENCE = "spark"
GATE_REFERENCE = "SkipListMap"
AGGREGATE_REFERENCE = "MQ"
MERGE_REFERENCE = "blocking"
DECISIVE = 3
BEHIND_MS = 600
OVER_KAFKA = (
    " Events and results go over topics of a broker of Kafka on the same two cores, the results "
    "to be read from theirs."
)
LIVE_QUERIES = {
    "band": "No key: both attributes, uniform from 1 to 10,000, differ by at most 10 and times "
    "by at most 10 s.",
    "keyed": "Equal keys, of which there are ten for each event a second of a stream, and times "
    "that differ by at most 10 s: about one match for an event.",
    "asof": "Each left event with the last right one of its key before it, at most 10 s. A "
    "watermark of a millisecond.",
    "ordered": "The same bands, the results in the order of their later rows' times: by the "
    "index of streams, and by operators of the papers. A watermark of a millisecond.",
    "windows": "Count, sum and maximum over windows of a minute each second, by 1,000 keys. From "
    "a window's end where it is given once, from its newest event where it is given at each "
    "change.",
    "held": "Bands over windows that hold so many rows of both streams before it begins, as wide "
    "as gives an event one match in two.",
    "held outer": "The same as a left outer join, of which the matched rows are timed: each may "
    "be the first match of a row that is held.",
    "none": "No join: the events of both streams leave as they come, without duplicates, by "
    "operators of Spark's own. That is what a commit costs by itself.",
}
LIVE_QUERIES |= {
    f"{query} over Kafka": LIVE_QUERIES[query] + OVER_KAFKA for query in ("band", "keyed")
}
OURS = {"engine": "scalegate", "stream": "scalegate-hdfs"}
KINDS = {
    "band": "join by two bands and time",
    "self": "join of a stream with itself by two bands and time",
    "keyed": "join by a key and time",
    "window": "aggregates over sliding windows",
    "asof": "join with the last row before",
    "around": "aggregates of the rows before each row",
    "interval": "join of intervals",
}

SPANS = {
    "engine": "Engines, from Parquet to checked rows",
    "stream": "Streams, from files to a sink that drops the rows",
    "trigger": "Latency of a file's results with a trigger of 1 s",
    "growth": "One small batch, by what the window holds",
    "kernel": "Loops, over columns in memory",
    "gate": "Gates",
    "index": "Index-based window join over one index for each stream, one thread",
    "steps": "The steps of an index-based window join, in nanoseconds a tuple, and what both "
    "indexes hold",
    "shares": "Shares of a PIM-Tree's subindexes in the insertions, keys that drift",
    "interval": "Interval join by key (KP), by data (DP) and by both (HP)",
    "overlap": "300 million pairs of intervals that overlap, found by an index in memory",
    "layout": "Layouts of the matrix of workers",
    "cube": "Join of three streams by a cube of workers",
    "output": "Results a second of a matrix of workers, streams of a steady rate, beside what "
    "Expressions 3 and 4 of DP-Join say",
    "latency": "Latency of a result, from the arrival of its later tuple to its exit",
    "live": "Latency of a result in milliseconds, from the moment at which its later event was "
    "due to the sink; loads are events of both streams a second; `behind` means that results come"
    " ever later",
    "scaling": "Highest rate of a band join whose windows are as long as they say, on the clock",
    "skew": "ScaleJoin's threads, when streams come in parts at rates of their own",
    "scaled": "Index joins over threads, windows and keys; match rate 2 where none is named",
    "merge": "Parallel index join, match rate 2: what it sustains, and a result's latency at a "
    "steady load below that and while tuples are taken as fast as they can be",
    "aggregate": "Multiway aggregation: the twelve queries, as fast as tuples are taken; a "
    "result's latency, from the arrival of what made it ready to its exit",
    "operations": "The two operations of a design of multiway aggregation, by one thread in turn,"
    " in nanoseconds a tuple",
    "hive": "A thread of a W-Hive that was silent while another made windows",
    "alone": "Multiway aggregation: the twelve queries of one input, fed and taken by one thread",
}


def load(folder: Path) -> dict[str, Result]:
    """Every result file of a folder, by name."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def number(value: float) -> str:
    """Three significant digits, without an exponent where a person would not use one."""
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    digits = f"{value:.{DECISIVE}g}"
    return f"{float(digits):,.0f}" if abs(value) >= 100 else digits


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def find(
    measured: Sequence[Measurement], arm: str, threads: int | None = None
) -> Measurement | None:
    fits = (m for m in measured if m["arm"] == arm and threads in (None, m["threads"]))
    return next(fits, None)


def ratio(reference: Measurement | None, m: Measurement) -> str:
    """How many times faster than the reference; empty where there is none."""
    if reference is None:
        return ""
    return number(median(reference["seconds"]) / median(m["seconds"])) + "×"


def times(m: Measurement) -> list[str]:
    seconds = m["seconds"]
    spread = [number(f(seconds)) for f in (median, min, max)]
    return [*spread, str(len(seconds))]


def rate(m: Measurement, work: str) -> str:
    return number(m["work"][work] / median(m["seconds"])) if work in m["work"] else ""


def facts(m: Measurement) -> str:
    told = (
        f"{key} {number(value) if isinstance(value, float) else value}"
        for key, value in m["facts"].items()
    )
    return ", ".join(told)


def without_empty(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Leaves out the columns that no row fills."""
    used = [i for i in range(len(head)) if any(row[i] for row in rows)]
    return [head[i] for i in used], [[row[i] for i in used] for row in rows]


def engines(measured: list[Measurement]) -> str:
    references = [find(measured, arm) for arm in ENGINE_REFERENCES]
    head = ["arm", "median s", "min", "max", "runs", "tuples/s"]
    head += [f"vs {arm}" for arm in ENGINE_REFERENCES]
    ordered = sorted(measured, key=lambda m: median(m["seconds"]))
    rows = [
        [m["arm"], *times(m), rate(m, "tuples"), *(ratio(r, m) for r in references)]
        for m in ordered
    ]
    return table(*without_empty(head, rows))


def streams(measured: list[Measurement]) -> str:
    """Every join is set beside the limit, which is 1."""
    limit = find(measured, STREAM_REFERENCE)
    head = ["arm", "median s", "min", "max", "runs", "tuples/s", f"vs {STREAM_REFERENCE}", "also"]
    rows = [[m["arm"], *times(m), rate(m, "tuples"), ratio(limit, m), facts(m)] for m in measured]
    return table(*without_empty(head, rows))


def triggers(measured: list[Measurement]) -> str:
    """Both percentiles are set beside those of Spark's own join."""
    spread = {"median": median, "p95": lambda s: quantiles(s, n=20, method="inclusive")[-1]}
    reference = find(measured, TRIGGER_REFERENCE)
    head = ["arm", "files", "results", *(f"{name} s" for name in spread), "max s"]
    head += [*(f"{name} vs {TRIGGER_REFERENCE}" for name in spread), "also"]
    rows = []
    for m in measured:
        seconds = m["seconds"]
        of = [f(seconds) for f in spread.values()]
        ours = [number(value) for value in (*of, max(seconds))]
        theirs = [f(reference["seconds"]) for f in spread.values()] if reference else []
        compared = [number(t / o) + "×" for t, o in zip(theirs, of, strict=False)]
        counted = [str(len(seconds)), f"{m['rows']['count']:,}" if m["rows"] else ""]
        rows.append([m["arm"], *counted, *ours, *(compared or [""] * len(of)), facts(m)])
    return table(*without_empty(head, rows))


def growth(measured: list[Measurement]) -> str:
    """Each pair of windows: what the second, twice as long, takes of the first one's time."""
    head = ["arm", "median ms", "min", "max", "batches", "vs half the window", "also"]
    rows = []
    for m in measured:
        half = find(measured, m["facts"]["half"]) if "half" in m["facts"] else None
        compared = number(median(m["seconds"]) / median(half["seconds"])) + "×" if half else ""
        told = {k: v for k, v in m["facts"].items() if k != "half"}
        milliseconds = [number(1000 * f(m["seconds"])) for f in (median, min, max)]
        batches = str(len(m["seconds"]))
        rows.append([m["arm"], *milliseconds, batches, compared, facts(m | {"facts": told})])
    return table(head, rows)


def loops(measured: list[Measurement]) -> str:
    """A loop that counts comparisons is set beside the C++ loops of as many threads."""
    head = ["arm", "threads", "median s", "min", "max", "runs", "comparisons/s", "tuples/s"]
    head += [*(f"vs {arm}" for arm in KERNEL_REFERENCES), "vs 1 thread", "also"]
    rows = []
    for m in measured:
        counts = "comparisons" in m["work"]
        references = [
            find(measured, a, m["threads"]) if counts else None for a in KERNEL_REFERENCES
        ]
        single = find(measured, m["arm"], 1) if m["threads"] > 1 else None
        shown = [
            m["arm"],
            str(m["threads"]),
            *times(m),
            rate(m, "comparisons"),
            rate(m, "tuples"),
        ]
        compared = [ratio(r, m) for r in (*references, single)]
        rows.append([*shown, *compared, facts(m)])
    return table(*without_empty(head, rows))


def gates(measured: list[Measurement]) -> str:
    """Each gate is set beside the skip list of the same shape."""
    head = ["gate, sources×readers", "tuples/s", "slowest", "fastest", "runs"]
    head += [f"vs {GATE_REFERENCE}", "also"]
    rows = []
    for m in measured:
        shape = m["arm"].partition(" ")[2]
        rates = [m["work"]["tuples"] / s for s in m["seconds"]]
        spread = [number(f(rates)) for f in (median, min, max)]
        compared = ratio(find(measured, f"{GATE_REFERENCE} {shape}"), m)
        rows.append([m["arm"], *spread, str(len(rates)), compared, facts(m)])
    return table(*without_empty(head, rows))


def latencies(measured: list[Measurement]) -> str:
    told = ["results", "mean ms", "p50 ms", "p99 ms", "p99.9 ms", "max ms"]
    head = ["arm", "threads", *told]
    rows = [
        [m["arm"], str(m["threads"]), *(number(float(m["facts"][fact])) for fact in told)]
        for m in measured
    ]
    return table(head, rows)


def is_behind(facts: dict[str, Any]) -> bool:
    """Whether it cannot hold the load: half of the results waited that long."""
    return float(facts["p50 ms"]) > BEHIND_MS


def lives(measured: list[Measurement]) -> str:
    """In the order of the loads, a table for each query."""
    told = ["results", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"]
    parts = []
    for query in dict.fromkeys(m["facts"]["query"] for m in measured):
        of = [m for m in measured if m["facts"]["query"] == query]
        rows = []
        for m in sorted(of, key=lambda m: (m["facts"]["load"], m["facts"]["engine"])):
            facts = m["facts"]
            load = f"{facts['load']:,}/s"
            behind = ["behind"] * len(told[1:])
            shown = [number(float(facts[name])) for name in told]
            rows.append(
                [load, facts["engine"], shown[0], *(behind if is_behind(facts) else shown[1:])]
            )
        parts.append(f"{LIVE_QUERIES[query]}\n\n{table(['load', 'arm', *told], rows)}")
    return "\n".join(parts)


def deviation(m: Measurement) -> float:
    """Standard deviation of the threads' work in percent of their mean (ScaleJoin, Fig. 5): the
    deviation of their shares, times the threads.
    """
    return float(m["facts"].get("skew %", 0)) * float(m["threads"])


def scalings(measured: list[Measurement]) -> str:
    """Each is set beside one thread of the same arm, by comparisons a second."""
    head = ["arm", "threads", "comparisons/s", "tuples/s", "vs 1 thread"]
    head += ["std %", "p50 ms", "p99 ms"]
    rows = []
    for m in measured:
        single = find(measured, m["arm"], 1) if m["threads"] > 1 else None
        rates = [x["work"]["comparisons"] / median(x["seconds"]) for x in (m, single) if x]
        told = [number(rates[0] / rates[1]) + "×" if single else ""]
        told += [number(deviation(m)) if m["threads"] > 1 else ""]
        told += [number(m["facts"][f]) if f in m["facts"] else "" for f in ("p50 ms", "p99 ms")]
        rows.append([m["arm"], str(m["threads"]), number(rates[0]), rate(m, "tuples"), *told])
    return table(*without_empty(head, rows))


def skews(measured: list[Measurement]) -> str:
    """A line for each case, over its periods."""
    rows = []
    for case in dict.fromkeys(m["facts"]["case"] for m in measured):
        of = [m for m in measured if m["facts"]["case"] == case]
        shares = [m["work"]["comparisons"] / m["threads"] for m in of]
        spread = [deviation(m) for m in of]
        told = [min(shares), max(shares), median(spread), max(spread)]
        rows.append([case, str(of[0]["threads"]), str(len(of)), *map(number, told)])
    head = ["streams", "threads", "periods", "least comparisons of a thread", "most"]
    return table([*head, "std %, median", "most"], rows)


def merges(measured: list[Measurement]) -> str:
    """Each arm is set beside the one whose merges block, over the same window."""
    percentiles = ["p50 ms", "p99 ms", "p99.9 ms", "max ms"]
    saturated = ["saturated p99 ms", "saturated p99.9 ms"]
    head = ["merges", "threads", "tuples/s", "slowest", "fastest", "runs"]
    head += [f"vs {MERGE_REFERENCE}", "load tuples/s", *percentiles, *saturated]
    rows = []
    for m in measured:
        window = m["arm"].partition("/")[2]
        rates = [m["work"]["tuples"] / s for s in m["seconds"]]
        spread = [number(f(rates)) for f in (median, min, max)]
        compared = ratio(find(measured, f"{MERGE_REFERENCE}/{window}", m["threads"]), m)
        told = ["load tuples/s", *percentiles, *saturated]
        latencies = [number(float(m["facts"][name])) for name in told]
        rows.append([m["arm"], str(m["threads"]), *spread, str(len(rates)), compared, *latencies])
    return table(head, rows)


def aggregates(measured: list[Measurement]) -> str:
    """Each design is set beside MQ and, on panes, beside the design under them."""
    percentiles = ["p50 ms", "p90 ms", "p99 ms", "max ms"]
    head = ["query", "inputs", "design", "tuples/s", "slowest", "fastest", "runs"]
    head += [f"vs {AGGREGATE_REFERENCE}", "vs without panes", *percentiles]
    rows = []
    for m in measured:
        told = m["facts"]
        query, inputs, design = (str(told[name]) for name in ("query", "inputs", "design"))
        rates = [m["work"]["tuples"] / s for s in m["seconds"]]
        spread = [number(f(rates)) for f in (median, min, max)]
        under = design.removeprefix("panes over ")
        compared = [
            ratio(find(measured, f"{query} {inputs}in {other}"), m) if other else ""
            for other in (AGGREGATE_REFERENCE, under if under != design else "")
        ]
        latency = [number(float(told[p])) for p in percentiles]
        rows.append([query, inputs, design, *spread, str(len(rates)), *compared, *latency])
    return table(*without_empty(head, rows))


def layouts(measured: list[Measurement]) -> str:
    told = list(measured[0]["facts"])
    told.remove("skew %")
    rows = [[m["arm"], *(number(m["facts"][name]) for name in told)] for m in measured]
    return table(["streams, rows x columns", *told], rows)


FORMS = {
    "engine": engines,
    "stream": streams,
    "trigger": triggers,
    "growth": growth,
    "kernel": loops,
    "gate": gates,
    "index": loops,
    "steps": loops,
    "shares": loops,
    "interval": loops,
    "overlap": loops,
    "layout": layouts,
    "cube": loops,
    "output": loops,
    "latency": latencies,
    "live": lives,
    "scaling": scalings,
    "skew": skews,
    "scaled": loops,
    "merge": merges,
    "aggregate": aggregates,
    "operations": loops,
    "hive": loops,
    "alone": aggregates,
}


def set_heading(name: str, facts_of_set: dict[str, Any]) -> str:
    documented = (type(SETS[name]).__doc__ or "").split("\n\n")[0] if name in SETS else ""
    meaning = " ".join(documented.split())
    kind = facts_of_set.get("kind")
    if kind in ALONE:
        return f"## {name.capitalize()}\n"
    window = facts_of_set["window_ms"] / 1000
    sizes = f"{facts_of_set['rows']:,} tuples per stream at {facts_of_set['rate']:,}/s"
    if kind == "growth":
        batches = f"{facts_of_set['steps']} batches of {facts_of_set['step']:,} tuples per stream"
        return f"## Set {name}\n\n{meaning} {sizes}; {batches} are timed.\n"
    rows = f"{facts_of_set['results']:,} result rows"
    if kind in ("asof", "around", "interval"):
        left, keys = facts_of_set["left_rows"], facts_of_set["keys"]
        of = f"{left:,} rows of R, {facts_of_set['rows']:,} of S, {keys:,} keys"
        if kind == "around":
            windows = (facts_of_set["window_ms"], *facts_of_set.get("more_ms", ()))
            of += f", window {' and '.join(f'{ms / 1000:g}' for ms in windows)} s"
        return f"## Set {name}\n\n{meaning} {of}, {rows}.\n"
    if kind == "window":
        slide = f"{facts_of_set['slide_ms'] / 1000:g} s"
        functions = " and ".join(facts_of_set["functions"])
        rows = f"every {slide}; {functions} of {facts_of_set['keys']:,} keys, {rows}"
    return f"## Set {name}\n\n{meaning} {sizes}, window {window:g} s, {rows}.\n"


def missing(result: Result, name: str) -> list[str]:
    """Why an arm has no line. That an arm has nothing for a kind of workload is not news."""
    told = [("failed", e) for e in result["failed"] if e["set"] == name]
    told += [
        ("left out", e)
        for e in result["left_out"]
        if e["set"] == name and not e["reason"].endswith("for this workload")
    ]
    lines = dict.fromkeys(
        f"- `{e['arm']}` {verb}: {e['reason'].splitlines()[0].rstrip(':')}." for verb, e in told
    )
    return list(lines)


def provenance(result: Result) -> str:
    m = result["machine"]
    state = " with uncommitted changes" if result["dirty"] else ""
    tools = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return "\n".join(
        (
            f"- machine: {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, {m['os']}; "
            f"load when it started: {m['load_at_start']}",
            f"- versions: {tools}",
            f"- commit: `{(result['commit'] or 'unknown')[:12]}`{state}; {result['started']}",
            f"- command: `{result['command']}` ({result['settings']['threads']} threads, "
            f"heap {result['settings']['memory']})",
            "",
        )
    )


def page(name: str, result: Result) -> str:
    """The page of one result file: where it comes from, and a table of each set and span."""
    parts = [
        f"# {name}\n",
        f"*Made from `{HERE}/results/{name}.json` by `make bench-pages`; do not edit. "
        "[All results](../performance.md)*\n",
        provenance(result),
    ]
    for set_name, facts_of_set in result["sets"].items():
        here = [m for m in result["measurements"] if m["set"] == set_name]
        told = missing(result, set_name)
        if not here and not told:
            continue
        parts.append(set_heading(set_name, facts_of_set))
        for family, title in SPANS.items():
            measured = [m for m in here if m["family"] == family]
            if measured:
                parts.append(f"**{title}**\n\n{FORMS[family](measured)}")
        if told:
            parts.append("\n".join(told) + "\n")
    return "\n".join(parts)
