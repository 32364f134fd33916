"""What an arm is: one way of running a workload that is timed beside the others."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joinbench.checksum import Rows
from joinbench.datasets import Workload


@dataclass(frozen=True)
class Settings:
    """What every arm is told about this run."""

    root: Path
    """The repository."""
    work: Path
    """For what is built and cached; not versioned."""
    threads: int
    memory: str
    """Heap of a JVM, as `-Xmx` takes it."""
    quick: bool
    """Only show that everything runs."""
    say: Callable[[str], None]
    batches: int | None = None
    """In how many files a stream comes, one a batch; the default is that of joinbench.streams."""


@dataclass(frozen=True)
class Sample:
    """One timed run. `family` names the table it belongs to, because only like spans compare:
    `engine` from Parquet to counted and checksummed rows, `kernel` the join loop over columns in
    memory, `trigger` what a file waits for its results, `gate` a structure alone; `index`,
    `interval`, `latency`, `aggregate`, `layout` and `cube` are the experiments of the core that
    have a workload of their own.
    """

    name: str
    family: str
    seconds: float
    threads: int
    rows: Rows | None
    work: dict[str, float] = field(default_factory=dict)
    """What was done in that time: `tuples` or `comparisons`."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Anything else that an arm reports, such as allocation per tuple."""


class Unavailable(Exception):
    """The arm cannot run here or on this set; the message is the sentence of the report."""


class Arm(ABC):
    """One arm. `run` is called untimed to warm up, then once per round."""

    name: str
    warms_itself: bool = False
    """Runs in a fresh process each time, so that warming up before the rounds is in vain."""
    repeats_itself: bool = False
    """Returns several samples from one run, and takes part in the first round only."""
    slow: bool = False
    """Takes minutes: runs only when asked for, and once."""

    @abstractmethod
    def prepare(self, workload: Workload, data: Path) -> None:
        """Does what must not be timed, or raises Unavailable."""

    @abstractmethod
    def run(self, workload: Workload, data: Path) -> list[Sample]: ...

    def is_slow(self, workload: Workload) -> bool:
        return self.slow

    def versions(self) -> dict[str, str]:
        return {}

    def close(self) -> None:  # noqa: B027
        """Ends what the arm started."""


def timed(name: str, threads: int, workload: Workload, query: Callable[[], Rows]) -> list[Sample]:
    """One engine run from Parquet to counted and checksummed rows."""
    start = time.perf_counter()
    rows = query()
    seconds = time.perf_counter() - start
    return [Sample(name, "engine", seconds, threads, rows, {"tuples": float(workload.tuples)})]
