"""Joins of two live streams, and aggregates over sliding windows: how long results take at a
steady load, of Spark with this package in Real-Time Mode and in batches that follow each other,
of what Spark itself has, and of Flink with checkpoints.

The streams come from the process that joins them, or go over a broker of Kafka beside it, as the
results do then. A latency counts from the moment at which the
later event of a pair was due, to the sink; that of a window from its end where it is given once,
and from when its newest event was due where it is given at each change.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from joinbench.arm import Arm, Sample, Settings, Unavailable
from joinbench.arms.jvm import OPTIONS, Classpath, Jvm, Program
from joinbench.datasets import Workload

LOADS = (2_000, 10_000, 40_000, 80_000)
"""Events of both streams a second."""
HIGH_LOADS = (100_000, 160_000, 240_000)
"""Of this package in Real-Time Mode alone."""
BY_HAND_LOADS = (2_000, 10_000, 40_000)
KAFKA_LOADS = (2_000, 10_000)
KAFKA_WARM = 20
"""Seconds: two cores that a broker has its share of take longer to compile."""
HELD = (25_000, 2_500_000)
"""Rows of both streams in the windows, at a load of 10,000."""
HELD_WARM = 40
"""Seconds, in which these rows come."""
WARM, MEASURED = 6, 12
"""Seconds."""
COMMIT = 10
"""Seconds between two checkpoints; within the measured time there is one or two."""
SELDOM = 120
"""None is within the measured time."""
OPENED = (
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
)
WINDOW_LOADS = {
    "final": (2_000, 10_000, 40_000, 100_000),
    "design:wiml": (2_000, 10_000, 40_000, 100_000),
    "design:tumlsc": (2_000, 10_000, 40_000, 100_000),
    "update": (2_000, 10_000, 20_000),
    "spark": (1_000, 2_000, 5_000),
}
"""Events of both streams a second, by when windows are given, or by the design that gives them
once; Spark's own aggregate gives them at each change, of each of sixty windows for an event."""
ORDERED = (
    "index",
    "pim(threads=2)",
    "pim1",
    "im",
    "bplus",
    "scalejoin(threads=2)",
    "splitjoin(threads=2)",
)
"""Algorithms of the bands in the order of time: the index of our streams, and operators of the
papers."""
ORDERED_LOADS = (2_000, 10_000, 40_000)
FILLED = 20
"""Seconds until the windows, of a minute, have so much in them."""
SPARK = "io.scalegate.bench.live.LiveJoinMain"
WINDOWS = "io.scalegate.bench.live.LiveWindowsMain"
FLINK = "io.scalegate.bench.peers.FlinkLiveMain"


def told(
    *before: str, commit: int, at: tuple[int, ...] = LOADS, filled: int = WARM
) -> Callable[[Settings, Workload, Path], list[str]]:
    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        loads = at[:1] if settings.quick else at
        warm, measured = (1, 2) if settings.quick else (filled, MEASURED)
        return [*before, ",".join(map(str, loads)), str(warm), str(measured), str(commit)]

    return arguments


def programs() -> list[Program]:
    opened = tuple(f"--add-opens=java.base/{p}=ALL-UNNAMED" for p in OPENED)
    # With the collector that the JVM chooses, as programs of Spark and Flink run.
    options = (*OPTIONS, *opened)

    def program(
        name: str,
        main: str,
        *before: str,
        commit: int = SELDOM,
        at: tuple[int, ...] = LOADS,
        filled: int = WARM,
    ) -> Program:
        arguments = told(*before, commit=commit, at=at, filled=filled)
        return Program(
            f"live-{name}", main, "live", "live", arguments, repeats_itself=True, options=options
        )

    arms = [
        ("real-time", SPARK, ("real-time",), SELDOM),
        ("real-time-commits", SPARK, ("real-time",), COMMIT),
        ("batches", SPARK, ("batches",), COMMIT),
        ("flink", FLINK, (), COMMIT),
        ("flink-seldom", FLINK, (), SELDOM),
    ]
    return [
        *(program(f"asof-{mode}", SPARK, mode, "asof") for mode in ("real-time", "batches")),
        *(
            program(
                f"ordered-{algorithm.partition('(')[0]}",
                SPARK,
                "real-time",
                f"ordered:{algorithm}",
                at=ORDERED_LOADS,
            )
            for algorithm in ORDERED
        ),
        *(
            program(
                f"windows-{emission.split(':')[-1]}", WINDOWS, emission, at=loads, filled=FILLED
            )
            for emission, loads in WINDOW_LOADS.items()
        ),
        *(
            program(f"{name}-{query}", main, *before, query, commit=commit)
            for query in ("band", "keyed")
            for name, main, before, commit in arms
        ),
        *(
            program(f"high-{query}", SPARK, "real-time", query, at=HIGH_LOADS)
            for query in ("band", "keyed")
        ),
        program("spark-keyed", SPARK, "spark", "keyed"),
        program("by-hand-keyed", SPARK, "by-hand", "keyed", at=BY_HAND_LOADS),
        program("no-join", SPARK, "no-join", "none", commit=COMMIT),
        *(
            program(
                f"{query.replace(' ', '-')}-{name}-{rows}",
                main,
                *before,
                f"{query}:{rows}",
                commit=commit,
                at=(10_000,),
                filled=HELD_WARM,
            )
            for query in ("held", "held outer")
            for rows in HELD
            for name, main, before, commit in arms
            if name in ("real-time", "real-time-commits")
            or (name == "flink-seldom" and query == "held")
        ),
        *(
            program(
                f"kafka-{name}-{query}",
                main,
                *before,
                query,
                commit=commit,
                at=KAFKA_LOADS,
                filled=KAFKA_WARM,
            )
            for query in ("band", "keyed")
            for name, main, before, commit in arms
            if query == "band" or commit == SELDOM
        ),
    ]


class Live(Jvm):
    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind != "live":
            raise Unavailable("it has no program for this workload")
        self.classpath.get()


class LiveOverKafka(Live):
    """With a broker of Kafka for the time of a run, the one that the tests start."""

    _address: str | None = None

    def prepare(self, workload: Workload, data: Path) -> None:
        super().prepare(workload, data)
        if not self._jars():
            raise Unavailable("there is no broker of Kafka; `make .build/kafka.stamp` fetches it")

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        node = self._node()
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            with node.broker(self._jars()[0], place, dict(os.environ)) as broker:
                self._address = broker.address
                return super().run(workload, data)

    def command(self, workload: Workload, data: Path) -> list[str]:
        return [*super().command(workload, data), str(self._address)]

    def _jars(self) -> list[Path]:
        return sorted(self.settings.root.glob(".build/kafka/*/broker"))

    def _node(self) -> ModuleType:
        path = self.settings.root / "tests/python/kafka_node.py"
        spec = importlib.util.spec_from_file_location("kafka_node", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def arms(settings: Settings) -> list[Arm]:
    spark = Classpath(settings, "live", "bench/live")
    peers = Classpath(settings, "peers", "bench/peers")

    def arm(program: Program) -> Arm:
        kind = LiveOverKafka if program.name.startswith("live-kafka") else Live
        return kind(settings, peers if program.main == FLINK else spark, program)

    return [arm(program) for program in programs()]
