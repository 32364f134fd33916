"""Spark: the same session with scalegate switched off (plain Spark, as first written and with the
x-bins trick) and on (the first spelling again, through `spark.sql`), for joins and for windows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable, timed
from joinbench.checksum import Rows
from joinbench.datasets import AroundSet, AsOfSet, SelfSet, WindowSet, Workload
from joinbench.queries import (
    SELF,
    abs_condition,
    by_operator,
    frames,
    grouped_pairs,
    joined,
    lateral,
    lateral_apart,
    spark_asof,
    spark_bins,
    spark_windows,
    streams_of,
)

NODES = {
    "band": "WindowJoin",
    "self": "WindowJoin",
    "keyed": "WindowJoin",
    "window": "PaneWindows",
    "asof": "as of: ",
    "around": "IntervalAggregate",
    "interval": "WindowJoin",
}
SWITCH = "spark.scalegate.enabled"
AROUND = {
    "spark-frames": frames,
    "scalegate-pairs": grouped_pairs,
    "scalegate-apart": lateral_apart,
}
"""Spellings that only rows around rows have."""
OPERATORS = {
    f"scalegate-{operator}{'-apart' if apart else ''}": (operator, apart)
    for operator in ("pim1", "pim")
    for apart in (False, True)
}
"""Operators that read an input which is joined with itself once, and twice."""


def jar(root: Path) -> Path | None:
    """The jar that `sbt spark/oneJar` leaves, if it has been built."""
    versions = (root / "project" / "Versions.scala").read_text()
    version = re.search(r'val project = "([^"]+)"', versions)
    spark = re.search(r'val spark = "(\d+\.\d+)\.', versions)
    assert version is not None and spark is not None
    name = f"scalegate-spark-{spark.group(1)}_2.13-{version.group(1)}.jar"
    path = root / "target" / name
    return path if path.exists() else None


class Host:
    """The one session. The jar on the class path is all that registers scalegate."""

    def __init__(self, settings: Settings, conf: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.conf = conf or {}
        self.jar = jar(settings.root)
        self.session: Any = None

    def start(self) -> Any:
        if self.session is not None:
            return self.session
        from pyspark.sql import SparkSession

        threads = self.settings.threads
        builder = (
            SparkSession.builder.master(f"local[{threads}]")
            .appName("scalegate-bench")
            .config("spark.driver.memory", self.settings.memory)
            .config("spark.sql.shuffle.partitions", str(2 * threads))
            .config("spark.sql.warehouse.dir", str(self.settings.work / "spark-warehouse"))
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "ERROR")
            .config("spark.sql.join.asofJoin.enabled", "true")
        )
        for name, value in self.conf.items():
            builder = builder.config(name, value)
        if self.jar is not None:
            builder = builder.config("spark.jars", str(self.jar))
        self.session = builder.getOrCreate()
        return self.session

    def versions(self) -> dict[str, str]:
        if self.session is None:
            return {}
        runtime = self.session._jvm.java.lang.System
        java = f"{runtime.getProperty('java.vm.name')} {runtime.getProperty('java.version')}"
        return {"Spark": self.session.version, "Java": java}

    def stop(self) -> None:
        if self.session is not None:
            self.session.stop()
            self.session = None


class Spark(Arm):
    """`name` decides the spelling; only those of `scalegate` have the switch on."""

    def __init__(self, settings: Settings, host: Host, name: str) -> None:
        self.name = name
        self.settings = settings
        self.host = host
        self.sql = ""

    @property
    def ours(self) -> bool:
        return self.name.startswith("scalegate")

    def is_slow(self, workload: Workload) -> bool:
        if self.name == "spark-abs":
            return workload.name in ("B", "Z", "WL", "ASM")
        if workload.kind == "around":
            return workload.name != "WA0" and self.name not in ("scalegate", "scalegate-apart")
        return workload.name in ("C", "Z") and not self.ours

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in NODES:
            raise Unavailable("it has no query for this workload")
        if self.ours and self.host.jar is None:
            raise Unavailable(
                "target/ holds no scalegate-spark jar; `sbt spark/oneJar` builds it"
            )
        if self.name in AROUND and workload.kind != "around":
            raise Unavailable("it has no other query for this workload")
        if self.name in OPERATORS and workload.kind != "self":
            raise Unavailable("it is for inputs that are joined with themselves")
        if self.name == "spark-abs" and workload.kind == "self":
            raise Unavailable("every pair of so many rows takes hours")
        if isinstance(workload, AroundSet):
            several = len(workload.windows_ms) > 1
            if self.name == ("scalegate-pairs" if several else "scalegate-apart"):
                raise Unavailable("it has no query for so many windows")
            self.require_feasible(workload)
        if self.name == "spark-bins" and workload.kind not in ("band", "keyed", "self"):
            raise Unavailable("it has no query for this workload")
        if self.name == "spark-bins" and workload.kind == "keyed":
            raise Unavailable("with an equal key there is nothing to put into bins")
        if self.name == "spark-abs" and workload.kind == "interval" and workload.rows > 100_000:
            raise Unavailable("every pair of so many rows takes hours")
        if self.name == "spark-abs" and workload.name == "C":
            raise Unavailable("every pair of 1.2 million by 1.2 million rows takes hours")
        if self.name == "spark-abs" and workload.kind == "asof" and workload.rows > 100_000:
            raise Unavailable("it reads a key's rows again for each left row, which takes hours")
        session = self.host.start()
        for view in streams_of(workload):
            session.read.parquet(str(data / f"{view}.parquet")).createOrReplaceTempView(view)
        if isinstance(workload, SelfSet):
            session.sql(SELF).createOrReplaceTempView("S")
        if isinstance(workload, AroundSet):
            self.sql = AROUND.get(self.name, lateral)(workload)
        elif isinstance(workload, AsOfSet):
            self.sql = spark_asof(workload)
        elif isinstance(workload, WindowSet):
            self.sql = spark_windows(workload)
        elif self.name == "spark-bins":
            self.sql = spark_bins(workload)
        elif self.name in OPERATORS:
            self.sql = by_operator(workload, *OPERATORS[self.name])
        else:
            self.sql = joined(workload, abs_condition(workload))
        self.check_plan("WindowJoin" if self.name == "scalegate-pairs" else NODES[workload.kind])

    def require_feasible(self, workload: AroundSet) -> None:
        """Spark meets all rows of a key with each other; its frames are added up row by row."""
        least = {"spark-abs": 0, "spark-frames": 1, "scalegate-pairs": 10}.get(self.name, 100)
        if workload.rows > 100_000 and max(workload.windows_ms) > least * 1_000:
            raise Unavailable("it would take hours")

    def check_plan(self, node: str) -> None:
        """A time is worth nothing when the plan is not the one that the arm is named after."""
        plan = self.frame()._jdf.queryExecution().executedPlan().toString()
        if self.ours != (node in plan):
            held = "no" if self.ours else "a"
            raise Unavailable(f"its plan holds {held} {node} node:\n{plan}")
        once = self.name in OPERATORS and not OPERATORS[self.name][1]
        if once != ("over one input" in plan):
            raise Unavailable(f"it reads its input as often as it should not:\n{plan}")

    def frame(self) -> Any:
        session = self.host.start()
        session.conf.set(SWITCH, str(self.ours).lower())
        return session.sql(self.sql)

    def query(self) -> Rows:
        count, checksum = self.frame().collect()[0]
        return Rows(count, checksum)

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        return timed(self.name, self.settings.threads, workload, self.query)

    def versions(self) -> dict[str, str]:
        return self.host.versions()

    def close(self) -> None:
        self.host.stop()


def arms(settings: Settings) -> list[Arm]:
    host = Host(settings)
    names = ("spark-abs", "spark-bins", *AROUND, *OPERATORS, "scalegate")
    return [Spark(settings, host, name) for name in names]
