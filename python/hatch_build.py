"""Build hooks of the wheel: versions come from project/Versions.scala, and it carries one jar."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def version_of(root: str, name: str) -> str:
    """The version that the object in project/Versions.scala calls `name`."""
    source = Path(root).parent / "project" / "Versions.scala"
    found = re.search(rf'val {name} = "([^"]+)"', source.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{source} has no version called {name}")
    return found.group(1)


class ScalegateMetadata(MetadataHookInterface):
    """The project's version, and PySpark of exactly the Spark minor that the jar is built for."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling with the metadata of pyproject.toml to complete."""
        spark_minor = ".".join(version_of(self.root, "spark").split(".")[:2])
        metadata["version"] = version_of(self.root, "project")
        metadata["dependencies"] = [f"pyspark=={spark_minor}.*"]


class ExactlyOneJar(BuildHookInterface[Any]):
    """Refuses to build a wheel with no jar, with two, or with another version's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it gathers files; an editable install needs no jar."""
        if version == "editable":
            return
        jars = sorted(p.name for p in (Path(self.root) / "scalegate" / "jars").glob("*.jar"))
        expected = f"scalegate-spark_2.13-{version_of(self.root, 'project')}.jar"
        if jars != [expected]:
            raise ValueError(
                f"the wheel carries exactly {expected}, found {jars}: run `make wheel`"
            )
