"""Joins of two live streams, and aggregates over sliding windows: how long results take at a
steady load, of Spark with this package in Real-Time Mode and in batches that follow each other,
of Spark's own aggregate in Real-Time Mode, and of Flink with checkpoints.

The streams come from the process that joins them. A latency counts from the moment at which the
later event of a pair was due, to the sink; that of a window from its end where it is given once,
and from when its newest event was due where it is given at each change.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from joinbench.arm import Arm, Settings, Unavailable
from joinbench.arms.jvm import OPTIONS, THROUGHPUT_COLLECTOR, Classpath, Jvm, Program
from joinbench.datasets import Workload

LOADS = (2_000, 10_000, 40_000, 80_000)
"""Events of both streams a second."""
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
    "update": (2_000, 10_000, 20_000),
    "spark": (1_000, 2_000, 5_000),
}
"""Events of both streams a second, by when windows are given; Spark's own aggregate gives them at
each change, of each of sixty windows for an event."""
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
    options = (*OPTIONS, *THROUGHPUT_COLLECTOR, *opened)

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
            program(f"windows-{emission}", WINDOWS, emission, at=loads, filled=FILLED)
            for emission, loads in WINDOW_LOADS.items()
        ),
        *(
            program(f"{name}-{query}", main, *before, query, commit=commit)
            for query in ("band", "keyed")
            for name, main, before, commit in arms
        ),
    ]


class Live(Jvm):
    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind != "live":
            raise Unavailable("it has no program for this workload")
        self.classpath.get()


def arms(settings: Settings) -> list[Arm]:
    spark = Classpath(settings, "live", "bench/live")
    peers = Classpath(settings, "peers", "bench/peers")
    return [Live(settings, peers if p.main == FLINK else spark, p) for p in programs()]
