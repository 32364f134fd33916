"""Prints the ten slowest suites, each test that failed, and `scalatest: N passed, N failed`.

It reads them in the JUnit XML files that sbt's test runs leave.

Usage: scalatest_summary.py DIRECTORY...   (each holding TEST-*.xml; exits 1 if a test failed or
none ran)
"""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SLOWEST = 10
MESSAGE_CHARACTERS = 600


def count(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped tests of one suite's report."""
    suite = ET.parse(report).getroot()
    total = int(suite.get("tests", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    skipped = int(suite.get("skipped", 0))
    return total - failed - skipped, failed, skipped


def seconds(report: Path) -> tuple[float, str]:
    """The time that one suite took, and its name."""
    suite = ET.parse(report).getroot()
    return float(suite.get("time", 0)), str(suite.get("name"))


def failures(report: Path) -> list[str]:
    """Each failed test of one suite, with the beginning of its message."""
    suite = ET.parse(report).getroot()
    return [
        f"{suite.get('name')}: {case.get('name')}\n"
        f"  {str(problem.get('message'))[:MESSAGE_CHARACTERS]}"
        for case in suite.iter("testcase")
        for problem in case
        if problem.tag in ("failure", "error")
    ]


def main(directories: list[str]) -> int:
    """Prints what is slowest and the totals over all directories, and returns the exit code."""
    reports = [report for d in directories for report in sorted(Path(d).glob("TEST-*.xml"))]
    counts = [count(report) for report in reports]
    passed, failed, skipped = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
    print("scalatest: the slowest suites, of which three of Spark run at once")
    for time, name in sorted(map(seconds, reports), reverse=True)[:SLOWEST]:
        print(f"{time:7.1f} s  {name}")
    for failure in (line for report in reports for line in failures(report)):
        print(f"scalatest: FAILED {failure}")
    print(
        f"scalatest: {passed} passed, {failed} failed"
        + (f", {skipped} skipped" if skipped else "")
    )
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
