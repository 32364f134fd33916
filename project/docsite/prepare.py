"""Writes the site's pages, complete, to the folder from which the site is built.

The front page is README.md; CONTRIBUTING.md, the examples and the notebooks are pages, too. Marks
in docs/ are filled from the sources (see `docsite.fill`), links lead to pages of the site.

Usage: prepare.py FOLDER
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "project"))

from docsite import fill  # noqa: E402

# What lies outside docs/, by the page that it is on the site.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/kafka_bands.py": "examples/kafka_bands.md",
    "examples/realtime_bands.py": "examples/realtime_bands.md",
}
# In pages that `make bench-pages` writes.
FOR_EDITORS = "; do not edit"
LINK = re.compile(r"(\]\()([^)\s#]+)")


def main(target: Path) -> None:
    """Writes everything anew."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        source = page.relative_to(ROOT).as_posix()
        text = fill.filled(page.read_text(encoding="utf-8"), ROOT).replace(FOR_EDITORS, "")
        write(target / _page(source), relinked(text, source))
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if source.endswith(".py"):
            text = f"# {Path(source).name}\n\n```python\n{text}```\n"
        write(target / name, relinked(text, source))
    for notebook in sorted(target.rglob("*.ipynb")):
        write_notebook(notebook)
        notebook.unlink()


def write(file: Path, text: str) -> None:
    """Writes a page, in a folder that may be new."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def write_notebook(notebook: Path) -> None:
    """Writes a page, and its pictures beside it."""
    resources = {"output_files_dir": f"{notebook.stem}_files"}
    content = nbformat.read(notebook, as_version=4)
    text, made = MarkdownExporter().from_notebook_node(content, resources)
    source = f"docs/{notebook.parent.name}/{notebook.name}"
    write(notebook.with_suffix(".md"), relinked(text, source))
    for name, picture in made["outputs"].items():
        file = notebook.parent / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(picture)


def relinked(text: str, source: str) -> str:
    """Links of a file of the repository as links of the page that it is on the site."""
    here = posixpath.dirname(_page(source)) or "."

    def to_page(match: re.Match[str]) -> str:
        if "://" in match[2]:
            return match[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[2]))
        return match[1] + posixpath.relpath(_page(there), here)

    return LINK.sub(to_page, text)


def _page(path: str) -> str:
    return PAGES.get(path, path.removeprefix("docs/").replace(".ipynb", ".md"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
