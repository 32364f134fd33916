#!/usr/bin/env bash
# Every test, Scala and Python. One start of sbt makes the jar, compiling beside it what else needs the core alone,
# and then does the rest; Python's tests need only the jar and run beside it, their output following sbt's. Kafka's jars are
# fetched, and Spark's classes archived, while sbt makes ours. Closes with both runners' totals.
# Usage: test.sh COMMAND...   (sbt's commands after the jar, in order)
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
rm -rf jvm/*/target/test-reports .build/jar.made
touch .build/sbt.begin

project/sbt.sh "all spark/oneJar operators/Test/compile stress/compile" markJar "$@" &
SBT=$!

test_python() {
  make --no-print-directory .build/kafka.stamp .build/spark.jsa
  until [ -e .build/jar.made ]; do
    kill -0 "$SBT" 2>/dev/null || { echo "pytest: not run, for there is no jar"; return 1; }
    sleep 1
  done
  touch -r .build/sbt.begin target/scalegate-spark-"$(version_of spark | cut -d. -f1-2)"_*.jar
  make --no-print-directory test-python
}
test_python >.build/pytest.log 2>&1 &
PYTHON=$!

STATUS=0
wait "$SBT" || STATUS=1
wait "$PYTHON" || STATUS=1
cat .build/pytest.log
.build/venv/bin/python project/scalatest_summary.py jvm/core/target/test-reports \
  jvm/operators/target/test-reports \
  jvm/spark/target/test-reports || STATUS=1
exit "$STATUS"
