"""Runs the arms: rows first, then times, one arm after the other in rounds.

Rounds (A B C, A B C, …) rather than blocks (A A A, B B B, …) let whatever else the machine is
doing fall on all arms alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joinbench.arm import Arm, Sample, Unavailable
from joinbench.checksum import Rows
from joinbench.datasets import Workload

NOT_HASHED = -1
COMPARED = ("engine", "stream", "trigger", "kernel")
"""The families whose samples join one data set; programs of the others compare their own rows."""
DECLARED = ("engine", "stream", "trigger")
"""The families whose checksum is the one that the set declares; a loop's covers other columns."""


@dataclass
class Outcome:
    """What became of one set: samples in the order they were taken, what is missing and why."""

    samples: list[Sample] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)


def difference(expected: Rows, found: Rows) -> str | None:
    """Why two engines' rows are not the same, or None. A program that does not hash says so."""
    if expected.count != found.count:
        return f"{found.count:,} rows instead of {expected.count:,}"
    hashed = NOT_HASHED not in (expected.checksum, found.checksum)
    if hashed and expected.checksum != found.checksum:
        return f"checksum {found.checksum} instead of {expected.checksum}"
    return None


class Referee:
    """Holds the rows that decide: the declared ones, and per family the first checksum seen where
    the set declares none.
    """

    def __init__(self, workload: Workload) -> None:
        self.results = workload.results
        self.decided: dict[str, Rows] = {}
        if workload.checksum is not None:
            declared = Rows(workload.results, workload.checksum)
            self.decided = dict.fromkeys(DECLARED, declared)

    def judge(self, sample: Sample) -> str | None:
        """What is wrong with a sample, or None."""
        if sample.rows is None or sample.family not in COMPARED:
            return None
        expected = self.decided.get(sample.family, Rows(self.results, NOT_HASHED))
        wrong = difference(expected, sample.rows)
        if wrong is None and expected.checksum == NOT_HASHED:
            self.decided[sample.family] = sample.rows
        return wrong


@dataclass(frozen=True)
class Plan:
    runs: int
    warmups: int
    """Untimed runs of every arm before the first round, at the least. A slow arm gets none: start
    it after a smaller set, which warms its JVM.
    """
    slow: bool
    """Whether arms that take minutes take part."""
    references: tuple[str, ...]
    """Arms that warm up first, so that their rows decide."""
    warm_seconds: float = 0.0
    """How long every arm warms up, at the least: a quick arm then runs more often before it is
    timed, so that its code is as compiled as a slow arm's.
    """

    def decides(self, arm: Arm) -> int:
        """The arm's place among those that warm up."""
        names = (*self.references, arm.name)
        return names.index(arm.name)


def entry(arm: Arm, workload: Workload, reason: object) -> dict[str, str]:
    return {"arm": arm.name, "set": workload.name, "reason": str(reason)}


class Session:
    """One set, from warm-up to the last round. An arm that fails once takes no further part."""

    def __init__(self, workload: Workload, data: Path, say: Callable[[str], None]) -> None:
        self.workload = workload
        self.data = data
        self.say = say
        self.referee = Referee(workload)
        self.outcome = Outcome()

    def fail(self, arm: Arm, reason: object) -> None:
        self.outcome.failed.append(entry(arm, self.workload, reason))
        self.say(f"FAILED {arm.name} on {self.workload.name}: {reason}")

    def admit(self, arm: Arm, plan: Plan) -> bool:
        if arm.is_slow(self.workload) and not plan.slow:
            self.outcome.left_out.append(
                entry(arm, self.workload, "it takes minutes on this set; --slow includes it")
            )
            return False
        try:
            arm.prepare(self.workload, self.data)
        except Unavailable as reason:
            self.outcome.left_out.append(entry(arm, self.workload, reason))
            return False
        except Exception as error:
            self.fail(arm, f"{type(error).__name__}: {error}")
            return False
        return True

    def measure(self, arm: Arm, keep: bool) -> bool:
        """Runs once and compares the rows. False ends the arm and takes back its times."""
        try:
            samples = arm.run(self.workload, self.data)
        except Exception as error:
            return self.discard(arm, f"{type(error).__name__}: {error}")
        wrong = [(s.name, why) for s in samples if (why := self.referee.judge(s)) is not None]
        if wrong:
            return self.discard(arm, "; ".join(f"{name} gave {why}" for name, why in wrong))
        for s in samples:
            note = "" if keep else " (warm-up)"
            self.say(f"{self.workload.name:>4}  {s.name} ×{s.threads}: {s.seconds:.3f} s{note}")
        if keep:
            marked = (Sample(**vars(s) | {"facts": s.facts | {"by": arm.name}}) for s in samples)
            self.outcome.samples.extend(marked)
        return True

    def returns(self, arm: Arm) -> bool:
        """Whether the arm takes part in every round."""
        return not (arm.repeats_itself or arm.is_slow(self.workload))

    def warm(self, arm: Arm, plan: Plan) -> bool:
        if arm.warms_itself or arm.is_slow(self.workload):
            return True
        start, done = time.monotonic(), 0
        while done < plan.warmups or time.monotonic() - start < plan.warm_seconds:
            if not self.measure(arm, keep=False):
                return False
            done += 1
        return True

    def discard(self, arm: Arm, reason: str) -> bool:
        self.fail(arm, reason)
        kept = (s for s in self.outcome.samples if s.facts["by"] != arm.name)
        self.outcome.samples = list(kept)
        return False

    def run(self, arms: Sequence[Arm], plan: Plan, step: Callable[[], None]) -> Outcome:
        first = sorted(arms, key=plan.decides)
        racing = [arm for arm in first if self.admit(arm, plan) and self.warm(arm, plan)]
        racing = [arm for arm in arms if arm in racing]
        step()
        for number in range(plan.runs):
            due = [arm for arm in racing if number == 0 or self.returns(arm)]
            racing = [arm for arm in racing if arm not in due or self.measure(arm, keep=True)]
            step()
        return self.outcome


def measurements(workload: Workload, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Samples of one arm and thread count together, every run's time kept."""
    grouped: dict[tuple[str, str, int], list[Sample]] = {}
    for s in samples:
        grouped.setdefault((s.family, s.name, s.threads), []).append(s)
    return [
        {
            "family": family,
            "arm": name,
            "set": workload.name,
            "threads": threads,
            "rows": None if runs[-1].rows is None else vars(runs[-1].rows),
            "work": runs[-1].work,
            "seconds": [round(s.seconds, 6) for s in runs],
            "facts": {k: v for k, v in runs[-1].facts.items() if k != "by"},
        }
        for (family, name, threads), runs in grouped.items()
    ]
