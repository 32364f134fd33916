"""Times join engines against each other on the same generated streams.

Rows are compared before any time is reported. A new engine is one module in `joinbench.arms`.
"""

from pathlib import Path

BENCH = Path(__file__).parents[2]
"""The folder of the benchmark: this harness, its results and the programs that it starts."""
ROOT = Path(__file__).parents[3]
HERE = BENCH.relative_to(ROOT).as_posix()
"""The benchmark's folder, as it is written on a page."""
