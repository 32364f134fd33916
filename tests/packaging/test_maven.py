"""What Maven Central is sent, used by programs whose builds have nothing else of this repository.

`make consumers` makes the artifacts and runs this; elsewhere it is skipped: sbt has to be started
for each program.
"""

import os
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pyspark
import pytest

STAGED = os.environ.get("SCALEGATE_STAGED")
pytestmark = pytest.mark.skipif(STAGED is None, reason="run by make consumers")

POM = {"": "http://maven.apache.org/POM/4.0.0"}
MINOR = ".".join(pyspark.__version__.split(".")[:2])
OPENED = ["lang", "lang.invoke", "net", "nio", "util", "util.concurrent"]
"""What Spark needs of the JDK when a build starts it, instead of Spark's own scripts."""


@pytest.fixture(scope="module")
def staged() -> Path:
    assert STAGED is not None
    return Path(STAGED).resolve()


@pytest.fixture(scope="module")
def definitions(root: Path) -> str:
    return (root / "project" / "Versions.scala").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def versions(definitions: str) -> dict[str, str]:
    return dict(re.findall(r'val (\w+) = "([^"]+)"', definitions))


@pytest.fixture(scope="module")
def artifacts(staged: Path) -> dict[str, Path]:
    """Each artifact's folder, by its name without Scala's version."""
    folders = sorted((staged / "io" / "scalegate").iterdir())
    return {folder.name.removesuffix("_2.13"): next(folder.iterdir()) for folder in folders}


def file_of(folder: Path, suffix: str) -> Path:
    return folder / f"{folder.parent.name}-{folder.name}{suffix}"


def classes(jar: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(jar).namelist() if name.endswith(".class")}


def test_there_are_the_library_and_a_jar_for_each_minor(
    artifacts: dict[str, Path], definitions: str
) -> None:
    (sparks,) = re.findall(r"val sparks = Seq\((.*)\)", definitions)
    minors = {f"scalegate-spark-{minor}" for minor in re.findall(r"\d+\.\d+", sparks)}
    assert set(artifacts) == {"scalegate-core", "scalegate-operators"} | minors


def test_each_artifact_has_what_maven_central_asks_for(artifacts: dict[str, Path]) -> None:
    for name, folder in artifacts.items():
        sources = zipfile.ZipFile(file_of(folder, "-sources.jar")).namelist()
        pages = zipfile.ZipFile(file_of(folder, "-javadoc.jar")).namelist()
        assert any(source.endswith(".scala") for source in sources), name
        assert "index.html" in pages and len(pages) > 50, name
        assert file_of(folder, "-cyclonedx.json").stat().st_size > 500, name
        pom = ElementTree.parse(file_of(folder, ".pom"))
        wanted = ["name", "description", "url", "licenses/license/name", "scm/url"]
        for path in [*wanted, "scm/connection", "developers/developer/name"]:
            found = pom.find("/".join(f"{{{POM['']}}}{step}" for step in path.split("/")))
            assert found is not None and found.text, (name, path)


def dependencies(folder: Path) -> dict[str, str]:
    """The scope of each dependency, by its name."""
    pom = ElementTree.parse(file_of(folder, ".pom"))
    return {
        found.findtext("artifactId", "", POM): found.findtext("scope", "compile", POM)
        for found in pom.iterfind("dependencies/dependency", POM)
    }


def test_no_class_comes_twice(artifacts: dict[str, Path]) -> None:
    library = [artifacts["scalegate-core"], artifacts["scalegate-operators"]]
    for name, folder in artifacts.items():
        if name.startswith("scalegate-spark"):
            together = [*library, folder]
            count = Counter(c for jar in together for c in classes(file_of(jar, ".jar")))
            assert max(count.values()) == 1, name
            needed = {
                key: scope for key, scope in dependencies(folder).items() if scope != "test"
            }
            assert needed == {
                "scala-library": "compile",
                "scalegate-core_2.13": "compile",
                "spark-sql_2.13": "provided",
            }
    assert dependencies(artifacts["scalegate-core"]).keys() & {"spark-sql_2.13"} == set()


def run(root: Path, directory: Path, program: str, **said: str | Path) -> list[str]:
    """What a program prints, whose build is a copy of its folder in `consumers` and is told where
    things are by its environment."""
    project = directory / program
    shutil.copytree(Path(__file__).parent / "consumers" / program, project)
    (project / "project").mkdir()
    shutil.copy(root / "project" / "build.properties", project / "project")
    done = subprocess.run(
        [root / "project" / "sbt.sh", "run"],
        env={**os.environ, "SBT_PROJECT": str(project), **{k: str(v) for k, v in said.items()}},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if re.match(r"\w+: ", line)]


def test_a_scala_program_joins_streams(
    root: Path, staged: Path, versions: dict[str, str], tmp_path: Path
) -> None:
    printed = run(
        root,
        tmp_path,
        "scala",
        SCALEGATE_REPOSITORY=staged.as_uri(),
        SCALEGATE_VERSION=versions["project"],
        SCALEGATE_SCALA=versions["scala"],
    )
    assert printed == ["core: 200", "operators: 200"]


def test_a_java_program_joins_in_spark(
    root: Path, staged: Path, versions: dict[str, str], tmp_path: Path
) -> None:
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in OPENED]
    opened += [f"--add-opens=java.base/sun.{p}=ALL-UNNAMED" for p in ("nio.ch", "util.calendar")]
    printed = run(
        root,
        tmp_path,
        "java",
        SCALEGATE_REPOSITORY=staged.as_uri(),
        SCALEGATE_VERSION=versions["project"],
        SCALEGATE_SPARK=MINOR,
        SPARK_JARS=Path(pyspark.__file__).parent / "jars",
        SPARK_JAVA_OPTIONS=" ".join([*opened, "-XX:TieredStopAtLevel=1"]),
    )
    assert printed == ["planned: true", "rows: 298", "merged: 012345"]
