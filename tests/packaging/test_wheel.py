"""The built wheel, installed with no index in an empty environment, runs a join without sbt."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import py4j
import pyspark
import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet
from waits import BOUND

JOIN = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
import scalegate

assert Path(scalegate.__file__).is_relative_to(sys.prefix), scalegate.__file__
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = scalegate.configure(builder).getOrCreate()
left = spark.range(100).toDF("ts")
joined = left.interval_join(spark.range(100).toDF("ts"), lower=-1, upper=1)
plan = joined._jdf.queryExecution().executedPlan().toString()
print("planned:", "WindowJoin" in plan)
print("rows:", joined.count())
"""


@pytest.fixture(scope="module")
def wheel(root: Path) -> Path:
    (built,) = (root / "dist").glob("*.whl")
    return built


def minors(wheel: Path) -> list[str]:
    """Those of Spark that the wheel has a jar for."""
    names = zipfile.ZipFile(wheel).namelist()
    version = wheel.name.split("-")[1]
    jar = re.compile(rf"scalegate/jars/scalegate-spark-(\d+\.\d+)_2\.13-{version}\.jar")
    found = [jar.fullmatch(name) for name in names if name.endswith(".jar")]
    assert all(found), names
    return sorted(match.group(1) for match in found if match is not None)


def test_the_wheel_carries_a_jar_for_this_spark_and_its_types(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert ".".join(pyspark.__version__.split(".")[:2]) in minors(wheel)
    assert "scalegate/py.typed" in names


def metadata(wheel: Path) -> Metadata:
    """What the wheel says of itself, which is refused where an index of packages would."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("/METADATA"))
        return Metadata.from_email(archive.read(name), validate=True)


def test_the_wheel_wants_the_sparks_it_has_jars_for(wheel: Path) -> None:
    first, last = minors(wheel)[0], minors(wheel)[-1]
    major, number = last.split(".")
    wanted = [str(requirement) for requirement in metadata(wheel).requires_dist or []]
    assert wanted == [f"pyspark<{major}.{int(number) + 1},>={first}"]


def test_the_wheel_says_what_an_index_of_packages_shows(wheel: Path) -> None:
    said = metadata(wheel)
    assert said.name == "scalegate"
    assert said.license_expression == "Apache-2.0"
    assert said.license_files == ["LICENSE"]
    assert said.summary and said.description and said.author
    assert said.description_content_type == "text/markdown"
    assert {"spark", "interval join", "streaming"} <= set(said.keywords or [])
    classifiers = set(said.classifiers or [])
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.10"} <= classifiers
    assert said.requires_python == SpecifierSet(">=3.10")
    urls = said.project_urls or {}
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Source", "Issues"}
    assert all(url.startswith(f"{urls['Homepage']}") for url in urls.values())
    assert urls["Homepage"].startswith("https://")


def test_the_wheel_runs_a_join_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home)
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    java_home = os.environ.get("JAVA_HOME") or java_home_on_path()
    # This process's pip, blind for what is installed beside it: to give each environment its own
    # takes as long as the join. So does to unpack PySpark, which lies here already: it is linked
    # to, and nothing else of what is installed here.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--prefix", home]
    alone = ["--ignore-installed", "--no-index", "--no-deps"]
    subprocess.run([*pip, *alone, wheel], env=bare, check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    for package in (pyspark, py4j):
        (packages / package.__name__).symlink_to(Path(package.__file__).parent)
    options = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    joined = subprocess.run(
        [home / "bin" / "python", "-c", JOIN],
        env={**bare, "JAVA_HOME": java_home, "JAVA_TOOL_OPTIONS": options},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert joined.returncode == 0, joined.stderr
    assert joined.stdout.splitlines() == ["planned: True", "rows: 298"]


def java_home_on_path() -> str:
    shown = subprocess.run(
        ["java", "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"java\.home = (.+)", shown.stderr)
    assert found is not None, f"{sys.executable} found no java.home"
    return found.group(1)
