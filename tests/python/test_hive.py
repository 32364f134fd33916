"""Sessions with Hive support, whose analyzer Spark builds by other code than any other's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sample
from pyspark.sql import SparkSession
from test_streaming_joins import by_duckdb, ids, streams
from waits import BOUND

# Spark refuses each of these as the joins of streams that they are.
CASES = list(sample.turn(["band-full", "theta-anti"], 0))


@pytest.mark.classic("the stream is that of a program with a session of its own")
def test_streams_and_hints_are_joined_in_a_session_with_hive_support(
    spark: SparkSession, tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    streams(tmp_path, seed=31, batches=3)
    script = Path(__file__).with_name("hive_program.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), *CASES],
        env=clean_environment,
        cwd=tmp_path,  # where Derby leaves its log
        capture_output=True,
        text=True,
        timeout=BOUND,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    hinted, *said = [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"]
    assert hinted == {"hinted": 7} and "sweep over sorted" in done.stdout
    assert said == [{"case": case, "by": ["windowJoin"]} for case in CASES]
    for case in CASES:
        given = ids(spark.read.parquet(str(tmp_path / case / "out")))
        assert given == by_duckdb(tmp_path, *case.split("-")), case
