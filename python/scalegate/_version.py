"""The package's version: that of the installed wheel, or of the checkout that this is."""

import re
from importlib import metadata
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "project" / "Versions.scala"


def version() -> str:
    """As in "0.1.0"."""
    if SOURCE.is_file():
        found = re.search(r'val project = "([^"]+)"', SOURCE.read_text(encoding="utf-8"))
        if found is not None:
            return found.group(1)
    return metadata.version("scalegate")
