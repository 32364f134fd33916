"""Batch joins on a cluster of two workers whose executors are killed, which loses what they have
exchanged and broadcast, and whose tasks run twice: nothing is lost, and nothing is doubled."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import batch_victim
import loopback_cluster
import pytest

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


def test_executors_that_die_and_tasks_that_run_twice_cost_no_row(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    cases = random.Random(SEED).sample(CASES, min(SAMPLE, len(CASES)))
    script = Path(__file__).with_name("batch_victim.py")
    environment = {**clean_environment, "PYSPARK_PYTHON": sys.executable}
    with loopback_cluster.cluster(tmp_path, environment) as master:
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path), master, *cases],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120 + 60 * len(cases),
        )
    assert done.returncode == 0, done.stderr[-3000:]
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [row["case"] for row in said] == cases, f"seed {SEED}"
    for row in said:
        assert row["struck"], row
        assert row["right"], (row, f"seed {SEED}")
