"""One Spark session for all tests of this process, made as users make theirs."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import scalegate
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def clean_environment(root: Path) -> dict[str, str]:
    """An environment for subprocesses: the source package, and no Spark settings of the user."""
    ours = ("SPARK_", "PYSPARK_", "PYTHON")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**kept, "PYTHONPATH": str(root / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="session")
def kafka_jars(root: Path) -> list[Path]:
    """Spark's Kafka source and sink; none where they could not be fetched."""
    return sorted(root.glob(".build/kafka/spark/*.jar"))


@pytest.fixture(scope="session")
def spark(
    tmp_path_factory: pytest.TempPathFactory, kafka_jars: list[Path]
) -> Iterator[SparkSession]:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("scalegate-tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        # Many small queries, each of other code: the second compiler costs more than it saves.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.jars", ",".join(map(str, kafka_jars)))
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    session = scalegate.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
