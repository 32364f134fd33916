"""Programs of `jvm/bench`: each is a main class that prints one JSON object per measurement.

A line is `{"arm": …, "threads": …, "seconds": …}` and may hold `matches` and `checksum` (of the
kernel arms' kind), `comparisons` and `tuples` (the work done in that time); every other field is
kept as a fact and printed in the report. Lines that do not open with `{` are log output.
The program is started once per round with the arguments below, so it warms up itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable
from joinbench.checksum import Rows
from joinbench.datasets import Workload

LIMIT_SECONDS = 900
MODULES = ["--add-modules=jdk.incubator.vector"]
WORK = ("tuples", "comparisons")


@dataclass(frozen=True)
class Program:
    name: str
    main: str
    kind: str
    family: str
    arguments: Callable[[Settings, Workload, Path], list[str]]


def band_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    return [str(data), str(workload.window_ms), str(settings.threads), "2"]


PROGRAMS = (
    Program(
        "core-join", "io.scalegate.bench.join.BandJoinMain", "band", "kernel", band_arguments
    ),
    Program("core-gate", "io.scalegate.bench.gate.GateMain", "gate", "gate", lambda *_: []),
)


def sbt(root: Path) -> list[str]:
    """How this checkout starts sbt."""
    script = root / "project" / "sbt.sh"
    if script.exists():
        return ["bash", str(script)]
    found = shutil.which("sbt")
    if found is None:
        raise Unavailable("there is neither project/sbt.sh nor an sbt on the PATH")
    return [found]


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


class Classpath:
    """Compiles `jvm/bench` once per run and asks sbt for its class path."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.found: str | None = None
        self.failure: str | None = None

    def get(self) -> str:
        if self.failure is not None:
            raise Unavailable(self.failure)
        if self.found is None:
            self.found = self.ask()
        return self.found

    def ask(self) -> str:
        self.settings.say("compiling jvm/bench")
        command = [
            *sbt(self.settings.root),
            "bench/compile",
            "export bench/Runtime/fullClasspath",
        ]
        done = subprocess.run(
            command, cwd=self.settings.root, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        if done.returncode != 0:
            self.failure = f"jvm/bench does not compile:\n{done.stdout[-2000:]}"
            raise Unavailable(self.failure)
        return done.stdout.strip().splitlines()[-1]


def sample(program: Program, workload: Workload, line: str) -> Sample:
    """One printed measurement. A line without `arm` or `seconds` is the program's error."""
    fields: dict[str, Any] = json.loads(line)
    name, seconds = str(fields.pop("arm")), float(fields.pop("seconds"))
    if "sources" in fields:
        name += f" {fields.pop('sources')}×{fields.pop('readers')}"
    threads = int(fields.pop("threads", 1))
    count, checksum = fields.pop("matches", None), fields.pop("checksum", None)
    rows = None if count is None else Rows(int(count), -1 if checksum is None else int(checksum))
    work = {key: float(fields.pop(key)) for key in WORK if key in fields}
    if program.kind != "gate":
        work.setdefault("tuples", float(workload.tuples))
    return Sample(name, program.family, seconds, threads, rows, work, fields)


class Jvm(Arm):
    def __init__(self, settings: Settings, classpath: Classpath, program: Program) -> None:
        self.name = program.name
        self.settings = settings
        self.classpath = classpath
        self.program = program

    def is_slow(self, workload: Workload) -> bool:
        return workload.name == "C"

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind != self.program.kind:
            raise Unavailable("it has no program for this workload")
        source = self.program.main.replace(".", "/") + ".scala"
        if not (self.settings.root / "jvm/bench/src/main/scala" / source).exists():
            raise Unavailable(f"jvm/bench holds no {self.program.main}")
        self.classpath.get()

    def command(self, workload: Workload, data: Path) -> list[str]:
        heap = f"-Xmx{self.settings.memory}"
        arguments = self.program.arguments(self.settings, workload, data)
        run = ["-cp", self.classpath.get(), self.program.main, *arguments]
        return [java(), *MODULES, heap, "-XX:+UseParallelGC", *run]

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        done = subprocess.run(
            self.command(workload, data), capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        if done.returncode != 0:
            raise RuntimeError(f"{self.program.main} failed:\n{done.stderr[-2000:]}")
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        return [sample(self.program, workload, line) for line in lines]

    def versions(self) -> dict[str, str]:
        if self.classpath.found is None:
            return {}
        done = subprocess.run([java(), "-version"], capture_output=True, text=True)
        return {"java": done.stderr.splitlines()[0].replace('"', "")}


def arms(settings: Settings) -> list[Arm]:
    classpath = Classpath(settings)
    return [Jvm(settings, classpath, program) for program in PROGRAMS]
