"""The table of everything in the papers says what is there."""

import re
from pathlib import Path

import scalegate
from scalegate._operators import DESIGNS, OPERATORS, TAKES

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `([\w.]+)` \| ([^|]+) \|$", re.M)
FIGURE = re.compile(r"\[([^]]+)\]\(figures\.md#([\w-]+)\)")
NO_FIGURE = ("none in the paper", "what the others are tested against")
STRATEGIES = re.compile(
    r"^(?:final )?(?:class|object) (\w+)[^{]*?extends\s+"
    r"(?:JoinStrategy|SelfJoinStrategy|AggregateDesign|QueuedDesign|SlidingIndex|ConcurrentSlidingIndex)\b",
    re.M,
)


def rows() -> list[tuple[str, ...]]:
    page = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
    table = page.partition("## Everything in them")[2].partition("\n## ")[0]
    found = ROW.findall(table)
    assert len(found) == sum(line.startswith("| ") for line in table.splitlines()) - 2
    return found


def drawn() -> dict[str, set[str]]:
    """The figures of each section of the page of figures."""
    page = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    sections = [text.partition("\n") for text in page.split("\n## ")[1:]]
    return {
        title.lower().replace(" ", "-"): set(re.findall(r"^- \*\*([^*]+)\*\*", text, re.M))
        for title, _, text in sections
    }


def sources() -> dict[str, str]:
    """The Scala sources by their class, as `gate.TGate`, tests among them for the queries."""
    files = [
        file
        for module in ("core", "operators")
        for file in (ROOT / "jvm" / module / "src").rglob("*.scala")
    ]
    return {
        ".".join((*file.parts[file.parts.index("scalegate") + 1 : -1], file.stem)): str(file)
        for file in files
        if "io" in file.parts
    }


def test_each_class_and_operator_is_there() -> None:
    known = sources()
    for _, what, call, name, _ in rows():
        assert name in known, what
        for operator in re.findall(r'algorithm="([\w-]+)"', call):
            assert operator in (*OPERATORS, "matrix"), what
        for design in re.findall(r'design="([\w-]+)"', call):
            assert design in DESIGNS, what
        for operator, option in re.findall(r'operator\("([\w-]+)", (\w+)=', call):
            assert option in TAKES[operator], what
        for function in re.findall(r"scalegate\.(\w+)\(", call):
            assert function in scalegate.__all__, what


def test_each_operator_and_strategy_is_told_of() -> None:
    told = rows()
    calls = " ".join(call for _, _, call, _, _ in told)
    assert [name for name in OPERATORS if f'algorithm="{name}"' not in calls] == []
    asked = [*re.findall(r'design="(\w+)"', calls), *re.findall(r'operator\("(\w+)"', calls)]
    assert set(DESIGNS) - set(asked) == set()
    names = {name.rpartition(".")[2] for _, _, _, name, _ in told}
    there = {
        strategy
        for file in sources().values()
        if "/main/" in file
        for strategy in STRATEGIES.findall(Path(file).read_text(encoding="utf-8"))
    }
    assert len(there) > 20
    assert there - names == set()


def test_each_figure_is_told_of_and_on_its_page() -> None:
    known = drawn()
    told: dict[str, set[str]] = {section: set() for section in known}
    for _, what, _, _, figures in rows():
        found = FIGURE.findall(figures)
        assert found or figures in NO_FIGURE, what
        for figure, section in found:
            assert figure in known[section], what
            told[section].add(figure)
    assert told == known
