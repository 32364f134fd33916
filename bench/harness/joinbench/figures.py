"""The page of the papers' figures, and a picture for each paper, from the result files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joinbench.papers import PAPERS
from joinbench.papers.figure import Curves, Drawn, Figure, Paper
from joinbench.report import Result
from joinbench.summary import PAGES, lines

Results = Mapping[str, Result]

COLOURS = ("#d1495b", "#3d6b8c", "#e09f3e", "#5b8c5a", "#8d6a9f", "#9aa5b1")

HEAD = """# The papers' figures

*Made from `bench/results/figures-*.json` by `make bench-pages`; do not edit.*

Every figure and table of the five papers that measures something, and what became of it here.
What a paper says is from its text; a black star is a point that the text or a table states. The
papers' machines are of another time: what can hold is the shape of a curve.

`make figures` measures all that is drawn, over as many threads as the machine has cores, and
draws it again. `make figures PAPERS=scalejoin FIGURES_ARGS="--threads 8"` takes one paper, and as
many threads.
"""


def name_of(paper: Paper) -> str:
    return f"figures-{paper.key}"


def shown(figure: Figure, result: Result | None) -> Curves:
    """Its curves; none where the result lacks the measurements."""
    if figure.drawn is None or result is None:
        return {}
    found: Curves = figure.drawn.curves(result)
    return {label: line for label, line in found.items() if line}


def plots(paper: Paper, result: Result) -> list[tuple[Drawn, Curves]]:
    found = ((figure.drawn, shown(figure, result)) for figure in paper.figures)
    return [(drawn, of) for drawn, of in found if drawn is not None and of]


def draw(paper: Paper, result: Result, target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    every = plots(paper, result)
    if not every:
        return
    rows = -(-len(every) // 2)
    figure, grid = pyplot.subplots(rows, 2, figsize=(10.5, 3.4 * rows), squeeze=False)
    for axes, (drawn, of) in zip(grid.flat, every, strict=False):
        plot(axes, drawn, of)
    for axes in list(grid.flat)[len(every) :]:
        axes.set_visible(False)
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    pyplot.close(figure)


def plot(axes: Any, drawn: Drawn, of: Curves) -> None:
    from matplotlib.ticker import EngFormatter

    for place, (label, line) in enumerate(of.items()):
        x, y = [point[0] for point in line], [point[1] for point in line]
        style = "--" if label in ("ideal", "one thread, PIM-Tree") else "o-"
        axes.plot(x, y, style, color=COLOURS[place % len(COLOURS)], label=label, ms=4, lw=1.4)
    for label, (px, py) in drawn.published:
        axes.plot([px], [py], "*", color="black", ms=9)
        axes.annotate(
            label, (px, py), (-6, 5), textcoords="offset points", ha="right", fontsize=7
        )
    if drawn.log_x:
        axes.set_xscale("log")
    if drawn.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(EngFormatter(sep=" "))
    axes.set_title(drawn.title, fontsize=9, loc="left", fontweight="bold")
    axes.set_xlabel(drawn.x, fontsize=8)
    axes.set_ylabel(drawn.y, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7, frameon=False)


def measured_on(result: Result, name: str) -> str:
    m = result["machine"]
    commit = f"`{(result['commit'] or 'unknown')[:8]}`{' and changes' * result['dirty']}"
    return (
        f"Measured on {m['cores']} cores ({m['cpu']}), {result['started'][:10]}, commit {commit};"
        f" all numbers: [{name}]({PAGES}/{name}.md)."
    )


def told(figure: Figure, result: Result | None) -> str:
    parts = [f"**{figure.number}**: {figure.shows}."]
    if figure.drawn is None:
        return lines(" ".join([*parts, figure.elsewhere]))
    parts += [f"*The paper:* {figure.said}.", f"*Here:* {figure.same}"]
    of = shown(figure, result)
    parts.append(f"*Measured:* {figure.drawn.holds(of)}" if of else "*Not measured yet.*")
    return lines(" ".join(parts))


def section(paper: Paper, result: Result | None, image: Path) -> str:
    parts = [f"## {paper.title}"]
    if result is not None:
        parts.append(lines(measured_on(result, name_of(paper))))
        parts.append(f"![The figures of {paper.title}]({image.as_posix()})")
    items = (told(figure, result) for figure in paper.figures)
    parts.append("\n".join("- " + item.replace("\n", "\n  ") for item in items))
    return "\n\n".join(parts)


def page(results: Results, images: Path) -> str:
    """`images` is the folder of the pictures, seen from the page."""
    sections = [
        section(paper, results.get(name_of(paper)), images / f"{paper.key}.png")
        for paper in PAPERS
    ]
    return HEAD + "\n" + "\n\n".join(sections) + "\n"


def draw_all(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for paper in PAPERS:
        if result := results.get(name_of(paper)):
            draw(paper, result, folder / f"{paper.key}.png")
