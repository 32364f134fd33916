#!/usr/bin/env bash
# Installs the PySpark of each minor of Spark that is named, as 4.1, into .build/pyspark: the build compiles against the
# jars within it, and Python's tests of that minor run with it. A download of 450 MB each, the first time.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
PIP=("$ROOT/.build/venv/bin/python" -m pip --disable-pip-version-check)

for MINOR in "$@"; do
  RELEASE=$(release_of "$MINOR")
  [ -n "$RELEASE" ] || fail "there is no Spark $MINOR in project/Versions.scala: name one of its minors."
  TARGET=$ROOT/.build/pyspark/$RELEASE
  [ -d "$TARGET/pyspark/jars" ] && continue
  echo "set-up: PySpark $RELEASE in .build/pyspark (a download of 450 MB the first time)"
  rm -rf "$TARGET.part" && mkdir -p "$TARGET.part"
  "${PIP[@]}" install --quiet --no-build-isolation --target "$TARGET.part" "pyspark==$RELEASE"
  mv "$TARGET.part" "$TARGET"
done
