"""Apache Flink, in a cluster within one JVM, on the sets as streams: from columns in memory,
without checkpoints, and with a watermark for each tenth of a second. All of that is in its favour
beside the arms of Spark, whose streams are files and whose state is in a checkpoint after each
batch.
"""

from __future__ import annotations

from pathlib import Path

from joinbench.arm import Settings, Unavailable
from joinbench.arms.jvm import Classpath, Jvm, Program
from joinbench.datasets import WindowSet, Workload

RUNS = 2
OPENED = ("java.lang", "java.time", "java.util", "java.util.concurrent")
"""Packages of the JDK into which Flink reaches."""


def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    windows = isinstance(workload, WindowSet)
    slide, streams = (workload.slide_ms, workload.streams) if windows else (0, 2)
    times = [str(workload.window_ms), str(slide)]
    return [workload.kind, str(data), *times, str(streams), str(settings.threads), str(RUNS)]


PROGRAM = Program(
    "flink", "io.scalegate.bench.peers.FlinkMain", "", "stream", arguments, repeats_itself=True
)


class Flink(Jvm):
    options = (*(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED),)

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

    def is_slow(self, workload: Workload) -> bool:
        return workload.name in ("B", "C")


def arms(settings: Settings) -> list[Flink]:
    return [Flink(settings, Classpath(settings, "peers", "jvm/bench/peers"), PROGRAM)]
