"""Finds the package's jar for the installed PySpark: manifests say for which Spark they are."""

import zipfile
from pathlib import Path

import pyspark

from scalegate._errors import ScalegateError

JAR_DIRECTORY = Path(__file__).parent / "jars"
SPARK_ATTRIBUTE = "Built-For-Spark"


def find_jar() -> Path:
    """The package's one jar that was built for the installed PySpark's minor."""
    jars = sorted(JAR_DIRECTORY.glob("*.jar"))
    if not jars:
        raise ScalegateError(
            f"scalegate's jar is missing from {JAR_DIRECTORY}: in a source checkout run `make "
            "jar`; an installed package without it is broken, so install the wheel again."
        )
    minors = [minor(spark_of(jar)) for jar in jars]
    installed = pyspark.__version__
    fitting = [jar for jar, built_for in zip(jars, minors) if built_for == minor(installed)]
    if len(fitting) > 1:
        names = ", ".join(jar.name for jar in fitting)
        raise ScalegateError(
            f"{JAR_DIRECTORY} holds {len(fitting)} jars for Spark {minor(installed)} ({names}) "
            "where exactly one belongs: remove the old ones, or install the wheel again."
        )
    if not fitting:
        newest = max(minors, key=_number)
        raise ScalegateError(
            f"scalegate has jars for Spark {', '.join(sorted(minors, key=_number))}, but PySpark "
            f"{installed} is installed: run `pip install 'pyspark=={newest}.*'`, or install a "
            f"scalegate that has a jar for Spark {minor(installed)}."
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


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def minor(version: str) -> str:
    """The minor of a version: "4.2" of "4.2.0"."""
    return ".".join(version.split(".")[:2])
