"""Build hooks of the wheel: versions and addresses come from project/, and it carries one jar for
each minor of Spark that was built."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def value_of(root: str, name: str, file: str = "Versions.scala") -> str:
    """The text that the object in a file of project/ calls `name`."""
    source = Path(root).parent / "project" / file
    found = re.search(rf'val {name} = "([^"]+)"', source.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{source} has nothing called {name}")
    return found.group(1)


def urls_of(root: str) -> dict[str, str]:
    """The addresses that an index of packages shows, all of them in the repository."""
    repository = value_of(root, "repository", "Published.scala")
    page = f"{repository}/blob/main"
    return {
        "Homepage": repository,
        "Documentation": f"{page}/README.md",
        "Changelog": f"{page}/CHANGELOG.md",
        "Source": repository,
        "Issues": f"{repository}/issues",
    }


def jars_of(root: str) -> list[str]:
    """The names of the jars in the package."""
    return sorted(path.name for path in (Path(root) / "scalegate" / "jars").glob("*.jar"))


def minors_of(root: str) -> list[str]:
    """The minors of Spark that the jars are built for, in order; the default's without jars."""
    found = [re.search(r"-(\d+)\.(\d+)_2\.13-", name) for name in jars_of(root)]
    numbers = sorted((int(m.group(1)), int(m.group(2))) for m in found if m is not None)
    minors = [f"{major}.{number}" for major, number in numbers]
    return minors or [".".join(value_of(root, "spark").split(".")[:2])]


class ScalegateMetadata(MetadataHookInterface):
    """The project's version and addresses, and PySpark of the Sparks that there are jars for."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling with the metadata of pyproject.toml to complete."""
        minors = minors_of(self.root)
        major, number = minors[-1].split(".")
        metadata["version"] = value_of(self.root, "project")
        metadata["urls"] = urls_of(self.root)
        metadata["dependencies"] = [f"pyspark>={minors[0]},<{major}.{int(number) + 1}"]


class OneJarForEachSpark(BuildHookInterface[Any]):
    """Refuses to build a wheel with no jar, or with another version's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it gathers files; an editable install needs no jar."""
        if version == "editable":
            return
        project = value_of(self.root, "project")
        expected = [f"scalegate-spark-{m}_2.13-{project}.jar" for m in minors_of(self.root)]
        if jars_of(self.root) != sorted(expected):
            raise ValueError(
                f"the wheel carries {expected}, found {jars_of(self.root)}: run `make wheel`"
            )
