"""The page of the papers' figures: all are told of, and programs that are there draw them."""

from pathlib import Path

import pytest
from joinbench import BENCH, ROOT, figures, report
from joinbench.arms.figures import SOURCES
from joinbench.papers import PAPERS
from joinbench.papers.figure import Figure, Paper

DRAWN = [(p, f) for p in PAPERS for f in p.figures if f.drawn]
NOT_ON_RECORD = {("dp-join", "Fig. 7a")}
"""Drawn once they are measured; the page says that they are not."""


@pytest.fixture(scope="module")
def committed() -> dict[str, report.Result]:
    return report.load(BENCH / "results")


@pytest.mark.parametrize(("paper", "figure"), DRAWN, ids=lambda x: getattr(x, "number", ""))
def test_what_is_drawn_is_on_record_and_says_what_holds(
    committed: dict[str, report.Result], paper: Paper, figure: Figure
) -> None:
    of = figures.shown(figure, committed[figures.name_of(paper)])
    if (paper.key, figure.number) in NOT_ON_RECORD:
        assert not of
    else:
        assert of and all(len(line) > 0 for line in of.values())
        assert figure.drawn is not None and figure.drawn.holds(of).endswith(".")
        assert figure.said and figure.same


def test_what_is_not_drawn_says_where_it_is_or_why_not() -> None:
    for paper in PAPERS:
        for figure in paper.figures:
            assert bool(figure.elsewhere) != bool(figure.drawn), (paper.key, figure.number)


def test_every_program_is_of_a_paper_and_in_the_sources() -> None:
    assert {source.paper for source in SOURCES} == {paper.key for paper in PAPERS}
    for source in SOURCES:
        path = source.main.replace(".", "/") + ".scala"
        assert (ROOT / "bench/jmh/src/main/scala" / path).is_file(), source.main


def test_the_points_of_a_figure_with_no_result_are_missing_from_the_page() -> None:
    page = " ".join(figures.page({}, Path("img")).split())
    assert page.count("*Not measured yet.*") == len(DRAWN)
    assert "![" not in page
    for paper in PAPERS:
        for figure in paper.figures:
            assert f"**{figure.number}**" in page


@pytest.mark.parametrize("threads", [1, 2, 8, 16])
def test_programs_are_told_of_threads_that_there_are(threads: int) -> None:
    for source in SOURCES:
        assert all(source.arguments(threads)), source.name
        if source.family == "scaling" and source.name == "threads":
            counts = [int(n) for n in source.arguments(threads)[1].split(",")]
            assert counts[-1] == threads and counts == sorted(set(counts))
