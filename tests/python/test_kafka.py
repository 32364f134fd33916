"""The Kafka example on a broker of its own: killed and restarted, it loses and doubles nothing.

It is killed twice, with its JVM, when it has written something; events are added while it is
down; then it reads to the end, where an event of each topic moves the watermark past all others.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import kafka_bands
import pytest
from kafka_broker import Topics, broker
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.classic("topics are made with Kafka's own client, in the session's JVM"),
]

EVENTS = 150
PARTITIONS = 3
BAND = 8.0
WITHIN = timedelta(seconds=5)
BEGIN = datetime(2024, 5, 1)
SENTINEL = BEGIN + timedelta(days=1)
LATE = BEGIN - timedelta(hours=1)
TIME = "%Y-%m-%dT%H:%M:%S.%f"
BOUND = 180


@pytest.fixture(scope="module")
def topics(
    spark: SparkSession,
    kafka_jars: list[Path],
    clean_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Topics]:
    if not kafka_jars:
        pytest.skip("Kafka's jars are not in .build/kafka: project/setup-kafka.sh fetches them")
    directory = tmp_path_factory.mktemp("kafka")
    with broker(kafka_jars[0].parent.parent / "broker", directory, clean_environment) as address:
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
                    process.wait(0.05)
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


def placed(topics: Topics, topic: str) -> list[tuple[datetime, dict[str, Any]]]:
    """A topic's events with the id that the example gives them, but the last and the late one."""
    found = [
        {"id": f"{topic}-{row.partition}-{row.offset}", **json.loads(row.value)}
        for row in topics.records(topic)
    ]
    timed = [(datetime.strptime(each["ts"], TIME + "Z"), each) for each in found]
    return [(ts, each) for ts, each in timed if BEGIN <= ts < SENTINEL]


def results(topics: Topics) -> dict[str, dict[str, Any]]:
    """By its id, each result that the example should write of the events as they lie in Kafka."""
    found = {}
    asks = placed(topics, "asks")
    for ts, bid in placed(topics, "bids"):
        near = [
            ask
            for ask_ts, ask in asks
            if abs(bid["x"] - ask["x"]) <= BAND and abs(ts - ask_ts) <= WITHIN
        ]
        for ask in near:
            key = f"{bid['id']}/{ask['id']}"
            found[key] = {**bid, "id": key, "ts_right": ask["ts"], "x_right": ask["x"]}
        if not near:
            found[bid["id"]] = bid
    return found


@dataclass(frozen=True)
class Expected:
    """What the program should have written, by the results' ids, and where its files are."""

    results: dict[str, dict[str, Any]]
    files: Path
    late: Path
    log: Path


def append(topics: Topics, part: int) -> None:
    for seed, topic in enumerate(("bids", "asks")):
        topics.append(topic, events(seed, part))


def append_sentinels(topics: Topics) -> None:
    topics.append("bids", [(0, event(SENTINEL, 1000.0))])
    topics.append("asks", [(0, event(SENTINEL, -1000.0))])


@pytest.fixture(scope="module")
def expected(
    topics: Topics,
    kafka_jars: list[Path],
    root: Path,
    clean_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Expected:
    """Runs the program, kills it and restarts it, as above."""
    directory = tmp_path_factory.mktemp("program")
    files = directory / "pairs"
    options = {
        "bootstrap-servers": topics.servers,
        "left": "bids",
        "right": "asks",
        "band": BAND,
        "within": "5 seconds",
        "how": "left",
        "to-topic": "pairs",
        "to-files": files,
        "checkpoint": directory / "checkpoint",
        "jars": ",".join(map(str, kafka_jars)),
    }
    command = [sys.executable, str(root / "examples/kafka_bands.py")]
    command += [f"--{name}={value}" for name, value in options.items()]
    program = Program(command, clean_environment, directory / "program.log")
    begun = directory / "checkpoint/topic/offsets/0"

    topics.create("bids", "asks", "pairs")
    append(topics, 0)
    # To ask Kafka takes much of the processors: files first.
    program.kill_when(
        lambda: (begun.exists() and topics.size("pairs") > 0) or any(files.glob("*.parquet")),
        "--max-offsets=40",
    )
    append(topics, 1)
    program.kill_when(
        lambda: (files / "_spark_metadata/2").exists() and topics.size("pairs") > EVENTS,
        "--max-offsets=40",
    )
    append(topics, 2)
    topics.append("bids", [(0, event(LATE, 50.0))])
    append_sentinels(topics)
    found = results(topics)
    assert topics.size("pairs") < len(found), "killed when all was written"
    program.run("--trigger=availableNow")
    return Expected(found, files, directory / "checkpoint/late", directory / "program.log")


def test_the_third_topic_is_exact_by_the_results_id(topics: Topics, expected: Expected) -> None:
    written = {(record.key, record.value) for record in topics.records("pairs")}
    assert len(dict(written)) == len(written), "one id, two results"
    assert {key: json.loads(value) for key, value in written} == expected.results


def test_files_are_exact_as_they_stand(spark: SparkSession, expected: Expected) -> None:
    rows = spark.read.parquet(str(expected.files)).select(F.to_json(F.struct("*")))
    written = [json.loads(row[0]) for row in rows.collect()]
    assert len(written) == len(expected.results)
    assert {each["id"]: each for each in written} == expected.results


@pytest.mark.parametrize("query", ["topic", "files"])
def test_an_event_that_comes_too_late_is_kept_and_told_of(expected: Expected, query: str) -> None:
    files = (expected.late / query).rglob("*.json")
    kept = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert [each["x"] for each in kept] == [50.0]
    told = f"1 events came too late to be joined: {expected.late / query}"
    assert told in expected.log.read_text(encoding="utf-8")


def test_the_program_says_that_it_has_nowhere_to_write(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = "--bootstrap-servers=a:1 --left=bids --right=asks --checkpoint=there"
    monkeypatch.setattr(sys, "argv", ["kafka_bands.py", *given.split()])
    with pytest.raises(SystemExit):
        kafka_bands.arguments()
    assert "--to-topic, --to-files or both" in capsys.readouterr().err
