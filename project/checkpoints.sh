#!/usr/bin/env bash
# Writes the checkpoints of this version that later ones have to go on with, on one minor of Spark, as 4.1, with its
# PySpark and its jar: those of `make jars`. Usage: checkpoints.sh MINOR
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
RELEASE=$(release_of "$1")
[ -n "$RELEASE" ] || fail "there is no Spark $1 in project/Versions.scala: name one of its minors."
echo "checkpoints: Spark $RELEASE"
PYTHONPATH=".build/pyspark/$RELEASE:python" .build/venv/bin/python tests/python/old_checkpoint.py \
  2>".build/checkpoints-$1.log" || { cat ".build/checkpoints-$1.log"; exit 1; }
