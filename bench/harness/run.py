#!/usr/bin/env python3
"""The one benchmark of this project, which `make bench` runs; `--help` says what it takes."""

import sys

from joinbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
