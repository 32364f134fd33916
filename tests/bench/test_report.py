"""The page of a result file says what the file says, and nothing else."""

from typing import Any

import pytest
from joinbench import cli, report
from joinbench.arms.jvm import samples
from joinbench.checksum import Rows
from joinbench.datasets import SETS
from joinbench.rounds import NOT_HASHED

Measured = dict[str, Any]


def measured(
    arm: str, family: str, seconds: list[float], threads: int = 2, **work: float
) -> Measured:
    where = {"family": family, "arm": arm, "set": "A", "threads": threads}
    return where | {"rows": None, "work": work, "seconds": seconds, "facts": {}}


def result() -> report.Result:
    gate = [
        measured("ScaleGate 2×1", "gate", [0.1, 0.2, 0.3], 1, tuples=1e6) | {"set": "gate"},
        measured("SkipListMap 2×1", "gate", [0.4], 1, tuples=1e6)
        | {"set": "gate", "facts": {"bytes per tuple": 48.0}},
    ]
    return {
        "machine": {
            "cpu": "Abacus",
            "cores": 2,
            "memory_gib": 8.0,
            "os": "OS",
            "load_at_start": 0,
        },
        "versions": {"Spark": "4.2.0"},
        "commit": "0123456789abcdef",
        "dirty": True,
        "started": "2026-01-01T00:00:00+00:00",
        "command": "run.py --sets A",
        "settings": {"threads": 2, "memory": "3g", "runs": 3},
        "sets": {"A": vars(SETS["A"]), "gate": vars(SETS["gate"])},
        "measurements": [
            measured("spark-abs", "engine", [20.0, 16.0, 18.0], tuples=120_000),
            measured("scalegate", "engine", [0.5, 0.6, 0.4], tuples=120_000),
            measured("cpp-nl", "kernel", [0.2], 1, comparisons=2e9),
            measured("cpp-nl", "kernel", [0.1], 2, comparisons=2e9),
            measured("core", "kernel", [0.2], 2, comparisons=2e9),
            *gate,
        ],
        "left_out": [
            {"arm": "polars-bins", "set": "A", "reason": "not installed"},
            {"arm": "core-gate", "set": "A", "reason": "it has no program for this workload"},
        ],
        "failed": [{"arm": "duckdb-abs", "set": "A", "reason": "4 rows instead of 5\nmore"}],
    }


@pytest.fixture
def page() -> str:
    return report.page("joins", result())


def line(page: str, start: str) -> list[str]:
    found = next(text for text in page.splitlines() if text.startswith(f"| {start} |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_an_engine_line_holds_median_spread_runs_rate_and_ratio(page: str) -> None:
    assert line(page, "scalegate") == ["scalegate", "0.5", "0.4", "0.6", "3", "240,000", "36×"]


def test_a_reference_that_did_not_run_has_no_column(page: str) -> None:
    assert "vs spark-abs" in page
    assert "vs spark-bins" not in page


def test_a_loop_is_compared_with_the_kernel_of_as_many_threads(page: str) -> None:
    rows = [text for text in page.splitlines() if text.startswith(("| cpp-nl |", "| core |"))]
    assert [row.split("|")[8:10] for row in rows] == [
        [" 1× ", "  "],
        [" 1× ", " 2× "],
        [" 0.5× ", "  "],
    ]


def test_a_gate_is_compared_with_the_skip_list_of_its_shape(page: str) -> None:
    gate = line(page, "ScaleGate 2×1")
    assert gate[1:6] == ["5.00e6", "3.33e6", "1.00e7", "3", "2×"]
    assert line(page, "SkipListMap 2×1")[-1] == "bytes per tuple 48"


def test_a_trigger_line_sets_median_and_p95_beside_sparks() -> None:
    shown = report.triggers(
        [
            measured("scalegate", "trigger", [0.5, 1.0, 1.5]),
            measured("spark", "trigger", [1.0, 2.0, 4.0]) | {"facts": {"longest batch s": 3.0}},
        ]
    )
    assert line(shown, "arm")[2:7] == [
        "median s",
        "p95 s",
        "max s",
        "median vs spark",
        "p95 vs spark",
    ]
    assert line(shown, "scalegate") == ["scalegate", "3", "1", "1.45", "1.5", "2×", "2.62×", ""]
    assert line(shown, "spark")[5:] == ["1×", "1×", "longest batch s 3"]


def test_live_joins_stand_by_load_and_say_when_they_cannot_hold_it() -> None:
    def live(engine: str, load: int, p50: float) -> Measured:
        told = dict.fromkeys(("p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"), p50)
        facts = {"engine": engine, "query": "band", "load": load, "results": 1000} | told
        return measured(f"{engine} {load}", "live", [12.0]) | {"facts": facts}

    shown = report.lives([live("a", 4000, 9000.0), live("b", 2000, 2.0), live("a", 2000, 1.5)])
    assert [row.split("|")[1:3] for row in shown.splitlines() if row.startswith("| ")][1:] == [
        [" --- ", " ---: "],
        [" 2,000/s ", " a "],
        [" 2,000/s ", " b "],
        [" 4,000/s ", " a "],
    ]
    assert line(shown, "4,000/s")[2:] == ["1,000", *["behind"] * 5]
    assert line(shown, "2,000/s")[2:] == ["1,000", *["1.5"] * 5]


def test_a_set_of_windows_says_how_long_they_are_and_what_is_computed() -> None:
    heading = report.set_heading("W2", vars(SETS["W2"]))
    assert "window 30 s, every 3 s; count and avg of 40,000 keys, 1,702,517 result" in heading


def test_what_is_missing_is_listed_with_its_reason(page: str) -> None:
    assert "- `duckdb-abs` failed: 4 rows instead of 5." in page
    assert "- `polars-bins` left out: not installed." in page
    assert "no program for this workload" not in page


def test_the_page_names_its_source_and_where_the_numbers_come_from(page: str) -> None:
    for part in (
        "results/joins.json",
        "Abacus",
        "0123456789ab",
        "uncommitted",
        "run.py --sets A",
    ):
        assert part in page


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.01234, "0.0123"), (12.34, "12.3"), (1234.0, "1,230"), (1.5e7, "1.50e7"), (0, "0")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert report.number(value) == text


def test_a_command_line_is_reported_without_folders_of_the_machine() -> None:
    assert cli.command_line(["--out", "/secret/place"]).endswith("run.py --out place")


def test_a_jvm_program_may_print_one_run_or_several() -> None:
    one = '{"arm": "core-nl", "threads": 2, "seconds": 0.5, "matches": 7, "comparisons": 100}'
    (single,) = samples("kernel", SETS["A"], one)
    assert (single.name, single.threads, single.seconds) == ("core-nl", 2, 0.5)
    assert single.rows == Rows(7, NOT_HASHED)
    assert single.work == {"tuples": 120_000, "comparisons": 100}
    gate = '{"gate": "G", "sources": 2, "readers": 1, "tuples": 10, "tuples_per_second": [5, 20]}'
    assert [s.seconds for s in samples("gate", SETS["gate"], gate)] == [2.0, 0.5]


def test_the_skew_of_a_jvm_program_is_the_deviation_of_its_threads_shares() -> None:
    line = '{"arm": "core-nl", "threads": 2, "seconds": [1], "comparisons_by_thread": [49, 51]}'
    (only,) = samples("kernel", SETS["A"], line)
    assert only.facts == {"skew %": 1.0}


def test_a_jvm_line_without_a_time_is_an_error() -> None:
    with pytest.raises(KeyError):
        samples("kernel", SETS["A"], '{"arm": "core-nl"}')
