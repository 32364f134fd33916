"""Fills the marks of the site's pages with what the code says.

- A block ```` ```message ```` names messages, one to a line, as `Errors.hintLayout` or
  `_bands.not_negative`; it becomes these messages.
- `<!-- function NAME -->` becomes what `DESCRIBE FUNCTION EXTENDED` says of it;
- `<!-- settings -->` becomes the list of all settings, `<!-- algorithms -->` that of the
  algorithms that the hint and the setting name.
"""

import re
from functools import cache
from pathlib import Path

from docsite import python_messages, scala_sources

FUNCTION = re.compile(r"<!-- function (\w+) -->")
BLOCK = re.compile(r"^```message\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def filled(page: str, root: Path) -> str:
    """The page with its marks filled; KeyError where a message is named that there is none of."""
    page = page.replace("<!-- settings -->", settings_list(root))
    page = FUNCTION.sub(lambda mark: function_text(mark[1], root), page)
    page = page.replace("<!-- algorithms -->", algorithms_table(root))
    return BLOCK.sub(lambda block: _block(block[1], root), page)


@cache
def messages(root: Path) -> dict[str, str]:
    """Every message of the Python package and of the jar, by the name that the page gives it."""
    return {
        **python_messages.messages(root / "python/scalegate"),
        **scala_sources.messages(jvm(root)),
    }


def named(page: str) -> list[str]:
    """The messages that a page names, in its order."""
    return [name for block in BLOCK.findall(page) for name in block.split()]


def settings_list(root: Path) -> str:
    """Each setting under a heading of its own, with its default and its comment in the source."""
    known = scala_sources.settings(jvm(root))
    return "\n\n".join(f"## `{s.key}`\n\nUnless set: **{s.default}**. {s.text}" for s in known)


def function_text(name: str, root: Path) -> str:
    """A function's signature and result, and a list of its arguments; KeyError where none is."""
    known = scala_sources.functions(jvm(root))[name]
    arguments = "\n".join(f"- `{name}`: {text}" for name, text in known.arguments.items())
    return f"`{known.name}{known.signature}`\n\n{known.result}\n\n{arguments}"


def algorithms_table(root: Path) -> str:
    """Each algorithm and what its comment in the source says."""
    texts = scala_sources.algorithm_texts(jvm(root)).items()
    rows = [f"| `'{name}'` | {text} |" for name, text in texts]
    return "\n".join(["| algorithm | what it does |", "| --- | --- |", *rows])


def jvm(root: Path) -> Path:
    """Where the jar's own sources are."""
    return root / "jvm/spark/src/main"


def _block(names: str, root: Path) -> str:
    known = messages(root)
    texts = [known[name] for name in names.split()]
    return "\n\n".join(f"```{{ .text .message }}\n{text}\n```" for text in texts)
