"""Finds the package's own jar and reads from its manifest which Spark it was built for."""

import zipfile
from pathlib import Path

import pyspark

from scalegate._errors import ScalegateError

JAR_DIRECTORY = Path(__file__).parent / "jars"
SPARK_ATTRIBUTE = "Built-For-Spark"


def find_jar() -> Path:
    """The package's one jar, refused unless it was built for the installed PySpark's minor."""
    jars = sorted(JAR_DIRECTORY.glob("*.jar"))
    if not jars:
        raise ScalegateError(
            f"scalegate's jar is missing from {JAR_DIRECTORY}: in a source checkout run `make "
            "jar`; an installed package without it is broken, so install the wheel again."
        )
    if len(jars) > 1:
        names = ", ".join(jar.name for jar in jars)
        raise ScalegateError(
            f"{JAR_DIRECTORY} holds {len(jars)} jars ({names}) where exactly one belongs: "
            "remove the old ones, or install the wheel again."
        )
    _refuse_other_spark(jars[0])
    return jars[0]


def _refuse_other_spark(jar: Path) -> None:
    built_for, installed = spark_of(jar), pyspark.__version__
    if minor(built_for) != minor(installed):
        raise ScalegateError(
            f"{jar.name} was built for Spark {minor(built_for)}, but PySpark {installed} is "
            f"installed: run `pip install 'pyspark=={minor(built_for)}.*'`, or install the "
            f"scalegate that was built for Spark {minor(installed)}."
        )


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


def minor(version: str) -> str:
    """The minor of a version: "4.2" of "4.2.0"."""
    return ".".join(version.split(".")[:2])
