#!/usr/bin/env bash
# Fetches the sbt launcher with the Ivy that ships inside PySpark, for machines with no sbt on the PATH.
# It lands in .build/sbt and is used by project/sbt.sh.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
VERSION=$(sed -n 's/^sbt.version=//p' "$ROOT/project/build.properties")
LAUNCHER=$ROOT/.build/sbt/sbt-launch-$VERSION.jar
if command -v sbt >/dev/null 2>&1 || [ -f "$LAUNCHER" ]; then
  exit 0
fi
echo "set-up: sbt launcher $VERSION in .build/sbt"
PYSPARK=$("$ROOT/.build/venv/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])')
LOG=$ROOT/.build/ivy.log
"$JAVA" -jar "$PYSPARK"/jars/ivy-*.jar -dependency org.scala-sbt sbt-launch "$VERSION" \
  -confs master -retrieve "$ROOT/.build/sbt/[artifact]-[revision](-[classifier]).[ext]" >"$LOG" 2>&1 ||
  { cat "$LOG" >&2; fail "the sbt launcher $VERSION could not be fetched (see above)."; }
[ -f "$LAUNCHER" ] || { cat "$LOG" >&2; fail "Ivy left no $LAUNCHER (see above)."; }
