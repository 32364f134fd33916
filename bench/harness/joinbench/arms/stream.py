"""Joins of two streams and windows over several on Structured Streaming, from files to a sink
that drops the rows: with scalegate, by Spark's own operators, and the limit, which moves the same
rows and does nothing else.

Every run reads the streams to their end, one file of each a batch, and keeps a checkpoint of its
own. Result rows are counted and checksummed before, in a run of their own.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable
from joinbench.arms.spark import SWITCH, Host
from joinbench.checksum import Rows, of_windows
from joinbench.datasets import AroundSet, AsOfSet, WindowSet, Workload, closed_windows
from joinbench.queries import (
    rows_of_stream,
    stream_around,
    stream_join,
    stream_windows,
    streams_of,
)
from joinbench.streams import ensure_streams

STATE = "org.apache.spark.sql.execution.streaming.state."
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
"""A batch then writes its changes; the store's own files are written beside the batches."""
FORMAT = "spark.sql.streaming.join.stateFormatVersion"
FORMAT_4 = {FORMAT: "4", "spark.sql.streaming.join.stateFormatV4.enabled": "true"}
"""Spark 4.2 calls this format of its join's state under development, and has it switched off."""
ROCKSDB = {PROVIDER: f"{STATE}RocksDBStateStoreProvider", FORMAT: "2", CHANGELOG: "false"}
HDFS = {PROVIDER: f"{STATE}HDFSBackedStateStoreProvider", FORMAT: "2"}
FILES = "spark.sql.streaming.checkpointFileManagerClass"
NO_FORK = {
    FILES: "org.apache.spark.sql.execution.streaming.checkpointing"
    ".FileSystemBasedCheckpointFileManager"
}
"""Spark's default starts processes for each file where Hadoop has no native library."""
REFUSAL = "Stream-stream join without equality predicate is not supported"

Progress = dict[str, Any]
Sink = Callable[[Any, int], None]
Watch = Callable[[Any], None]
"""What is done while a query runs; it returns when the query has read all that it shall."""


@dataclass(frozen=True)
class Run:
    """A query from its start to its end."""

    seconds: float
    progress: list[Progress]
    checkpoint_bytes: int

    @property
    def operators(self) -> list[Progress]:
        """What each batch tells of its stateful operator."""
        return [o for p in self.progress for o in p["stateOperators"]]

    def total(self, name: str) -> int:
        return sum(int(o[name]) for o in self.operators)

    def milliseconds(self, name: str) -> list[float]:
        """Of each batch."""
        return [float(p["durationMs"].get(name, 0)) for p in self.progress]

    def facts(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "batches": len(self.progress),
            "in batches s": sum(self.milliseconds("addBatch")) / 1000,
        }
        if self.operators:
            told["commits s"] = self.total("commitTimeMs") / 1000
            told["most state rows"] = max(int(o["numRowsTotal"]) for o in self.operators)
            told["checkpoint MB"] = self.checkpoint_bytes / 1e6
        return told


class StreamHost:
    """The session that the stream arms share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        conf = {
            "spark.sql.shuffle.partitions": str(settings.threads),
            "spark.sql.streaming.numRecentProgressUpdates": "10000",
        }
        self.spark = Host(settings, conf)

    def read(self, folder: Path, name: str, files: int = 1) -> Any:
        """A stream, of which a batch reads so many files at most."""
        session = self.spark.start()
        path = str(folder / name)
        stream = session.readStream.schema(session.read.parquet(path).schema)
        return stream.option("maxFilesPerTrigger", files).parquet(path)

    def united(self, workload: WindowSet, folder: Path) -> Any:
        """The streams of a set as one."""
        return reduce(
            lambda a, b: a.unionByName(b), (self.read(folder, s) for s in streams_of(workload))
        )

    def run(self, frame: Any, sink: Sink | None = None) -> Run:
        """Runs a query to the end of its streams; without a sink its rows are dropped."""
        return self.watch(frame, {"availableNow": True}, lambda q: q.awaitTermination(), sink)

    def watch(
        self, frame: Any, trigger: Mapping[str, Any], until: Watch, sink: Sink | None = None
    ) -> Run:
        """Runs a query with a trigger, and stops it when it has been watched."""
        folder = self.settings.work / "bench-checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = Path(tempfile.mkdtemp(dir=folder))
        try:
            writer = frame.writeStream.outputMode("append").trigger(**trigger)
            writer = writer.option("checkpointLocation", str(checkpoint))
            writer = writer.format("noop") if sink is None else writer.foreachBatch(sink)
            start = time.perf_counter()
            query = writer.start()
            try:
                until(query)
            finally:
                query.stop()
            seconds = time.perf_counter() - start
            progress = [json.loads(p.json) for p in query.recentProgress]
            size = sum(f.stat().st_size for f in checkpoint.rglob("*") if f.is_file())
            return Run(seconds, progress, size)
        finally:
            shutil.rmtree(checkpoint, ignore_errors=True)


class StreamArm(Arm):
    """A query over the streams of a set, under settings of its own."""

    def __init__(
        self, host: StreamHost, name: str, conf: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.host = host
        self.conf = conf or {}
        self.rows: Rows | None = None

    def configured(self) -> Any:
        """The session, under the arm's settings."""
        session = self.host.spark.start()
        session.conf.unset(FILES)
        for name, value in self.conf.items():
            session.conf.set(name, value)
        return session

    @abstractmethod
    def frame(self, workload: Workload, streams: Path) -> Any:
        """The query."""

    def streams(self, workload: Workload, data: Path) -> Path:
        return ensure_streams(workload, data, self.host.settings.batches)

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed", "window", "asof", "around", "interval"):
            raise Unavailable("it has no query for this workload")
        self.streams(workload, data)

    def check(self, workload: Workload, run: Run) -> None:
        """A time is worth nothing when not all was read."""
        read = sum(int(p["numInputRows"]) for p in run.progress)
        if read != workload.tuples:
            raise RuntimeError(f"{read:,} rows were read instead of {workload.tuples:,}")

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        run = self.host.run(self.frame(workload, self.streams(workload, data)))
        self.check(workload, run)
        work = {"tuples": float(workload.tuples)}
        threads = self.host.settings.threads
        return [Sample(self.name, "stream", run.seconds, threads, self.rows, work, run.facts())]

    def versions(self) -> dict[str, str]:
        return self.host.spark.versions()

    def close(self) -> None:
        self.host.spark.stop()


