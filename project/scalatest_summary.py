"""Prints the ten slowest suites, and `scalatest: N passed, N failed`.

It reads them in the JUnit XML files that sbt's test runs leave.

Usage: scalatest_summary.py DIRECTORY...   (each holding TEST-*.xml; exits 1 if a test failed or
none ran)
"""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SLOWEST = 10


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


def main(directories: list[str]) -> int:
    """Prints what is slowest and the totals over all directories, and returns the exit code."""
    reports = [report for d in directories for report in sorted(Path(d).glob("TEST-*.xml"))]
    counts = [count(report) for report in reports]
    passed, failed, skipped = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
    print("scalatest: the slowest suites, of which three of Spark run at once")
    for time, name in sorted(map(seconds, reports), reverse=True)[:SLOWEST]:
        print(f"{time:7.1f} s  {name}")
    print(
        f"scalatest: {passed} passed, {failed} failed"
        + (f", {skipped} skipped" if skipped else "")
    )
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
