"""The page of all results that a person reads: the words of performance.md, the files' figures.

In the words, `[[seconds | bands | B | scalegate]]` is what the file `bands.json` says of an arm
in a set; `FIGURES` lists what can be asked. `[[glance]]` and the others of `TABLES` are tables.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from joinbench import HERE
from joinbench.report import (
    KINDS,
    OURS,
    SPANS,
    Measurement,
    Result,
    find,
    number,
    ratio,
    table,
    without_empty,
)

WIDTH = 120
WORDS = Path(__file__).parent / "performance.md"
PAGES = "performance"
"""The folder beside the page that holds a page for each result."""
PLACE = re.compile(r"\[\[(.*?)\]\]")
PEERS = {
    "engine": {
        "plain Spark": "spark-abs",
        "Spark with bins": "spark-bins",
        "DuckDB": "duckdb",
        "Polars": "polars",
        "C++ grid": "cpp-grid-parquet",
    },
    "stream": {"limit": "limit", "Spark": "spark-hdfs", "Flink": "flink-checkpoints"},
}
"""By an arm's name, or its beginning: then the fastest of those that fit."""
NO_JOIN = "limit"
AS_WHAT = {"engine": "", "stream": ", as streams"}

Results = Mapping[str, Result]


def newest(
    results: Results, family: str
) -> dict[tuple[str, int], tuple[Result, list[Measurement]]]:
    """Of each set, and number of batches where one was asked for, the last result with a time of
    ours, and what was measured in that run.
    """
    found = {}
    for result in sorted(results.values(), key=lambda r: str(r["started"])):
        for name in result["sets"]:
            here = [
                m for m in result["measurements"] if (m["set"], m["family"]) == (name, family)
            ]
            if find(here, OURS[family]):
                found[name, result["settings"].get("batches") or 0] = result, here
    return found


def best(measured: Sequence[Measurement], beginning: str) -> Measurement | None:
    named = find(measured, beginning)
    if named:
        return named
    fits = [m for m in measured if m["arm"].startswith(beginning)]
    return min(fits, key=lambda m: median(m["seconds"]), default=None)


def in_batches(batches: int) -> str:
    return {0: "", 1: ", in one batch"}.get(batches, f", in {batches} batches")


def counted(value: float) -> str:
    """As people read large numbers."""
    return number(value) if value < 1e6 else f"{value / 1e6:.3g} million"


def a_second(m: Measurement) -> str:
    return counted(m["work"]["tuples"] / median(m["seconds"]))


def duration(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:g} s"


def glance(results: Results, family: str) -> str:
    """A line for each set: our time, and how many times as long others took in the same run."""
    rows = []
    for (name, batches), (result, measured) in sorted(newest(results, family).items()):
        told, ours = result["sets"][name], find(measured, OURS[family])
        assert ours is not None
        # Of as-of joins the left side may have fewer, and there is no window.
        both = told["rows"] + told.get("left_rows", told["rows"] * (told.get("streams", 2) - 1))
        what = f"{name}: {KINDS[told['kind']]}, {counted(both)} rows"
        if told["window_ms"]:
            windows = (told["window_ms"], *told.get("more_ms", ()))
            what += f", {' and '.join(map(duration, windows))}"
        what += in_batches(batches)
        others = [ratio(best(measured, arm), ours) for arm in PEERS[family].values()]
        rows.append([what, number(median(ours["seconds"])), a_second(ours), *others])
    head = ["set", "scalegate, s", "rows/s", *(f"{peer} took" for peer in PEERS[family])]
    return table(*without_empty(head, rows)) if rows else ""


def at_a_glance(results: Results) -> str:
    spans = [f"**{SPANS[f]}**\n\n{told}" for f in OURS if (told := glance(results, f))]
    return "\n".join(spans).rstrip()


def is_ours(arm: str) -> bool:
    return arm.startswith("scalegate")


def losses(results: Results) -> str:
    """The arms of the glances' runs that took less than ours and join something."""
    rows = []
    for family, ours_is in OURS.items():
        for (name, batches), (_, measured) in sorted(newest(results, family).items()):
            ours = find(measured, ours_is)
            assert ours is not None
            for m in sorted(measured, key=lambda m: median(m["seconds"])):
                faster = median(m["seconds"]) < median(ours["seconds"])
                if faster and not is_ours(m["arm"]) and not m["arm"].startswith(NO_JOIN):
                    seconds = [number(median(x["seconds"])) for x in (m, ours)]
                    where = f"{name}{AS_WHAT[family]}{in_batches(batches)}"
                    rows.append([where, f"`{m['arm']}`", *seconds, ratio(m, ours)])
    if not rows:
        return "None."
    sparks = [row for row in rows if row[1].startswith("`spark")]
    said = "" if sparks else "None of them is Spark's own plan, or Spark with bins.\n\n"
    return said + table(["set", "arm", "it took, s", "scalegate, s", "of ours"], rows).rstrip()


