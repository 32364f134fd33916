#!/usr/bin/env bash
# Everything that needs sbt in one start of it: format and lint checks, the jar, scalatest, and a quick
# run of jcstress; closes with scalatest's totals, read from its reports.
# Usage: test-scala.sh COMMAND...   (the sbt commands, in order)
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
rm -rf jvm/core/target/test-reports jvm/spark/target/test-reports
STATUS=0
project/sbt.sh "$@" || STATUS=$?
.build/venv/bin/python project/scalatest_summary.py jvm/core/target/test-reports \
  jvm/spark/target/test-reports || STATUS=1
exit "$STATUS"
