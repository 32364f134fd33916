"""Runs the site's notebooks and writes what they print and draw into them.

What goes to the standard error, such as Spark's log, is left out, and so are the run's times.

Usage: run_notebooks.py NOTEBOOK...
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]


def main(file: Path) -> None:
    """Runs one, in the repository's root, where Spark leaves nothing that git would see."""
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
    notebook.metadata.language_info = {"name": "python"}
    nbformat.write(notebook, file)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        main(Path(name))
