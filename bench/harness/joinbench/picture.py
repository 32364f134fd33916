"""The picture of a result folder: a panel per set and span, log scale, medians labelled."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from joinbench.report import Measurement, Result, number

COLOURS = {"scalegate": "#d1495b", "core": "#d1495b", "cpp": "#9aa5b1", "spark": "#e09f3e"}
OTHERS = "#3d6b8c"


def colour(arm: str) -> str:
    """Ours in red, the machine's limit in grey, plain Spark in amber, other engines in blue."""
    return next((c for start, c in COLOURS.items() if arm.startswith(start)), OTHERS)


def label(m: Measurement) -> str:
    return m["arm"] if m["family"] == "engine" else f"{m['arm']} ×{m['threads']}"


def value(m: Measurement, seconds: float) -> float:
    """Seconds of an engine; comparisons per second of a loop."""
    return seconds if m["family"] == "engine" else float(m["work"]["comparisons"]) / seconds


def panels(results: dict[str, Result]) -> list[tuple[str, str, list[Measurement]]]:
    """Title, axis and bars of each panel; a set in two files is taken from the later one."""
    found: dict[tuple[str, str], list[Measurement]] = {}
    for result in results.values():
        for name in result["sets"]:
            for family in ("engine", "kernel"):
                bars = [
                    m
                    for m in result["measurements"]
                    if m["set"] == name
                    and m["family"] == family
                    and (family == "engine" or "comparisons" in m["work"])
                ]
                if bars:
                    found[name, family] = bars
    titles = {
        "engine": ("from Parquet to checked rows", "seconds (shorter is better)"),
        "kernel": ("loops over columns in memory", "comparisons per second (longer is better)"),
    }
    order = sorted(found, key=lambda key: key[1])
    return [(f"Set {n}: {titles[f][0]}", titles[f][1], found[n, f]) for n, f in order]


def panel(axes: Any, title: str, axis: str, bars: list[Measurement]) -> None:
    fastest_first = axis.startswith("seconds")
    bars = sorted(bars, key=lambda m: value(m, median(m["seconds"])), reverse=fastest_first)
    middle = [value(m, median(m["seconds"])) for m in bars]
    low = [min(value(m, s) for s in m["seconds"]) for m in bars]
    high = [max(value(m, s) for s in m["seconds"]) for m in bars]
    spread = (
        [a - b for a, b in zip(middle, low, strict=True)],
        [a - b for a, b in zip(high, middle, strict=True)],
    )
    names = [label(m) for m in bars]
    axes.barh(names, middle, color=[colour(m["arm"]) for m in bars], height=0.7)
    axes.errorbar(middle, names, xerr=spread, fmt="none", ecolor="#333333", capsize=2, lw=1)
    axes.set_xscale("log")
    axes.set_xlim(min(low) / 3, max(high) * 4)
    for row, (top, shown) in enumerate(zip(high, middle, strict=True)):
        text = f"{number(shown)} s" if fastest_first else number(shown)
        axes.annotate(
            text, (top, row), (6, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_title(title, fontsize=10, loc="left", fontweight="bold")
    axes.set_xlabel(axis, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def draw(results: dict[str, Result], target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = panels(results)
    if not shown:
        return
    columns = min(2, len(shown))
    lines = -(-len(shown) // columns)
    tallest = max(len(bars) for _, _, bars in shown)
    figure, grid = pyplot.subplots(
        lines, columns, figsize=(5.6 * columns, lines * (1.1 + 0.32 * tallest)), squeeze=False
    )
    for axes, content in zip(grid.flat, shown, strict=False):
        panel(axes, *content)
    for axes in list(grid.flat)[len(shown) :]:
        axes.set_visible(False)
    figure.tight_layout()
    figure.savefig(target, dpi=130)
    pyplot.close(figure)