def every_result(results: Results) -> str:
    """A line for each file: its page, the sets, the machine, when, and the commit."""
    head = ["result", "sets", "what", "machine", "day", "commit"]
    lines = [head, ["---"] * len(head)]
    for name, result in results.items():
        families = dict.fromkeys(m["family"] for m in result["measurements"])
        commit = f"`{(result['commit'] or 'unknown')[:8]}`{' and changes' * result['dirty']}"
        machine = f"{result['machine']['cpu']}, {result['machine']['cores']} cores"
        lines.append(
            [
                f"[{name}]({PAGES}/{name}.md)",
                ", ".join(result["sets"]),
                ", ".join(SHORT[family] for family in families),
                machine,
                result["started"][:10],
                commit,
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


SHORT = {
    "engine": "engines",
    "stream": "streams",
    "trigger": "latency with a trigger",
    "growth": "small batches over large windows",
    "kernel": "loops in memory",
    "gate": "gates",
    "index": "index joins",
    "steps": "steps of index joins",
    "shares": "insertions by subindex",
    "interval": "interval joins",
    "overlap": "an index of intervals",
    "layout": "layouts of a matrix",
    "cube": "a join of three streams",
    "output": "output rates of a matrix",
    "latency": "latency in the core",
    "live": "latency over live streams",
    "scaling": "window joins over threads",
    "skew": "balance of threads",
    "scaled": "index joins over threads",
    "merge": "merges of an index",
    "aggregate": "multiway aggregates",
    "operations": "operations of aggregates",
    "hive": "a W-Hive's windows",
    "alone": "aggregates on one thread",
}
TABLES: dict[str, Callable[[Results], str]] = {
    "glance": at_a_glance,
    "losses": losses,
    "results": every_result,
}


def measured_of(results: Results, result: str, name: str, arm: str) -> Measurement:
    """`arm` may end in " @2": on two threads."""
    named, _, threads = arm.partition(" @")
    here = [m for m in results[result]["measurements"] if m["set"] == name]
    found = find(here, named, int(threads) if threads else None)
    if found is None:
        raise KeyError(f"{result}.json holds no {arm} in set {name}")
    return found


def seconds(results: Results, result: str, name: str, arm: str) -> str:
    return number(median(measured_of(results, result, name, arm)["seconds"])) + " s"


def milliseconds(results: Results, result: str, name: str, arm: str) -> str:
    return number(1000 * median(measured_of(results, result, name, arm)["seconds"])) + " ms"


def times_as_long(results: Results, result: str, name: str, arm: str, as_arm: str) -> str:
    """How many times as long the first arm took."""
    long, short = (measured_of(results, result, name, a) for a in (arm, as_arm))
    return ratio(long, short)


def per_second(results: Results, result: str, name: str, arm: str) -> str:
    return a_second(measured_of(results, result, name, arm))


def fact(results: Results, result: str, name: str, arm: str, of: str) -> str:
    return number(float(measured_of(results, result, name, arm)["facts"][of]))


def result_rows(results: Results, result: str, name: str) -> str:
    return f"{results[result]['sets'][name]['results']:,}"


FIGURES: dict[str, Callable[..., str]] = {
    "seconds": seconds,
    "ms": milliseconds,
    "times": times_as_long,
    "per second": per_second,
    "fact": fact,
    "rows": result_rows,
}


def figure(results: Results, asked: str) -> str:
    """What stands where the words ask for it; a KeyError where no result file holds it."""
    kind, *where = [part.strip() for part in asked.split("|")]
    return TABLES[kind](results) if kind in TABLES else FIGURES[kind](results, *where)


def unfilled(results: Results) -> list[str]:
    """What the words ask for and no result file holds."""
    missing = []
    for place in PLACE.finditer(WORDS.read_text(encoding="utf-8")):
        try:
            figure(results, place[1])
        except KeyError:
            missing.append(place[1])
    return missing


def filled(results: Results, paragraph: str) -> str:
    """The paragraph with its figures, in lines; nothing where one is missing."""
    if (table_of := PLACE.fullmatch(paragraph)) and table_of[1] in TABLES:
        return TABLES[table_of[1]](results)
    try:
        told = PLACE.sub(lambda place: figure(results, place[1]), paragraph)
    except KeyError:
        return ""
    items = re.split(r"\n(?=- )", told)
    return "\n".join(lines(item) for item in items)


def lines(text: str) -> str:
    """Broken anew, as figures are longer or shorter than what asks for them; no headings."""
    if text.startswith(("#", "!")):
        return text
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def page(results: Results, image: Path) -> str:
    """The words' paragraphs whose figures the results hold, without headings of none."""
    words = WORDS.read_text(encoding="utf-8").replace("{image}", image.as_posix())
    words = words.replace("{here}", HERE)
    paragraphs = [told for p in words.strip().split("\n\n") if (told := filled(results, p))]
    kept = [
        told
        for told, after in zip(paragraphs, [*paragraphs[1:], "#"], strict=True)
        if not (told.startswith("##") and after.startswith("#") and level(after) <= level(told))
    ]
    return "\n\n".join(kept) + "\n"


def level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))
