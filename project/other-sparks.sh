#!/usr/bin/env bash
# Runs each minor's jar on the Spark of each minor that is named, as 4.1: on its own it plans joins, on another it must
# leave Spark as it is. The jars are those of `make jars`. Usage: other-sparks.sh VERSION MINOR...
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
VERSION=$1
shift

for MINOR in "$@"; do
  RELEASE=$(release_of "$MINOR")
  for BUILT_FOR in "$@"; do
    JAR=target/scalegate-spark-${BUILT_FOR}_2.13-$VERSION.jar
    LOG=.build/other-spark-$MINOR-$BUILT_FOR.log
    echo -n "the jar for Spark $BUILT_FOR on "
    PYTHONPATH=.build/pyspark/$RELEASE .build/venv/bin/python tests/python/other_spark.py \
      "$JAR" "$BUILT_FOR" 2>"$LOG" || {
      cat "$LOG"
      exit 1
    }
  done
done
