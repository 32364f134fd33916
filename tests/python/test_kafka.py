"""The Kafka examples on a broker of their own: killed and restarted, they lose nothing.

Each is killed twice, with its JVM, when it has written something (the one in Real-Time Mode as
often as SCALEGATE_KILLS says, from the third time on at any moment); events are added while it is
down; then it reads to the end, where events of both topics move the watermark past all others.
"""

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import kafka_bands
import pyspark
import pytest
from kafka_broker import Topics
from kafka_node import broker
from kafka_program import (
    BAND,
    BEGIN,
    EVENTS,
    LATE,
    PARTITIONS,
    SENTINEL,
    Program,
    event,
    events,
    placed,
    results,
)
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

# Of the program in Real-Time Mode.
KILLS = int(os.environ.get("SCALEGATE_KILLS", "2"))
needs_real_time = pytest.mark.skipif(
    tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 3),
    reason="joins run in Real-Time Mode from Spark 4.3 on",
)

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.classic("topics are made with Kafka's own client, in the session's JVM"),
]


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
    with broker(kafka_jars[0].parent.parent / "broker", directory, clean_environment) as node:
        found = Topics(spark, node)
        yield found
        found.close()


@dataclass(frozen=True)
class Expected:
    """What the program should have written, by the results' ids, and where its files are."""

    results: dict[str, dict[str, Any]]
    files: Path
    late: Path
    log: Path


def append(
    topics: Topics,
    part: int,
    names: tuple[str, str] = ("bids", "asks"),
    partitions: int = PARTITIONS,
) -> None:
    """Writes a part of both topics' events to their first partitions."""
    for seed, name in enumerate(names):
        topics.append(name, [(p % partitions, value) for p, value in events(seed, part)])


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
    assert [each["x"] for each in kept(expected.late / query)] == [50.0]
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


@dataclass(frozen=True)
class InRealTime:
    """The programs in Real-Time Mode, each with a checkpoint of its own."""

    servers: str
    jars: list[Path]
    root: Path
    environment: dict[str, str]
    directory: Path

    def program(
        self,
        names: tuple[str, str],
        to: str,
        *,
        script: str = "examples/realtime_bands.py",
        how: str = "left",
        batch: str = "5 seconds",
        **more: Any,
    ) -> Program:
        """One that joins two topics and writes to a third."""
        options = {
            "bootstrap-servers": self.servers,
            "left": names[0],
            "right": names[1],
            "band": BAND,
            "within": "5 seconds",
            "to-topic": to,
            "checkpoint": self.directory / "checkpoint",
            "jars": ",".join(map(str, self.jars)),
            "how": how,
            "batch": batch,
            **more,
        }
        given = [f"--{name}={value}" for name, value in options.items()]
        command = [sys.executable, str(self.root / script), *given]
        return Program(command, self.environment, self.directory / "program.log")


