"""Main classes of `bench/jmh`, started with the class path that sbt gives.

They print measurements as JSON, one object a line; other lines are log output. An object names
its `arm` (or `gate`, with `sources` and `readers`) and `threads`, and gives `seconds`, or
`tuples` and `tuples_per_second`; either may be a list, one value per run. It may hold `matches`
and `checksum` (as the `cpp-*` arms count them), `comparisons` (per run) and the list
`comparisons_by_thread`; every other field is kept as a fact for the report. A program runs in a
fresh process, so it warms itself up.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import pstdev
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable
from joinbench.checksum import Rows
from joinbench.datasets import Workload
from joinbench.rounds import NOT_HASHED

LIMIT_SECONDS = 1800
GIVEN = "SCALEGATE_BENCH_CLASSPATH"
OPTIONS = ["--add-modules=jdk.incubator.vector"]
THROUGHPUT_COLLECTOR = ("-XX:+UseParallelGC",)
CONCURRENT_COLLECTOR = ("-XX:+UseZGC",)
"""Stops for less than a millisecond: for latencies that are not to be the collector's."""
WORK = ("tuples", "comparisons")
TOLD_OTHERWISE = ("bench", "set", "median")


@dataclass(frozen=True)
class Program:
    """A main class, and the arguments it takes for a workload whose files are in a folder."""

    name: str
    main: str
    kind: str
    family: str
    arguments: Callable[[Settings, Workload, Path], list[str]]
    repeats_itself: bool = False
    sets: tuple[str, ...] = ()
    """The sets that it is meant for; all of its kind where there are none."""
    slow: bool = False
    options: tuple[str, ...] = THROUGHPUT_COLLECTOR


def join_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    return [str(data), str(workload.window_ms), str(settings.threads), "1"]


def gate_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    return ["2", "1", "1x1", "20x2"] if settings.quick else []


def aggregate_arguments(query: str) -> Callable[[Settings, Workload, Path], list[str]]:
    """Texts come at a tenth of the rate: each is searched, by some designs once a window."""

    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        feeders = str(settings.threads - 1)
        if settings.quick:
            return ["1", "20000", feeders, "20", query]
        if query.startswith(("f-", "F-")):
            return ["5", "30000", feeders, "20", query]
        return ["5", "200000", feeders, "2,20,40", query]

    return arguments


def aggregate_alone_arguments(query: str) -> Callable[[Settings, Workload, Path], list[str]]:
    """No queues to merge and no threads to wait for: what a design makes of a tuple."""

    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        if settings.quick:
            return ["1", "20000", "0", "1", query]
        return ["5", "30000" if query.startswith(("f-", "F-")) else "200000", "0", "1", query]

    return arguments


def match_rate(
    distribution: str, windows: range | list[int], chains_of_8: bool, runs: int
) -> Callable[[Settings, Workload, Path], list[str]]:
    """Windows by their logarithm. Large ones take long to fill, and what fills them warms up."""

    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        indexes = "PIM,IM,B+,IB-chain,B-chain" + (",IB-chain8,B-chain8" if chains_of_8 else "")
        if settings.quick:
            return [distribution, "10000", "1", indexes, "2", "10"]
        return [distribution, "500000", str(runs), indexes, "2", *map(str, windows)]

    return arguments


def match_rate_programs() -> list[Program]:
    small = {"uniform": range(14, 19), "gaussian": [14, 17], "drift": [14, 17]}
    large = {"uniform": range(19, 22), "gaussian": [20], "drift": [20]}
    largest = {"uniform": [22]}
    main = "io.scalegate.bench.index.MatchRateMain"
    return [
        Program(f"core-index-{kind}{suffix}", main, "core", "index", arguments, True)
        for suffix, windows, runs in (
            ("", small, 5),
            ("-large", large, 3),
            ("-largest", largest, 1),
        )
        for kind in windows
        for arguments in [match_rate(kind, windows[kind], suffix == "", runs)]
    ]


def interval_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    if settings.quick:
        return ["10000", "1000", "0.35", "1,2", "1", "5", "50"]
    keys = ["5", "50", "500", "10000"]
    threads = ",".join(str(n) for n in range(1, settings.threads + 1))
    return ["600000", "100000", "0.35", threads, "4", *keys]


def overlap_arguments(keys: int) -> Callable[[Settings, Workload, Path], list[str]]:
    """The rows and lengths of OV, and with 24 keys those of OVK: 300 million pairs."""
    longest = [str(keys * 1_500), str(keys * 3_000)]

    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        rows = ["10000", "1200"] if settings.quick else ["10000000", "1200000"]
        runs = "1" if settings.quick else "7"
        return [*rows, "90000000", *longest, str(settings.threads), runs, str(keys)]

    return arguments


