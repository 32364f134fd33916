"""The picture of a result folder: a panel per set, of engines; log scale, medians labelled."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from joinbench.report import KINDS, Measurement, Result, is_behind, number
from joinbench.summary import newest

COLOURS = {"scalegate": "#d1495b", "core": "#d1495b", "cpp": "#9aa5b1", "spark": "#e09f3e"}
OTHERS = "#3d6b8c"
LINES = ("#d1495b", "#e8888f", "#e09f3e", "#3d6b8c", "#7fb3d5", "#4f772d", "#9aa5b1")


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


LIVE_TITLES = {
    "band": "two bands, no key",
    "keyed": "equal keys",
    "ordered": "two bands, no key, in order",
    "asof": "as-of join by key",
    "windows": "windows of a minute each second",
    "band over Kafka": "two bands, no key, over Kafka",
    "keyed over Kafka": "equal keys, over Kafka",
}


def lines(results: dict[str, Result], target: Path) -> None:
    """Latency against load, of the live bench: the median, and the 99th percentile dashed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    live = [m for r in results.values() for m in r["measurements"] if m["family"] == "live"]
    if not live:
        return
    fed = {m["facts"]["query"] for m in live}
    queries = [query for query in LIVE_TITLES if query in fed]
    across = min(2, len(queries))
    down = -(-len(queries) // across)
    figure, grid = pyplot.subplots(
        down, across, figsize=(5.6 * across, 4.2 * down), sharey=True, squeeze=False
    )
    for axes in list(grid.flat)[len(queries) :]:
        axes.set_visible(False)
    for axes, query in zip(grid.flat, queries, strict=False):
        of = [
            m["facts"] for m in live if m["facts"]["query"] == query and not is_behind(m["facts"])
        ]
        for number_of, arm in enumerate(dict.fromkeys(f["engine"] for f in of)):
            mine = sorted((f for f in of if f["engine"] == arm), key=lambda f: f["load"])
            loads = [f["load"] for f in mine]
            shade = LINES[number_of % len(LINES)]
            axes.plot(loads, [f["p50 ms"] for f in mine], "o-", color=shade, label=arm, ms=4)
            axes.plot(loads, [f["p99 ms"] for f in mine], "o--", color=shade, ms=3, lw=1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(LIVE_TITLES[query], fontsize=10)
        axes.set_xlabel("events of both streams a second", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=7, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("latency in ms: median, and 99 % dashed", fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=130)
    pyplot.close(figure)


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
