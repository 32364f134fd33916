"""What a file waits for its results: the reckoning, the feeder, and a run of both engines."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sessions
from brute_force import brute_force
from joinbench.arm import Settings
from joinbench.arms import latency, stream
from joinbench.datasets import KeyedSet, ensure
from joinbench.feeder import Feeder, Schedule
from joinbench.streams import ensure_streams
from pyspark.sql import SparkSession

pytestmark = pytest.mark.classic("the harness measures what runs in its own process's JVM")

KEYS = KeyedSet("tiny", "keyed", 1_200, 1_000, 13, 0, 200, keys=20)
SCHEDULE = Schedule(files=3, period=0.1, uncounted=1)


def batch(second: int, ms: int, r: int, s: int) -> dict[str, Any]:
    read = {"R": r, "S": s}
    return {
        "timestamp": f"1970-01-01T00:00:{second:02d}.250Z",
        "durationMs": {"triggerExecution": ms},
        "sources": [
            {"description": f"FileStreamSource[file:/w/{name}]", "numInputRows": rows}
            for name, rows in read.items()
        ],
    }


def test_a_file_is_given_by_the_batch_that_has_read_it_to_its_end() -> None:
    progress = [
        batch(1, 500, 10, 0),
        batch(2, 500, 20, 10),
        batch(4, 0, 0, 0),
        batch(5, 250, 0, 20),
    ]
    assert latency.given(progress, "R", [10, 20, 30]) == [1.75, 2.75, 2.75]
    assert latency.given(progress, "S", [10, 20, 30]) == [2.75, 5.5, 5.5]


def test_files_that_no_batch_has_read_are_not_given() -> None:
    assert latency.given([batch(1, 500, 15, 0)], "R", [10, 20]) == [1.75]


class Reader:
    """A query that has read all there is, or one that has failed."""

    def __init__(self, active: bool) -> None:
        self.isActive = active

    def processAllAvailable(self) -> None:  # noqa: N802
        if not self.isActive:
            raise ValueError("failed")


@pytest.fixture
def feeder(tmp_path: Path) -> Feeder:
    written = ensure_streams(KEYS, ensure(KEYS, tmp_path), SCHEDULE.files)
    watched = tmp_path / "watched"
    watched.mkdir()
    return Feeder(written, watched, SCHEDULE)


def test_files_appear_in_their_order_and_not_before_they_are_due(feeder: Feeder) -> None:
    feeder.feed(Reader(active=True))
    for name in "RS":
        fed = sorted(file.name for file in (feeder.watched / name).iterdir())
        assert fed == sorted(file.name for file in (feeder.written / name).iterdir())
    assert len(feeder.appeared) == SCHEDULE.files
    steps = np.array(feeder.appeared) - feeder.appeared[0]
    assert (steps >= SCHEDULE.period * np.arange(SCHEDULE.files)).all()


def test_a_failed_query_is_fed_no_further(feeder: Feeder) -> None:
    with pytest.raises(ValueError, match="failed"):
        feeder.feed(Reader(active=False))
    assert len(feeder.appeared) < SCHEDULE.files


def test_both_joins_give_the_rows_of_the_brute_force_and_every_file_is_timed(
    root: Path, spark: SparkSession, tmp_path: Path
) -> None:
    host = stream.StreamHost(Settings(root, tmp_path, 2, "1g", True, lambda _: None))
    host.spark.session = spark.newSession()
    host.spark.session.conf.set("spark.sql.shuffle.partitions", "1")
    data, expected = ensure(KEYS, tmp_path), brute_force(KEYS)
    for arm in latency.arms(host, SCHEDULE):
        arm.conf = {**arm.conf, **dict([sessions.NO_LINKS])}
        arm.prepare(KEYS, data)
        samples = arm.run(KEYS, data)
        assert len(samples) == 2 * (SCHEDULE.files - SCHEDULE.uncounted)
        assert {sample.rows for sample in samples} == {expected}
        assert all(sample.seconds > 0 for sample in samples)
        assert samples[0].facts["load tuples/s"] == pytest.approx(8_000)