def layout_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    return [str(data), str(workload.window_ms), "4" if settings.quick else "16", "1"]


def cube_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    tuples = "3000" if settings.quick else "60000"
    return [tuples, "1000", "1" if settings.quick else "3", "1x1x1", "1x1x2", "2x2x1"]


def latency_arguments(streams: str) -> Callable[[Settings, Workload, Path], list[str]]:
    """Four workers, tuples as they come in the data: the windows are full after ten seconds of
    thirty. Handshake join's latency goes with the window's length, the others' with the load."""
    arms = ["scalejoin", "handshake", "llhj", "matrix-1x4", "matrix-4x1", "matrix-2x2"]

    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        speed, seconds = ("5", "4") if settings.quick else ("1", "30")
        return [str(data), str(workload.window_ms), "4", speed, seconds, streams, *arms]

    return arguments


def merge_latency_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    """At a quarter of what the slower arm sustains: while one of two threads merges, the other
    can take it. Each index merges twice or more in either phase."""
    if settings.quick:
        return [str(settings.threads), "0.25", "20000", "1", "parallel,blocking", "12"]
    return [str(settings.threads), "0.25", "4400000", "2", "parallel,blocking", "18", "20"]


def pim_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    return [str(data), str(workload.window_ms), "1", "3", "index", "indexjoin"]


def parallel_arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
    arms = ["parallel", "blocking", "skiplist"]
    return [str(data), str(workload.window_ms), str(settings.threads), "9", *arms]


PROGRAMS = (
    *match_rate_programs(),
    Program(
        "core-pim",
        "io.scalegate.bench.join.BandJoinMain",
        "band",
        "kernel",
        pim_arguments,
        True,
        ("B", "C"),
    ),
    Program(
        "core-parallel",
        "io.scalegate.bench.join.BandJoinMain",
        "band",
        "kernel",
        parallel_arguments,
        True,
        ("B",),
    ),
    Program(
        "core-interval",
        "io.scalegate.bench.join.IntervalJoinMain",
        "core",
        "interval",
        interval_arguments,
        True,
    ),
    *(
        Program(
            f"core-overlap-{keys}",
            "io.scalegate.bench.join.OverlapMain",
            "core",
            "overlap",
            overlap_arguments(keys),
            True,
        )
        for keys in (1, 24)
    ),
    Program(
        "core-layouts",
        "io.scalegate.bench.join.MatrixLayoutMain",
        "band",
        "layout",
        layout_arguments,
        True,
        ("A0",),
    ),
    Program(
        "core-cube",
        "io.scalegate.bench.join.CubeJoinMain",
        "core",
        "cube",
        cube_arguments,
        True,
    ),
    *(
        Program(
            f"core-latency-{streams}",
            "io.scalegate.bench.join.BandLatencyMain",
            "band",
            "latency",
            latency_arguments(streams),
            True,
            ("A",),
        )
        for streams in ("symmetric", "rates", "windows")
    ),
    Program(
        "core-merge-latency",
        "io.scalegate.bench.join.MergeLatencyMain",
        "core",
        "merge",
        merge_latency_arguments,
        True,
        options=CONCURRENT_COLLECTOR,
    ),
    # A process for each query: what the compiler has seen of one must not slow another down.
    *(
        Program(
            f"core-{arm}-{query}",
            "io.scalegate.bench.aggregate.AggregateThroughput",
            "core",
            arm,
            arguments(query),
            True,
        )
        for arm, arguments in (
            ("aggregate", aggregate_arguments),
            ("alone", aggregate_alone_arguments),
        )
        for query in (f"{kind}-{order}" for order in ("OS", "OI") for kind in "kKwWfF")
    ),
    Program(
        "core-join", "io.scalegate.bench.join.BandJoinMain", "band", "kernel", join_arguments
    ),
    Program(
        "core-gate",
        "io.scalegate.bench.gate.GateThroughput",
        "gate",
        "gate",
        gate_arguments,
        True,
    ),
)


def sbt(root: Path) -> list[str]:
    """How this checkout starts sbt."""
    script = root / "project" / "sbt.sh"
    if script.exists():
        return ["bash", str(script)]
    found = shutil.which("sbt")
    if found is None:
        raise Unavailable("there is neither project/sbt.sh nor an sbt on the PATH")
    return [found, "-Dsbt.color=false", "-Dsbt.supershell=false"]


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


