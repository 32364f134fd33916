"""The harness is a program, not a package: its tests reach it where it lies."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "harness"))
