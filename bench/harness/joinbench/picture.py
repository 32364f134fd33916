"""The picture of a result folder: a panel per set, of engines; log scale, medians labelled."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from joinbench.report import KINDS, Measurement, Result, number
from joinbench.summary import newest

COLOURS = {"scalegate": "#d1495b", "core": "#d1495b", "cpp": "#9aa5b1", "spark": "#e09f3e"}
OTHERS = "#3d6b8c"


def colour(arm: str) -> str:
    """Ours in red, the machine's limit in grey, plain Spark in amber, other engines in blue."""
    return next((c for start, c in COLOURS.items() if arm.startswith(start)), OTHERS)


def panels(results: dict[str, Result]) -> list[tuple[str, list[Measurement]]]:
    """Title and bars of each panel: every set of the glance's table, as engines."""
    return [
        (f"{name}: {KINDS[result['sets'][name]['kind']]}", measured)
        for (name, _), (result, measured) in sorted(newest(results, "engine").items())
    ]


def panel(axes: Any, title: str, bars: list[Measurement]) -> None:
    bars = sorted(bars, key=lambda m: median(m["seconds"]), reverse=True)
    middle = [median(m["seconds"]) for m in bars]
    low, high = [min(m["seconds"]) for m in bars], [max(m["seconds"]) for m in bars]
    spread = (
        [a - b for a, b in zip(middle, low, strict=True)],
        [a - b for a, b in zip(high, middle, strict=True)],
    )
    names = [m["arm"] for m in bars]
    axes.barh(names, middle, color=[colour(name) for name in names], height=0.7)
    axes.errorbar(middle, names, xerr=spread, fmt="none", ecolor="#333333", capsize=2, lw=1)
    axes.set_xscale("log")
    axes.set_xlim(min(low) / 3, max(high) * 6)
    for row, (top, shown) in enumerate(zip(high, middle, strict=True)):
        axes.annotate(
            f"{number(shown)} s",
            (top, row),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_title(title, fontsize=10, loc="left", fontweight="bold")
    axes.set_xlabel("seconds, log scale (shorter is better)", fontsize=8)
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
    lines = [shown[i : i + columns] for i in range(0, len(shown), columns)]
    tallest = [max(len(bars) for _, bars in line) for line in lines]
    heights = [0.9 + 0.24 * bars for bars in tallest]
    figure, grid = pyplot.subplots(
        len(lines),
        columns,
        figsize=(5.6 * columns, sum(heights)),
        height_ratios=heights,
        squeeze=False,
    )
    for axes, content in zip(grid.flat, shown, strict=False):
        panel(axes, *content)
    for axes in list(grid.flat)[len(shown) :]:
        axes.set_visible(False)
    figure.tight_layout()
    figure.savefig(target, dpi=130)
    pyplot.close(figure)