class Classpath:
    """Compiles a project of the build once per run and asks sbt for its class path; or takes what
    is in the environment, for a machine that has no sbt.
    """

    def __init__(self, settings: Settings, project: str = "bench", folder: str = "bench/jmh"):
        self.settings = settings
        self.project = project
        self.folder = folder
        self.found = os.environ.get(GIVEN)
        self.failure: str | None = None

    def get(self) -> str:
        if self.failure is None and self.found is None:
            self.ask()
        if self.found is None:
            raise Unavailable(self.failure or "sbt printed no class path")
        return self.found

    def ask(self) -> None:
        self.settings.say(f"compiling {self.folder}")
        path = f"export {self.project}/Runtime/fullClasspath"
        done = subprocess.run(
            [*sbt(self.settings.root), f"{self.project}/compile", path],
            cwd=self.settings.root,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        if done.returncode == 0:
            paths = [line for line in done.stdout.splitlines() if f".jar{os.pathsep}" in line]
            self.found = paths[-1] if paths else None
        else:
            self.failure = f"{self.folder} does not compile\n{done.stdout[-4000:]}"


def listed(value: Any) -> list[float]:
    return [float(v) for v in (value if isinstance(value, list) else [value])]


def name_of(fields: dict[str, Any]) -> str:
    if "arm" in fields:
        return str(fields.pop("arm"))
    return f"{fields.pop('gate')} {fields.pop('sources')}×{fields.pop('readers')}"


def seconds_of(fields: dict[str, Any], tuples: float) -> list[float]:
    if "seconds" in fields:
        return listed(fields.pop("seconds"))
    return [tuples / rate for rate in listed(fields.pop("tuples_per_second"))]


def skew(comparisons: list[int]) -> float:
    """ScaleJoin's measure: standard deviation of the threads' shares of the work, in percent."""
    return pstdev(100 * one / sum(comparisons) for one in comparisons)


def samples(family: str, workload: Workload, line: str) -> list[Sample]:
    """The runs that one printed line tells of. A line without name or time is an error."""
    fields: dict[str, Any] = json.loads(line)
    name, threads = name_of(fields), int(fields.pop("threads", 1))
    count, checksum = fields.pop("matches", None), fields.pop("checksum", NOT_HASHED)
    rows = None if count is None else Rows(int(count), int(checksum))
    work = {"tuples": float(workload.tuples)}
    work |= {key: float(fields.pop(key)) for key in WORK if key in fields}
    runs = seconds_of(fields, work["tuples"])
    shares = fields.pop("comparisons_by_thread", [1])
    facts = {k.replace("_", " "): v for k, v in fields.items() if k not in TOLD_OTHERWISE}
    if len(shares) > 1:
        facts["skew %"] = skew(shares)
    return [Sample(name, family, seconds, threads, rows, work, facts) for seconds in runs]


class Jvm(Arm):
    """One program. The names in the report are those that it prints."""

    warms_itself = True

    def __init__(self, settings: Settings, classpath: Classpath, program: Program) -> None:
        self.settings = settings
        self.classpath = classpath
        self.program = program
        self.name = program.name
        self.repeats_itself = program.repeats_itself

    def is_slow(self, workload: Workload) -> bool:
        return workload.name == "C" or self.program.slow

    def prepare(self, workload: Workload, data: Path) -> None:
        meant = not self.program.sets or workload.name in self.program.sets
        if workload.kind != self.program.kind or not meant:
            raise Unavailable("it has no program for this workload")
        source = self.program.main.replace(".", "/") + ".scala"
        if not (self.settings.root / "bench/jmh/src/main/scala" / source).exists():
            raise Unavailable(f"bench/jmh holds no {self.program.main}")
        self.classpath.get()

    def command(self, workload: Workload, data: Path) -> list[str]:
        arguments = self.program.arguments(self.settings, workload, data)
        options = [
            *OPTIONS,
            *self.program.options,
            f"-Xmx{self.settings.memory}",
            "-cp",
            self.classpath.get(),
        ]
        return [java(), *options, self.program.main, *arguments]

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        done = subprocess.run(
            self.command(workload, data), capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        if done.returncode != 0:
            raise RuntimeError(f"{self.program.main} ended with {done.returncode}: {done.stderr}")
        lines = (line for line in done.stdout.splitlines() if line.startswith("{"))
        found = [s for line in lines for s in samples(self.program.family, workload, line)]
        if not found:
            raise RuntimeError(f"{self.program.main} printed no measurement")
        return found

    def versions(self) -> dict[str, str]:
        if self.classpath.found is None:
            return {}
        done = subprocess.run([java(), "-version"], capture_output=True, text=True)
        return {"java": done.stderr.splitlines()[0].replace('"', "")}


def arms(settings: Settings) -> list[Arm]:
    classpath = Classpath(settings)
    return [Jvm(settings, classpath, program) for program in PROGRAMS]
