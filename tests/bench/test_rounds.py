"""Rows decide before times: what a wrong, a broken, an absent and a slow arm lead to."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from joinbench.arm import Arm, Sample, Unavailable
from joinbench.checksum import Rows
from joinbench.datasets import SETS, Workload
from joinbench.rounds import NOT_HASHED, Outcome, Plan, Session, difference, measurements

WORKLOAD = replace(SETS["A0"], results=10, checksum=None)
RIGHT = Rows(10, 99)
PLAN = Plan(runs=3, warmups=1, slow=False, references=("plain",))


class Scripted(Arm):
    """Gives the rows of its script, the last of them for ever, and notes when it was called."""

    def __init__(self, name: str, script: Sequence[Rows | Exception], log: list[str]) -> None:
        self.name = name
        self.script = list(script)
        self.log = log

    def prepare(self, workload: Workload, data: Path) -> None:
        if isinstance(self.script[0], Unavailable):
            raise self.script[0]

    def run(self, workload: Workload, data: Path) -> list[Sample]:
        self.log.append(self.name)
        rows = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(rows, Exception):
            raise rows
        return [Sample(self.name, "engine", 0.5, 2, rows)]


def race(*arms: Arm, plan: Plan = PLAN) -> Outcome:
    return Session(WORKLOAD, Path(), lambda _: None).run(arms, plan, lambda: None)


def timed(outcome: Outcome) -> set[str]:
    return {sample.name for sample in outcome.samples}


def test_arms_take_turns_and_the_reference_warms_up_first() -> None:
    log: list[str] = []
    race(Scripted("ours", [RIGHT], log), Scripted("plain", [RIGHT], log))
    assert log == ["plain", "ours", *["ours", "plain"] * 3]


def test_a_quick_arm_warms_up_for_as_long_as_asked() -> None:
    log: list[str] = []
    race(Scripted("plain", [RIGHT], log), plan=replace(PLAN, warm_seconds=0.02))
    assert len(log) > 10


def test_another_checksum_than_the_reference_fails_the_arm() -> None:
    outcome = race(Scripted("ours", [Rows(10, 98)], []), Scripted("plain", [RIGHT], []))
    assert [f["arm"] for f in outcome.failed] == ["ours"]
    assert "checksum 98 instead of 99" in outcome.failed[0]["reason"]
    assert timed(outcome) == {"plain"}


def test_another_count_than_declared_fails_the_arm() -> None:
    outcome = race(Scripted("ours", [Rows(9, 99)], []))
    assert "9 rows instead of 10" in outcome.failed[0]["reason"]


def test_a_mismatch_in_a_later_round_takes_back_the_earlier_times() -> None:
    script = [RIGHT, RIGHT, Rows(10, 1)]
    log: list[str] = []
    outcome = race(Scripted("plain", [RIGHT], []), Scripted("ours", script, log))
    assert [f["arm"] for f in outcome.failed] == ["ours"]
    assert timed(outcome) == {"plain"}
    assert len(log) == 3


def test_an_arm_that_throws_fails_and_the_others_go_on() -> None:
    outcome = race(
        Scripted("broken", [RuntimeError("out of memory")], []), Scripted("plain", [RIGHT], [])
    )
    assert outcome.failed[0]["reason"] == "RuntimeError: out of memory"
    assert len(outcome.samples) == 3


def test_an_arm_that_is_not_available_is_left_out_with_its_reason() -> None:
    outcome = race(Scripted("absent", [Unavailable("there is no g++")], []))
    assert outcome.left_out == [{"arm": "absent", "set": "A0", "reason": "there is no g++"}]
    assert not outcome.failed


def test_slow_arms_run_when_asked_for_and_once() -> None:
    slow = Scripted("slow", [RIGHT], [])
    slow.slow = True
    assert "--slow" in race(slow).left_out[0]["reason"]
    assert len(race(slow, plan=replace(PLAN, slow=True)).samples) == 1


def test_a_program_that_warms_itself_up_runs_in_the_rounds_only() -> None:
    log: list[str] = []
    program = Scripted("program", [RIGHT], log)
    program.warms_itself = True
    assert len(race(program).samples) == len(log) == 3


def test_a_program_that_repeats_itself_runs_once() -> None:
    log: list[str] = []
    program = Scripted("program", [RIGHT], log)
    program.warms_itself = program.repeats_itself = True
    race(program)
    assert log == ["program"]


def test_a_program_that_does_not_hash_is_compared_by_count() -> None:
    assert difference(RIGHT, Rows(10, NOT_HASHED)) is None
    assert difference(RIGHT, Rows(11, NOT_HASHED)) is not None


def test_measurements_keep_every_time_of_an_arm() -> None:
    samples = [Sample("ours", "engine", s, 2, RIGHT) for s in (0.3, 0.1, 0.2)]
    (measured,) = measurements(WORKLOAD, samples)
    assert measured["seconds"] == [0.3, 0.1, 0.2]
    assert measured["rows"] == {"count": 10, "checksum": 99}
