"""The Kafka example on a broker of its own: killed and restarted, it loses and doubles nothing.

Each test kills the program twice, with its JVM, when it has written something, adds events while
it is down, and then lets it read to the end: a last event of each topic moves the watermark past
all others.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kafka_broker import Topics, broker
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

EVENTS = 150
PARTITIONS = 3
BAND = 8.0
WITHIN = timedelta(seconds=5)
BEGIN = datetime(2024, 5, 1)
SENTINEL = BEGIN + timedelta(days=1)
TIME = "%Y-%m-%dT%H:%M:%S.%f"
BOUND = 180


@pytest.fixture(scope="module")
def topics(
    spark: SparkSession,
    kafka_jars: list[Path],
    root: Path,
    clean_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Topics]:
    if not kafka_jars:
        pytest.skip("Kafka's jars are not in .build/kafka: project/setup-kafka.sh fetches them")
    directory = tmp_path_factory.mktemp("kafka")
    with broker(root / ".build/kafka/broker", directory, clean_environment) as address:
        found = Topics(spark, address)
        yield found
        found.close()


class Program:
    """The example, started with the same options each time, in a process group of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self._command, self._environment, self._log = command, environment, log

    def kill_when(self, condition: Callable[[], bool], *options: str) -> None:
        """Starts the program, and kills it and its JVM as soon as the condition holds."""
        with self._started(*options) as process:
            end = time.monotonic() + BOUND
            while not condition():
                assert time.monotonic() < end, f"waited in vain\n{self._log.read_text()}"
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.01)
                    pytest.fail(f"ended by itself\n{self._log.read_text()}")

    def run(self, *options: str) -> None:
        """Runs the program to its end."""
        with self._started(*options) as process:
            assert process.wait(BOUND) == 0, self._log.read_text()

    @contextmanager
    def _started(self, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
        with self._log.open("a") as log:
            process = subprocess.Popen(
                [*self._command, *options],
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # Its JVM has the pipe too: at the pipe's end both are gone.
            process.communicate(timeout=BOUND)


@pytest.fixture
def program(
    topics: Topics,
    kafka_jars: list[Path],
    root: Path,
    clean_environment: dict[str, str],
    tmp_path: Path,
) -> Callable[..., Program]:
    def make(**options: Any) -> Program:
        given = {
            "bootstrap-servers": topics.servers,
            "band": BAND,
            "within": "5 seconds",
            "checkpoint": tmp_path / "checkpoint",
            "jars": ",".join(map(str, kafka_jars)),
            **options,
        }
        command = [sys.executable, str(root / "examples/kafka_bands.py")]
        command += [f"--{name}={value}" for name, value in given.items()]
        environment = {**clean_environment, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
        return Program(command, environment, tmp_path / "program.log")

    return make


def events(seed: int, part: int) -> list[tuple[int, str]]:
    """One of a topic's three parts: times rise by half a second, but for two of disorder."""
    chance = random.Random(f"{seed} {part}")
    made = []
    for i in range(part * EVENTS, (part + 1) * EVENTS):
        ts = BEGIN + timedelta(milliseconds=500 * i + chance.randrange(2000))
        made.append((i % PARTITIONS, event(ts, round(chance.uniform(0, 100), 2))))
    return made


def event(ts: datetime, x: float) -> str:
    return json.dumps({"ts": ts.strftime(TIME)[:-3] + "Z", "x": x})


def placed(topics: Topics, topic: str) -> list[dict[str, Any]]:
    """A topic's events with the id that the example gives them, the last one left out."""
    found = [
        {"id": f"{topic}-{row.partition}-{row.offset}", **json.loads(row.value)}
        for row in topics.records(topic)
    ]
    return [each for each in found if moment(each) < SENTINEL]


def moment(event: dict[str, Any]) -> datetime:
    return datetime.strptime(event["ts"], TIME + "Z")


def expected(topics: Topics, left: str, right: str, how: str) -> dict[str, dict[str, Any]]:
    """By the result's id, what the example should write, from the events as they lie in Kafka."""
    results = {}
    others = placed(topics, right)
    for one in placed(topics, left):
        near = [
            other
            for other in others
            if abs(one["x"] - other["x"]) <= BAND and abs(moment(one) - moment(other)) <= WITHIN
        ]
        for other in near:
            both = {**one, "id": f"{one['id']}/{other['id']}"}
            results[both["id"]] = {**both, "ts_right": other["ts"], "x_right": other["x"]}
        if how == "left" and not near:
            results[one["id"]] = one
    return results


def append(topics: Topics, left: str, right: str, part: int) -> None:
    topics.append(left, events(1, part))
    topics.append(right, events(2, part))


def append_sentinels(topics: Topics, left: str, right: str) -> None:
    topics.append(left, [(0, event(SENTINEL, 1000.0))])
    topics.append(right, [(0, event(SENTINEL, -1000.0))])


def test_a_topic_is_exact_by_the_results_id_though_the_program_is_killed(
    topics: Topics, program: Callable[..., Program]
) -> None:
    topics.create("bids", "asks", "pairs")
    join = program(left="bids", right="asks", sink="kafka", output="pairs")
    append(topics, "bids", "asks", 0)
    join.kill_when(lambda: topics.size("pairs") > 0, "--max-offsets=40")
    append(topics, "bids", "asks", 1)
    join.kill_when(lambda: topics.size("pairs") > 600, "--max-offsets=40")
    append(topics, "bids", "asks", 2)
    append_sentinels(topics, "bids", "asks")
    wanted = expected(topics, "bids", "asks", "inner")
    assert topics.size("pairs") < len(wanted)
    join.run("--trigger=availableNow")

    written = {(record.key, record.value) for record in topics.records("pairs")}
    assert len(dict(written)) == len(written), "one id, two results"
    assert {key: json.loads(value) for key, value in written} == wanted


def test_files_are_exact_as_they_stand_though_the_program_is_killed(
    spark: SparkSession, topics: Topics, program: Callable[..., Program], tmp_path: Path
) -> None:
    topics.create("sent", "received")
    output = tmp_path / "output"
    join = program(left="sent", right="received", how="left", sink="files", output=output)
    append(topics, "sent", "received", 0)
    join.kill_when(lambda: any(output.glob("*.parquet")), "--max-offsets=40")
    append(topics, "sent", "received", 1)
    join.kill_when((output / "_spark_metadata/4").exists, "--max-offsets=40")
    append(topics, "sent", "received", 2)
    append_sentinels(topics, "sent", "received")
    wanted = expected(topics, "sent", "received", "left")
    join.run("--trigger=availableNow")

    rows = spark.read.parquet(str(output)).select(F.to_json(F.struct("*")).alias("value"))
    written = Counter(row.value for row in rows.collect())
    assert set(written.values()) == {1}
    found = [json.loads(value) for value in written]
    assert {each["id"]: each for each in found} == wanted
    assert len(found) == len(wanted)
