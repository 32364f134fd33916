#!/usr/bin/env bash
# Tests each minor of Spark that is named, as 4.1, with the jar and the PySpark of that minor.
# Usage: matrix.sh full|smoke MINOR...   (full: Scala's tests, and Python's over Spark Connect, too; smoke: a look by Python's alone)
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
HOW=$1
shift

total() { tail -1 "$1" | tr -d '='; }

STATUS=0
SUMMARY=()
for MINOR in "$@"; do
  RELEASE=$(release_of "$MINOR")
  echo "matrix: Spark $RELEASE"
  LOG=.build/matrix-$MINOR.log
  SCALA=-
  if [ "$HOW" = full ]; then
    project/sbt.sh "spark${MINOR/./}/test" >"$LOG" 2>&1 || STATUS=1
    SCALA=$(sed -n 's/.*Tests: \(succeeded [0-9]*, failed [0-9]*\).*/\1/p' "$LOG" | tr '\n' ';')
    SMOKE=()
  else
    SMOKE=(-m smoke)
  fi
  [ "$HOW" = full ] && OVERS="python connect" || OVERS=python
  for OVER in $OVERS; do
    FLAGS=(${SMOKE[@]+"${SMOKE[@]}"})
    [ "$OVER" = python ] || FLAGS+=(--connect)
    PYTHONPATH=".build/pyspark/$RELEASE:python" .build/venv/bin/python -m pytest -q \
      ${FLAGS[@]+"${FLAGS[@]}"} >"$LOG.$OVER" 2>&1 || STATUS=1
  done
  SUMMARY+=("| $RELEASE | $SCALA | $(total "$LOG.python") | $([ "$HOW" = full ] && total "$LOG.connect" || echo -) |")
done
printf '%s\n' "| Spark | Scala | Python | Python over Connect |" "| --- | --- | --- | --- |" "${SUMMARY[@]}"
[ "$STATUS" = 0 ] || fail "a minor of Spark failed its tests: see .build/matrix-*.log"
