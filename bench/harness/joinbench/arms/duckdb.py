"""DuckDB in process: the join as first written, and in the order of predicates that suits it; its
own as-of join; windows as rows that are repeated; and rows around rows as frames.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Settings, Unavailable, timed
from joinbench.checksum import Rows
from joinbench.datasets import AroundSet, AsOfSet, WindowSet, Workload
from joinbench.queries import (
    abs_condition,
    duckdb_asof,
    frames,
    joined,
    lateral,
    ordered_condition,
    streams_of,
    unnested_windows,
)


class DuckDb(Arm):
    def __init__(self, settings: Settings, name: str, ordered: bool) -> None:
        self.name = name
        self.settings = settings
        self.ordered = ordered
        self.framed = name == "duckdb-frames"
        self.connection: Any = None
        self.sql = ""

    def is_slow(self, workload: Workload) -> bool:
        if workload.kind == "band":
            return workload.name == "C" or (workload.name == "B" and not self.ordered)
        return workload.name in ("Z", "WA1") and not self.framed

    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind not in ("band", "keyed", "window", "asof", "around", "interval"):
            raise Unavailable("it has no query for this workload")
        if self.framed and workload.kind != "around":
            raise Unavailable("it has no other query for this workload")
        if workload.name == "OVK":
            raise Unavailable("it meets all rows of a key, and had not ended after four minutes")
        if workload.name in ("WA3", "WA10", "WA100") and not self.framed:
            raise Unavailable("it makes every pair, which takes hours")
        if workload.kind not in ("band", "keyed") and self.ordered:
            raise Unavailable("it has no other query for this workload")
        if workload.kind == "keyed" and self.ordered:
            raise Unavailable("an equal key is hashed first whatever the order")
        if workload.name == "C" and not self.ordered:
            raise Unavailable("every pair of 1.2 million by 1.2 million rows takes hours")
        import duckdb

        if self.connection is None:
            self.connection = duckdb.connect()
            self.connection.execute(f"SET threads = {self.settings.threads}")
        for view in streams_of(workload):
            files = str(data / f"{view}.parquet" / "*.parquet").replace("'", "''")
            self.connection.execute(
                f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM read_parquet('{files}')"
            )
        condition = ordered_condition if self.ordered else abs_condition
        if isinstance(workload, AroundSet):
            self.sql = frames(workload) if self.framed else lateral(workload)
        elif isinstance(workload, AsOfSet):
            self.sql = duckdb_asof(workload)
        elif isinstance(workload, WindowSet):
            self.sql = unnested_windows(workload)
        else:
            self.sql = joined(workload, condition(workload))

    def query(self) -> Rows:
        count, checksum = self.connection.execute(self.sql).fetchone()
        return Rows(count, checksum)

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        return timed(self.name, self.settings.threads, workload, self.query)

    def versions(self) -> dict[str, str]:
        import duckdb

        return {"DuckDB": duckdb.__version__}

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


def arms(settings: Settings) -> list[Arm]:
    return [
        DuckDb(settings, "duckdb-abs", ordered=False),
        DuckDb(settings, "duckdb-ordered", ordered=True),
        DuckDb(settings, "duckdb-frames", ordered=False),
    ]
