#!/usr/bin/env bash
# Every check and every test, Scala and Python. One start of sbt makes the jar, compiling beside it what else needs the
# core alone, and then does the rest; Python's checks run beside it, and its tests, which need only the jar, their output
# following sbt's. Kafka's jars are fetched, and Spark's classes archived, while sbt makes ours. Closes with both runners'
# totals.
# Usage: test.sh COMMAND...   (sbt's commands after the jar, in order)
# OTHER_SPARKS, as "4.0 4.1", has these minors installed meanwhile, their jars made by the commands, which wait for
# .build/sparks.installed and then make .build/jars.made, and a look at each taken after Python's tests.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
rm -rf jvm/*/target/test-reports .build/jar.made .build/jars.made .build/sparks.installed
touch .build/sbt.begin

install_sparks() {
  local problem=
  project/setup-spark.sh $OTHER_SPARKS || problem="a PySpark could not be installed: see .build/sparks.log"
  echo "$problem" >.build/sparks.part
  mv .build/sparks.part .build/sparks.installed
}
[ -z "${OTHER_SPARKS:-}" ] || install_sparks >.build/sparks.log 2>&1 &

project/sbt.sh "all spark/oneJar operators/Test/compile stress/compile" "touchFile .build/jar.made" "$@" &
SBT=$!

# Waits for a file that sbt makes.
await() {
  until [ -e "$1" ]; do
    kill -0 "$SBT" 2>/dev/null || { echo "pytest: not run, for there is no $2"; return 1; }
    sleep 1
  done
}

test_python() {
  make --no-print-directory check-python || { kill "$SBT"; return 1; }
  make --no-print-directory .build/kafka.stamp .build/spark.jsa
  await .build/jar.made jar || return
  touch -r .build/sbt.begin target/scalegate-spark-"$(version_of spark | cut -d. -f1-2)"_*.jar
  make --no-print-directory test-classic
}

look_at_other_sparks() {
  await .build/jars.made "jar of another Spark" &&
    make --no-print-directory copied-jars &&
    project/matrix.sh smoke $OTHER_SPARKS
}

# The tests of this Spark take two processes; what follows takes one each, so it runs at once.
python_side() {
  local status=0
  test_python || status=1
  [ -e .build/jar.made ] || return 1
  make --no-print-directory test-connect-smoke >.build/connect.log 2>&1 &
  local connect=$!
  [ -z "${OTHER_SPARKS:-}" ] || look_at_other_sparks || status=1
  wait "$connect" || status=1
  cat .build/connect.log
  return "$status"
}
python_side >.build/pytest.log 2>&1 &
PYTHON=$!

STATUS=0
wait "$SBT" || STATUS=1
wait "$PYTHON" || STATUS=1
cat .build/pytest.log
.build/venv/bin/python project/scalatest_summary.py jvm/core/target/test-reports \
  jvm/operators/target/test-reports \
  jvm/spark/target/test-reports || STATUS=1
exit "$STATUS"
