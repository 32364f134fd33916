"""Every block of Python and SQL in the documents runs as written, from a page's top down."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|sql)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if BLOCK.search(page.read_text(encoding="utf-8"))
]
TEXTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "python").glob("*.md")),
]


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    yield spark
    for query in spark.streams.active:
        query.stop()
    for table in spark.catalog.listTables():
        if table.isTemporary:
            spark.catalog.dropTempView(table.name)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_each_block_runs_as_written(page: Path, session: SparkSession) -> None:
    names: dict[str, object] = {}
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        if language == "sql":
            session.sql(code).collect()
        else:
            # Errors name the page and the line in it.
            line = text[: block.start(2)].count("\n")
            exec(compile("\n" * line + code, str(page), "exec"), names)
    frames = [f for f in names.values() if isinstance(f, DataFrame) and not f.isStreaming]
    assert all(f.count() > 0 for f in frames)


def anchors(page: Path) -> set[str]:
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", TEXTS, ids=[str(page.relative_to(ROOT)) for page in TEXTS])
def test_each_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if not path.startswith("http"):
            other = page.parent / path if path else page
            assert other.exists(), target
            assert not anchor or anchor in anchors(other), target


def test_the_pages_that_newcomers_read_have_blocks() -> None:
    names = {page.name for page in PAGES}
    assert {"README.md", "streaming.md", "aggregates.md"} <= names
