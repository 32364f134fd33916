"""The page of all results, its pages and its picture are what the result files give."""

import json
import re
from pathlib import Path

import pytest
from joinbench import BENCH, ROOT, cli, picture, report, summary
from test_report import measured, result

PAGE, IMAGE = cli.documents(ROOT / "docs")
FIGURES = PAGE.with_name("figures.md")
FIGURE = re.compile(r"(?<![\w^.])\d[\d,.]*(?: million)?(?:×| s\b| ms\b)")


@pytest.fixture(scope="module")
def committed() -> dict[str, report.Result]:
    return report.load(BENCH / "results")


def glance(results: dict[str, report.Result]) -> list[list[str]]:
    page = summary.page(results, Path("p.png"))
    told = page.partition("## At a glance")[2].partition("\n## ")[0]
    lines = [line for line in told.splitlines() if line.startswith("| A:")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_committed_pages_are_what_the_committed_results_give(
    committed: dict[str, report.Result],
) -> None:
    """Else `make bench-pages` writes them anew."""
    made = cli.pages(committed, PAGE, IMAGE)
    assert {p: p.read_text(encoding="utf-8") for p in made if p.is_file()} == made
    assert set((PAGE.parent / summary.PAGES).iterdir()) == set(made) - {PAGE, FIGURES}
    assert IMAGE.read_bytes()[1:4] == b"PNG"


def test_the_results_hold_every_figure_that_the_words_ask_for(
    committed: dict[str, report.Result],
) -> None:
    assert summary.unfilled(committed) == []
    assert "[[" not in summary.page(committed, Path("p.png"))


def test_the_words_have_no_figures_of_their_own() -> None:
    """A number with a unit is a file's; what the words say of set-ups is listed here."""
    words = summary.PLACE.sub("", summary.WORDS.read_text(encoding="utf-8"))
    assert FIGURE.findall(words) == ["2×", "30 s", "3 s", "0.5×"]


def test_the_readme_has_no_ratios_but_those_of_the_page() -> None:
    ratios = re.compile(r"\d[\d,.]*×")
    told = ratios.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert told and set(told) <= set(ratios.findall(PAGE.read_text(encoding="utf-8")))


def test_a_paragraph_whose_figures_no_file_holds_is_left_out() -> None:
    page = summary.page({"joins": result()}, Path("p.png"))
    assert "### Latency" not in page and "KeyError" not in page
    assert "### Streams" in page and "## How it is measured" in page


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("seconds | joins | A | scalegate", "0.5 s"),
        ("ms | joins | A | cpp-nl @2", "100 ms"),
        ("times | joins | A | spark-abs | scalegate", "36×"),
        ("per second | joins | gate | ScaleGate 2×1", "5 million"),
        ("fact | joins | gate | SkipListMap 2×1 | bytes per tuple", "48"),
        ("rows | joins | A", "4,731"),
    ],
)
def test_a_figure_is_a_result_files(asked: str, told: str) -> None:
    assert summary.figure({"joins": result()}, asked) == told


@pytest.mark.parametrize("asked", ["seconds | joins | A | flink", "seconds | no | A | x", "x"])
def test_a_figure_of_no_result_file_is_an_error(asked: str) -> None:
    with pytest.raises(KeyError):
        summary.figure({"joins": result()}, asked)


def test_the_page_begins_with_what_others_took_beside_us() -> None:
    older = result() | {"started": "2025-01-01T00:00:00+00:00"}
    newer = result()
    newer["measurements"].append(measured("spark-abs-otherwise", "engine", [1.0], tuples=120_000))
    assert glance({"a": newer, "b": older}) == [
        ["A: join by two bands and time, 120,000 rows, 10 s", "0.5", "240,000", "36×"]
    ]


def test_a_set_in_another_number_of_batches_has_a_line_of_its_own() -> None:
    once = result()
    once["settings"]["batches"] = 1
    found = glance({"joins": result(), "once": once})
    assert [", in one batch" in cells[0] for cells in found] == [False, True]


def test_what_took_less_than_ours_is_listed_and_only_that() -> None:
    faster = result()
    faster["measurements"] += [
        measured("duckdb-ordered", "engine", [0.1], tuples=120_000),
        measured("limit", "engine", [0.01]),
    ]
    told = summary.losses({"joins": faster})
    assert [line.split(" | ")[1:] for line in told.splitlines() if "`" in line] == [
        ["`duckdb-ordered`", "0.1", "0.5", "0.2× |"]
    ]
    assert "None of them is Spark's own plan" in told
    assert summary.losses({"joins": result()}) == "None."
    faster["measurements"].append(measured("spark-abs-2", "engine", [0.2], tuples=120_000))
    assert "None of them" not in summary.losses({"joins": faster})


def test_rendering_writes_pages_and_picture_from_result_files(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "joins.json").write_text(json.dumps(result()))
    page, image = cli.documents(tmp_path)
    page.parent.joinpath(summary.PAGES).mkdir()
    gone = page.parent / summary.PAGES / "gone.md"
    gone.write_text("of a result that is no more")
    cli.render(results, page, image)
    assert "[joins](performance/joins.md)" in page.read_text()
    assert "| scalegate |" in (page.parent / summary.PAGES / "joins.md").read_text()
    assert not gone.exists()
    assert image.read_bytes()[1:4] == b"PNG"


def test_the_picture_has_a_panel_for_each_set_of_engines() -> None:
    shown = picture.panels({"joins": result()})
    assert [(title, len(bars)) for title, bars in shown] == [("A: join by two bands and time", 2)]
