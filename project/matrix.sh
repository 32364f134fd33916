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
# Python's tests of a minor, in the session that the flags say.
python_tests() {
  PYTHONPATH=".build/pyspark/$RELEASE:python" .build/venv/bin/python -m pytest -q "${@:2}" >"$1" 2>&1
}

# A look at each, all at once: none needs more than a core.
if [ "$HOW" = smoke ]; then
  LOOKS=()
  for MINOR in "$@"; do
    RELEASE=$(release_of "$MINOR")
    echo "matrix: Spark $RELEASE"
    python_tests ".build/matrix-$MINOR.log.python" -m smoke &
    LOOKS+=("$!")
  done
  for LOOK in "${LOOKS[@]}"; do
    wait "$LOOK" || STATUS=1
  done
fi

for MINOR in "$@"; do
  RELEASE=$(release_of "$MINOR")
  LOG=.build/matrix-$MINOR.log
  SCALA=-
  CONNECT=-
  if [ "$HOW" = full ]; then
    echo "matrix: Spark $RELEASE"
    project/sbt.sh "spark${MINOR/./}/test" >"$LOG" 2>&1 &
    # Where it fails the Kafka tests are skipped, and nothing else.
    [ -d ".build/kafka/$MINOR" ] || project/setup-kafka.sh "$MINOR" || true
    BESIDE=(-n 2 --dist loadfile)
    python_tests "$LOG.python" "${BESIDE[@]}" || STATUS=1
    python_tests "$LOG.connect" "${BESIDE[@]}" --connect || STATUS=1
    wait $! || STATUS=1
    SCALA=$(sed -n 's/.*Tests: \(succeeded [0-9]*, failed [0-9]*\).*/\1/p' "$LOG" | tr '\n' ';')
    CONNECT=$(total "$LOG.connect")
  fi
  SUMMARY+=("| $RELEASE | $SCALA | $(total "$LOG.python") | $CONNECT |")
done
printf '%s\n' "| Spark | Scala | Python | Python over Connect |" "| --- | --- | --- | --- |" "${SUMMARY[@]}"
[ "$STATUS" = 0 ] || fail "a minor of Spark failed its tests: see .build/matrix-*.log"
