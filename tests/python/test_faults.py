"""Joins on a cluster of two workers: those of batches whose executors are killed, which loses
what they have exchanged and broadcast, and those of batches and of streams whose tasks run twice.
Nothing is lost, and nothing is doubled."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import batch_victim
import loopback_cluster
import pytest
from pyspark.sql import SparkSession
from test_streaming_joins import by_duckdb, ids, own_program, streams
from waits import BOUND

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="loopback has one address only"),
]

CASES = [
    f"{join}-{fault}-{place}"
    for join in batch_victim.JOINS
    for fault in batch_victim.FAULTS
    for place in ("below", "above")
]
SEED = int(os.environ.get("SCALEGATE_SEED", "1"))
# All of them take minutes: `make soak`.
SAMPLE = int(os.environ.get("SCALEGATE_FAULTS", "2"))


@pytest.fixture(scope="module")
def environment(clean_environment: dict[str, str]) -> dict[str, str]:
    return {**clean_environment, "PYSPARK_PYTHON": sys.executable}


@pytest.fixture(scope="module")
def master(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Of a cluster that runs one program after the other."""
    with loopback_cluster.cluster(tmp_path_factory.mktemp("cluster"), environment) as address:
        yield address


def test_executors_that_die_and_tasks_that_run_twice_cost_no_row(
    tmp_path: Path, master: str, environment: dict[str, str]
) -> None:
    cases = random.Random(SEED).sample(CASES, min(SAMPLE, len(CASES)))
    script = Path(__file__).with_name("batch_victim.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), master, *cases],
        env=environment,
        capture_output=True,
        text=True,
        timeout=BOUND + 60 * len(cases),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [row["case"] for row in said] == cases, f"seed {SEED}"
    for row in said:
        assert row["struck"], row
        assert row["right"], (row, f"seed {SEED}")


@own_program
@pytest.mark.streaming
def test_tasks_of_a_stream_that_run_twice_cost_no_row(
    spark: SparkSession, tmp_path: Path, master: str, environment: dict[str, str]
) -> None:
    streams(tmp_path, seed=12, batches=4)
    (tmp_path / "straggled").mkdir()
    script = Path(__file__).with_name("stream_victim.py")
    command = [sys.executable, script, tmp_path, "key", "left", master, 2]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, timeout=BOUND
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "operators: windowJoin\n" in done.stdout
    assert len(list((tmp_path / "straggled").iterdir())) == 2
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == by_duckdb(tmp_path, "key", "left")