class Limit(StreamArm):
    """Moves every column of the streams' rows through one exchange by the key or the band."""

    def frame(self, workload: Workload, streams: Path) -> Any:
        self.configured()
        if isinstance(workload, WindowSet):
            return self.host.united(workload, streams).repartition(
                self.host.settings.threads, "k"
            )
        r, s = (self.host.read(streams, name) for name in "RS")
        key = "k" if "k" in r.columns else r.columns[1]
        alike = dict(zip(s.columns[:3], r.columns[:3], strict=True))
        both = r.unionByName(s.withColumnsRenamed(alike), allowMissingColumns=True)
        return both.repartition(self.host.settings.threads, key)


OPERATORS = {"window": ("windowAggregate", "stateStoreSave")}
"""What the operators of scalegate and of Spark are called; those of joins otherwise."""
JOINS = ("windowJoin", "symmetricHashJoin")


class Query(StreamArm):
    """The join or the windows, by scalegate or by Spark, with the state in one kind of store."""

    def __init__(self, host: StreamHost, name: str, ours: bool, conf: Mapping[str, str]) -> None:
        super().__init__(host, name, conf)
        self.ours = ours

    def is_slow(self, workload: Workload) -> bool:
        return not self.ours and (workload.kind == "keyed" or workload.name == "WL")

    def prepare(self, workload: Workload, data: Path) -> None:
        super().prepare(workload, data)
        self.require_jar()
        if not self.ours and isinstance(workload, AsOfSet):
            raise Unavailable("Spark refuses this query of streams")
        if not self.ours and workload.name == "Z":
            raise Unavailable("it scans the whole hot key for each row, for minutes")
        frame = self.frame(workload, self.streams(workload, data))
        found = self.count(workload, frame)
        if isinstance(workload, WindowSet):
            # Windows that are open at the end are not given: fewer than the set declares.
            expected = of_windows(closed_windows(workload))
            if found != expected:
                raise RuntimeError(f"{found} instead of {expected}")
        else:
            self.rows = found

    def require_jar(self) -> None:
        if self.ours and self.host.spark.jar is None:
            raise Unavailable(
                "target/ holds no scalegate-spark jar; `sbt spark/package` builds it"
            )

    def frame(self, workload: Workload, streams: Path, files: int = 1) -> Any:
        session = self.configured()
        session.conf.set(SWITCH, str(self.ours).lower())
        if isinstance(workload, WindowSet):
            rows = self.host.united(workload, streams).withWatermark("ts", "0 seconds")
            rows.createOrReplaceTempView("united")
            return session.sql(stream_windows(workload, "united"))
        views = {name: self.host.read(streams, name, files) for name in "RS"}
        for name, view in views.items():
            view.withWatermark("ts", "0 seconds").createOrReplaceTempView(name)
        if isinstance(workload, AroundSet):
            return session.sql(stream_around(workload))
        return session.sql(stream_join(workload, *(view.columns for view in views.values())))

    def count(self, workload: Workload, frame: Any) -> Rows:
        """The result rows; or Unavailable where Spark refuses the query."""
        from pyspark.errors import StreamingQueryException

        batches: dict[int, Rows] = {}

        def take(batch: Any, number: int) -> None:
            batch.createOrReplaceTempView("results")
            query = rows_of_stream(workload, batch.columns, "results")
            batches[number] = Rows(*batch.sparkSession.sql(query).collect()[0])

        try:
            run = self.host.run(frame, take)
        except StreamingQueryException as error:
            if self.ours or REFUSAL not in str(error):
                raise
            raise Unavailable(f"Spark says: {REFUSAL}") from None
        self.check(workload, run)
        counted = batches.values()
        return Rows(sum(b.count for b in counted), sum(b.checksum for b in counted))

    def check(self, workload: Workload, run: Run) -> None:
        """Nor when rows were dropped as late, or another operator ran than the arm is for."""
        super().check(workload, run)
        late = run.total("numRowsDroppedByWatermark")
        if late:
            raise RuntimeError(f"{late:,} rows were dropped as late")
        ours, theirs = OPERATORS.get(workload.kind, JOINS)
        expected = ours if self.ours else theirs
        found = {o["operatorName"] for o in run.operators}
        if found != {expected}:
            raise RuntimeError(f"the operator is {found}, not {expected}")


def arms(host: StreamHost) -> list[Arm]:
    return [
        Limit(host, "limit"),
        Limit(host, "limit-nofork", NO_FORK),
        Query(host, "scalegate-rocksdb", True, ROCKSDB),
        Query(host, "scalegate-rocksdb-changelog", True, ROCKSDB | {CHANGELOG: "true"}),
        Query(host, "scalegate-hdfs", True, HDFS),
        Query(host, "scalegate-hdfs-nofork", True, HDFS | NO_FORK),
        Query(host, "spark-rocksdb", False, ROCKSDB),
        Query(host, "spark-rocksdb-4", False, ROCKSDB | FORMAT_4),
        Query(host, "spark-hdfs", False, HDFS),
        Query(host, "spark-hdfs-nofork", False, HDFS | NO_FORK),
    ]
