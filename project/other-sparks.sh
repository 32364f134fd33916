#!/usr/bin/env bash
# Runs the jar on other releases of Spark: other-sparks.sh JAR VERSION... Each is fetched once, some 450 MB, into
# .build/sparks. On another minor than the one that the jar is built for, it must leave Spark as it is.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
JAR=$(realpath "$1")
shift
PY=.build/venv/bin/python
BUILT_FOR=$(sed -n 's/^ *val spark = "\(.*\)"/\1/p' project/Versions.scala)

for VERSION in "$@"; do
  HOME_OF=.build/sparks/$VERSION
  if [ ! -e "$HOME_OF.done" ]; then
    echo "other-sparks: PySpark $VERSION into $HOME_OF"
    rm -rf "$HOME_OF"
    $PY -m pip install --quiet --no-cache-dir --target "$HOME_OF" "pyspark==$VERSION"
    touch "$HOME_OF.done"
  fi
  LOG=.build/sparks/$VERSION.log
  PYTHONPATH=$HOME_OF $PY tests/python/other_spark.py "$JAR" "$BUILT_FOR" 2>"$LOG" || {
    cat "$LOG"
    exit 1
  }
done
