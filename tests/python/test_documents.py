"""Every block of Python and SQL in the documents runs as written, from a page's top down, and
prints what stands below it; the notebooks likewise."""

import contextlib
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[2]
# A block of Python may have what it prints below it.
BLOCK = re.compile(
    r"^```(python|sql)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if BLOCK.search(page.read_text(encoding="utf-8"))
]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
MASTER = '.master("local[*]")'
# Blocks that are not executed here: output and plans, commands, and names of messages; those of
# Scala are DocumentedScalaSuite's.
SHOWN = {"", "text", "sh", "scala", "message"}
TEXTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "python").glob("*.md")),
]


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """The tests' session, left as it was: pages set settings, start queries and make views."""
    before = spark.conf.getAll
    yield spark
    for key in spark.conf.getAll.keys() - before.keys():
        if spark.conf.isModifiable(key):
            spark.conf.unset(key)
    changed = spark.conf.getAll
    for key, value in before.items():
        if changed.get(key) != value and spark.conf.isModifiable(key):
            spark.conf.set(key, value)
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
        language, code, shown = block.groups()
        if language == "sql":
            session.sql(code).collect()
        else:
            # Errors name the page and the line in it.
            line = text[: block.start(2)].count("\n")
            printed = run("\n" * line + code, str(page), names)
            assert shown is None or printed.strip() == shown.strip()
    # A frame that has two names is counted once.
    frames = {id(f): f for f in names.values() if isinstance(f, DataFrame) and not f.isStreaming}
    assert all(f.count() > 0 for f in frames.values())


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[notebook.stem for notebook in NOTEBOOKS])
def test_each_notebook_prints_what_it_shows(notebook: Path, session: SparkSession) -> None:
    names: dict[str, object] = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            outputs = [out for out in cell["outputs"] if out.get("name") == "stdout"]
            shown = "".join(line for out in outputs for line in out["text"])
            code = "".join(cell["source"])
            if "SPARK_REMOTE" in os.environ:
                # Beside a server's address PySpark refuses a master.
                code = code.replace(MASTER, "")
            assert run(code, cell["id"], names) == shown


def run(code: str, where: str, names: dict[str, object]) -> str:
    """What the code prints; the names that it makes are added to those given."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, where, "exec"), names)
    return printed.getvalue()


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


def test_commands_are_those_that_there_are() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    asked = set()
    for page in TEXTS:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```(?:sh)?\n(make .*?)^```$", text, re.MULTILINE | re.DOTALL):
            for command in re.findall(r"^make (.*?)(?: +#.*)?$", block, re.MULTILINE):
                asked |= {word for word in command.split() if "=" not in word}
    assert {"demo", "test", "jars", "wheel"} <= asked <= targets


def test_no_block_is_left_out_for_its_language() -> None:
    for page in TEXTS:
        fences = re.findall(r"^ *```(\w*)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(fences[::2]) <= {"python", "sql", *SHOWN}, page
        assert set(fences[1::2]) <= {""}, page


def test_the_pages_that_newcomers_read_have_blocks() -> None:
    names = {page.name for page in PAGES}
    assert {"README.md", "get-started.md", "joins.md", "streaming.md", "windows.md"} <= names
