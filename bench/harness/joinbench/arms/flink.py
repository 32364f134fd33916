"""Apache Flink, in a cluster within one JVM, on the sets as streams: from columns in memory, with
a watermark for each tenth of a second, without checkpoints and with two a second. That is in its
favour beside the arms of Spark, whose streams are files and whose state is in a checkpoint after
each batch.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from joinbench.arm import Sample, Settings, Unavailable
from joinbench.arms.jvm import THROUGHPUT_COLLECTOR, Classpath, Jvm, Program
from joinbench.datasets import WindowSet, Workload

RUNS = 5
CHECKPOINT_MS = 500
OPENED = ("java.lang", "java.time", "java.util", "java.util.concurrent")
"""Packages of the JDK into which Flink reaches."""
OPTIONS = (*THROUGHPUT_COLLECTOR, *(f"--add-opens=java.base/{p}=ALL-UNNAMED" for p in OPENED))


def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    windows = isinstance(workload, WindowSet)
    slide, streams = (workload.slide_ms, workload.streams) if windows else (0, 2)
    times = [str(workload.window_ms), str(slide)]
    return [workload.kind, str(data), *times, str(streams), str(settings.threads), str(RUNS)]


def with_checkpoints(settings: Settings, workload: Workload, data: Path) -> list[str]:
    folder = settings.work / "bench-checkpoints" / "flink"
    return [*arguments(settings, workload, data), str(CHECKPOINT_MS), str(folder)]


MAIN = "io.scalegate.bench.peers.FlinkMain"
PROGRAMS = [
    Program(name, MAIN, "", "stream", told, repeats_itself=True, options=OPTIONS)
    for name, told in (("flink", arguments), ("flink-checkpoints", with_checkpoints))
]


class Flink(Jvm):
    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed", "window"):
            raise Unavailable("it has no query for this workload")
        if isinstance(workload, WindowSet) and workload.functions != ("sum", "max"):
            raise Unavailable("it has sum and maximum only")
        if workload.name == "WL":
            raise Unavailable(
                "it takes four minutes a run; W, a tenth of the set, tells its rate"
            )
        self.classpath.get()

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        try:
            return super().run(workload, data)
        finally:
            shutil.rmtree(self.settings.work / "bench-checkpoints" / "flink", ignore_errors=True)

    def is_slow(self, workload: Workload) -> bool:
        return workload.name in ("B", "C")


def arms(settings: Settings) -> list[Flink]:
    classpath = Classpath(settings, "peers", "bench/peers")
    return [Flink(settings, classpath, program) for program in PROGRAMS]
