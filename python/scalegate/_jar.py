"""Finds the package's jar for the installed PySpark: manifests say for which Spark they are."""

import os
import re
import zipfile
from pathlib import Path

import pyspark

from scalegate._errors import ScalegateError

JAR_DIRECTORY = Path(__file__).parent / "jars"
SPARK_ATTRIBUTE = "Built-For-Spark"


def find_jar(spark: str | None = None) -> Path:
    """The package's one jar that was built for the minor of a Spark: of the installed PySpark,
    unless another is named, as a server's."""
    jars = sorted(JAR_DIRECTORY.glob("*.jar"))
    if not jars:
        raise ScalegateError(
            f"scalegate's jar is missing from {JAR_DIRECTORY}: in a source checkout run `make "
            "jar`; an installed package without it is broken, so install the wheel again."
        )
    minors = [minor(spark_of(jar)) for jar in jars]
    installed = spark or pyspark.__version__
    if spark is None:
        _refuse_other_home(installed)
    fitting = [jar for jar, built_for in zip(jars, minors) if built_for == minor(installed)]
    if len(fitting) > 1:
        names = ", ".join(jar.name for jar in fitting)
        raise ScalegateError(
            f"{JAR_DIRECTORY} holds {len(fitting)} jars for Spark {minor(installed)} ({names}) "
            "where exactly one belongs: remove the old ones, or install the wheel again."
        )
    if not fitting:
        newest = max(minors, key=_number)
        known = ", ".join(sorted(minors, key=_number))
        if spark is not None:
            raise ScalegateError(
                f"scalegate has jars for Spark {known}, and none for {spark}: run one of these, "
                f"or install a scalegate that has a jar for Spark {minor(spark)}."
            )
        raise ScalegateError(
            f"scalegate has jars for Spark {known}, but PySpark {installed} is installed: run "
            f"`pip install 'pyspark=={newest}.*'`, or install a scalegate that has a jar for "
            f"Spark {minor(installed)}."
        )
    return fitting[0]


def spark_of(jar: Path) -> str:
    """The Spark version in the jar's manifest."""
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8")
    except (OSError, KeyError, zipfile.BadZipFile) as unreadable:
        raise ScalegateError(
            f"{jar} is not a readable jar ({unreadable}): run `make jar` in a source checkout, "
            "or install the wheel again."
        ) from unreadable
    for line in manifest.splitlines():
        name, _, value = line.partition(": ")
        if name == SPARK_ATTRIBUTE:
            return value.strip()
    raise ScalegateError(
        f"{jar.name} does not say which Spark it was built for: run `make jar` in a source "
        "checkout, or install the wheel again."
    )


def _refuse_other_home(installed: str) -> None:
    """PySpark starts the Spark in SPARK_HOME, where that is set, and not its own."""
    home = os.environ.get("SPARK_HOME", "")
    for core in sorted(Path(home, "jars").glob("spark-core_*.jar")) if home else []:
        version = core.stem.split("-", 2)[2]
        if minor(version) != minor(installed):
            raise ScalegateError(
                f"PySpark {installed} is installed, and SPARK_HOME ({home}) holds Spark "
                f"{version}, which it would start: unset SPARK_HOME, or run `pip install "
                f"'pyspark=={minor(version)}.*'`."
            )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def minor(version: str) -> str:
    """The minor of a version: "4.2" of "4.2.0", of "4.2.0.dev1" and of a vendor's "4.2.0-v-1"."""
    found = re.match(r"\d+\.\d+", version)
    return found[0] if found else version