@pytest.fixture
def in_real_time(
    topics: Topics,
    kafka_jars: list[Path],
    root: Path,
    clean_environment: dict[str, str],
    tmp_path: Path,
) -> InRealTime:
    # A cluster on this machine is started by what is there.
    environment = {**clean_environment, "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    return InRealTime(topics.servers, kafka_jars, root, environment, tmp_path)


def discard_unused(checkpoint: Path) -> None:
    """Clears a checkpoint whose first batch was cut off while Spark wrote that it was through:
    Spark starts no query over one that has a file of that and no batch to go on from."""
    begun = any((checkpoint / "offsets").glob("*")) or any((checkpoint / "commits").glob("*"))
    if begun and not (checkpoint / "offsets/0").exists():
        shutil.rmtree(checkpoint)


def committed(checkpoint: Path) -> int:
    """The events that batches have read which are committed. The first may have read none."""
    offsets, commits = (
        {int(file.name) for file in (checkpoint / log).glob("[0-9]*")}
        for log in ("offsets", "commits")
    )
    # In Real-Time Mode either of a batch's two files may come first.
    batches = offsets & commits
    if not batches:
        return 0
    ends = (checkpoint / "offsets" / str(max(batches))).read_text().splitlines()[-2:]
    return sum(sum(topic.values()) for line in ends for topic in json.loads(line).values())


@needs_real_time
def test_results_in_real_time_are_exact_by_their_ids(
    topics: Topics, in_real_time: InRealTime, tmp_path: Path
) -> None:
    names = ("fast-bids", "fast-asks")
    program = in_real_time.program(names, "fast-pairs")
    checkpoint = tmp_path / "checkpoint/topic"

    topics.create(*names, "fast-pairs")
    append(topics, 0, names)
    # Within its first batch, and within a later one, whose state it reads again.
    program.kill_when(lambda: topics.size("fast-pairs") > 0)
    discard_unused(checkpoint)
    append(topics, 1, names)
    before = topics.size("fast-pairs")
    program.kill_when(
        lambda: committed(checkpoint) >= 4 * EVENTS and topics.size("fast-pairs") > before
    )
    # At any moment: in Spark's start, in a batch, while one is committed.
    moments = random.Random(KILLS)
    parts = iter(range(2, KILLS + 1))
    for kill in range(2, KILLS):
        if kill % 5 == 2:
            append(topics, next(parts), names)
        moment = time.monotonic() + moments.uniform(2, 15)
        program.kill_when(lambda moment=moment: time.monotonic() > moment)
    append(topics, next(parts), names)
    topics.append(names[0], [(0, event(LATE, 50.0))])
    append_sentinels_to(topics, dict.fromkeys(names, PARTITIONS))
    expected = results(topics, *names)
    late = tmp_path / "checkpoint/late/realtime"
    program.kill_when(lambda: kept(late) and has_all(topics, "fast-pairs", expected))
    assert written(topics, "fast-pairs") == expected
    assert [each["x"] for each in kept(late)] == [50.0]
    # What is known of the partitions is kept by their names.
    known_in = (tmp_path / "checkpoint/topic/state/0/_scalegate/sources").glob("*/0")
    known = {
        line.split(" ", 3)[3] for file in known_in for line in file.read_text().splitlines()[1:]
    }
    assert known == {f"{name}-{p}" for name in names for p in range(PARTITIONS)}


@needs_real_time
def test_a_broker_that_dies_and_a_partition_that_is_added_in_real_time(
    topics: Topics, in_real_time: InRealTime, tmp_path: Path
) -> None:
    names = ("grown-bids", "grown-asks")
    program = in_real_time.program(names, "grown-pairs")
    topics.create(*names, partitions=PARTITIONS - 1)
    topics.create("grown-pairs")

    append(topics, 0, names, PARTITIONS - 1)
    expected: dict[str, dict[str, Any]] = {}
    offsets = tmp_path / "checkpoint/topic/offsets"

    def is_added() -> bool:
        read = (file.read_text().splitlines()[-2] for file in offsets.glob("[0-9]*"))
        return any(str(PARTITIONS - 1) in json.loads(line)[names[0]] for line in read)

    def is_grown() -> bool:
        if topics.size("grown-pairs") == 0:
            return False
        if topics.partitions(names[0]) < PARTITIONS:
            topics.node.restart()
            topics.add_partition(names[0], PARTITIONS)
            append(topics, 1, names, PARTITIONS - 1)
        return is_added()

    def is_through() -> bool:
        # A batch reads the partitions that there were when it began, and what they promise
        # holds for one that is added: so the last events come when the query knows it.
        if not expected and is_grown():
            topics.append(names[0], events(0, 2))
            append_sentinels_to(topics, {names[0]: PARTITIONS, names[1]: PARTITIONS - 1})
            expected.update(results(topics, *names))
        return bool(expected) and has_all(topics, "grown-pairs", expected)

    program.kill_when(is_through)
    assert written(topics, "grown-pairs") == expected
    assert not kept(tmp_path / "checkpoint/late")
    assert any(key.startswith(f"{names[0]}-{PARTITIONS - 1}-") for key in expected)


@needs_real_time
def test_an_executor_that_dies_in_real_time_costs_no_result(
    topics: Topics, in_real_time: InRealTime, tmp_path: Path
) -> None:
    """Spark ends the query with the first task that fails; started again, it goes on."""
    names = ("lost-bids", "lost-asks")
    program = in_real_time.program(names, "lost-pairs", master="local-cluster[2,5,1024]")

    topics.create(*names, "lost-pairs")
    append(topics, 0, names)
    # In a long batch: between two, an executor's end costs slots, or nothing.
    told = program.end_without_executor(
        lambda: topics.size("lost-pairs") > 0, "--batch=5 minutes"
    )
    assert "ExecutorLostFailure" in told
    append(topics, 1, names)
    append_sentinels_to(topics, dict.fromkeys(names, PARTITIONS))
    expected = results(topics, *names)
    program.kill_when(lambda: has_all(topics, "lost-pairs", expected))
    assert written(topics, "lost-pairs") == expected


@needs_real_time
def test_joins_and_windows_in_real_time_and_their_metrics(
    topics: Topics, in_real_time: InRealTime, tmp_path: Path
) -> None:
    names = ("metered-bids", "metered-asks")
    topics.create(*names, "metered-pairs", "metered-pairs-windows")
    append(topics, 0, names)
    windows = through(topics, *names)
    program = in_real_time.program(
        names,
        "metered-pairs",
        script="tests/python/real_time_metrics.py",
        how="inner",
        batch="5 minutes",
        events=2 * EVENTS,
        windows=len(windows),
    )
    found = json.loads(program.output())

    (join,) = found["operator"]
    assert (join["name"], join["batch"], join["tasks"]) == ("windowJoin", 0, 2)
    # A band's rows may be copied to a second task.
    assert join["left_rows"] + join["right_rows"] >= 2 * EVENTS
    assert join["late_rows"] == 0
    assert join["comparisons"] >= join["results"] > 0
    assert 0 < join["latency_p50_ms"] <= join["latency_p99_ms"] <= join["latency_max_ms"]
    assert sum(task["share"] for task in found["task"]) == pytest.approx(1)
    assert [task["task"] for task in found["task"]] == [0, 1]
    sources = found["source"]
    wanted = [(side, number) for side in ("left", "right") for number in range(PARTITIONS)]
    assert [(of["side"], of["source"]) for of in sources] == wanted
    assert sum(of["rows"] for of in sources) == join["left_rows"] + join["right_rows"]
    assert min(of["lag_ms"] for of in sources) == 0
    assert not any(of["idle"] for of in sources)
    assert found["after"][0]["results"] >= join["results"]

    (aggregate,) = found["windows"]
    assert (aggregate["name"], aggregate["tasks"]) == ("windowAggregate", 1)
    assert (aggregate["left_rows"], aggregate["late_rows"]) == (2 * EVENTS, 0)
    assert aggregate["results"] == len(windows) > 20
    assert 0 < aggregate["latency_p50_ms"] <= aggregate["latency_max_ms"]
    written = [(r.key, json.loads(r.value)) for r in topics.records("metered-pairs-windows")]
    assert sorted(key for key, _ in written) == list(windows), "each once"
    for key, of in written:
        count, total = windows[key]
        assert of["n"] == count and of["total"] == pytest.approx(total), key


def kept(directory: Path) -> list[dict[str, Any]]:
    """The events that came too late."""
    files = directory.rglob("*.json")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def written(topics: Topics, topic: str) -> dict[str, dict[str, Any]]:
    """What a program in Real-Time Mode wrote, by the results' ids."""
    records = {(record.key, record.value) for record in topics.records(topic)}
    found = {key: json.loads(value) for key, value in records}
    # A result that was written again is the same.
    assert len(found) == len(records)
    for each in found.values():
        each.pop("came", None)
    return found


def has_all(topics: Topics, topic: str, expected: dict[str, dict[str, Any]]) -> bool:
    """Whether all was written: to read it takes more than to ask how much there is."""
    return (
        topics.size(topic) >= len(expected) and expected.keys() <= written(topics, topic).keys()
    )


def append_sentinels_to(topics: Topics, partitions: dict[str, int]) -> None:
    """To each partition of a left topic and a right one an event that matches nothing."""
    for sign, (name, count) in enumerate(partitions.items()):
        value = event(SENTINEL, 1000.0 * (1 - 2 * sign))
        topics.append(name, [(p, value) for p in range(count)])


def through(topics: Topics, *names: str) -> dict[str, tuple[int, float]]:
    """By their starts, counts and sums of the windows of ten seconds, every two, that all
    partitions have passed by the ten seconds that events may be late."""
    ends: dict[str, datetime] = {}
    sums: dict[datetime, tuple[int, float]] = {}
    for ts, each in chain.from_iterable(placed(topics, name) for name in names):
        partition = each["id"].rpartition("-")[0]
        ends[partition] = max(ts, ends.get(partition, ts))
        last = BEGIN + timedelta(seconds=2) * ((ts - BEGIN) // timedelta(seconds=2))
        for start in (last - timedelta(seconds=2 * n) for n in range(5)):
            count, total = sums.get(start, (0, 0.0))
            sums[start] = (count + 1, total + each["x"])
    passed = min(ends.values()) - timedelta(seconds=20)
    return {str(start): sums[start] for start in sorted(sums) if start <= passed}
