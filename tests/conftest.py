"""One Spark session for all tests of this process, made as users make theirs."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
import scalegate
from pyspark.sql import SparkSession

# Spark's default for local files asks for each whether it is a link, by a process: a third of the
# time of a stream's tests. Those that are killed keep the default.
NO_LINKS = (
    "spark.sql.streaming.checkpointFileManagerClass",
    "org.apache.spark.sql.execution.streaming."
    f"{'' if pyspark.__version__.startswith('4.0.') else 'checkpointing.'}"
    "FileSystemBasedCheckpointFileManager",
)

# Where this says nothing workers are the first python3 on the path, with its packages.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def java_options(root: Path) -> str:
    """What spares JVMs of small queries, each of other code, the most time."""
    # The second compiler costs more than it saves.
    options = ["-XX:TieredStopAtLevel=1"]
    # Hadoop starts a process for each file that it renames or whose rights it sets.
    options += ["-Djdk.lang.Process.launchMechanism=VFORK"]
    archive = root / ".build/spark.jsa"
    if archive.is_file():
        # What has another class path would say that where programs write their results.
        options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:disable"]
    return " ".join(options)


@pytest.fixture(scope="session")
def clean_environment(root: Path, java_options: str) -> dict[str, str]:
    """An environment for subprocesses: the source package, and no Spark settings of the user."""
    ours = ("SPARK_", "PYSPARK_", "PYTHON")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    sources = [root / "python", Path(pyspark.__file__).parent.parent]
    given = {
        "PYTHONPATH": os.pathsep.join(map(str, sources)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAVA_TOOL_OPTIONS": f"{kept.get('JAVA_TOOL_OPTIONS', '')} {java_options}".strip(),
    }
    return {**kept, **given}


@pytest.fixture(scope="session")
def kafka_jars(root: Path) -> list[Path]:
    """Spark's Kafka source and sink; none where they could not be fetched."""
    return sorted(root.glob(".build/kafka/spark/*.jar"))


@pytest.fixture(scope="session")
def plain_files(root: Path) -> list[Path]:
    """The jar of a local file system that starts no process for a file's rights, where it is."""
    return sorted(root.glob(".build/plain-files.jar"))


@pytest.fixture(scope="session")
def spark(
    tmp_path_factory: pytest.TempPathFactory,
    kafka_jars: list[Path],
    plain_files: list[Path],
    java_options: str,
) -> Iterator[SparkSession]:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("scalegate-tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", java_options)
        .config("spark.jars", ",".join(map(str, kafka_jars + plain_files)))
        .config("spark.sql.shuffle.partitions", "3")
        .config(*NO_LINKS)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    session = scalegate.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if plain_files:
        # Not before: what reads the jar's own name would ask for it.
        files = session.sparkContext._jsc.hadoopConfiguration()
        files.set("fs.file.impl", "io.scalegate.spark.PlainFileSystem")
        session.sparkContext._jvm.org.apache.hadoop.fs.FileSystem.closeAll()
    yield session
    session.stop()
