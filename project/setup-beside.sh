#!/usr/bin/env bash
# Fetches, with the Ivy that ships inside PySpark, the jars of other extensions of Spark into .build/beside/NAME-MINOR.
# Those that cannot be fetched are left out, and their tests are skipped.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
TARGET=$ROOT/.build/beside
PYSPARK=$("$ROOT/.build/venv/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])')
mkdir -p "$TARGET"

for NAME in $(sed -n 's/.*<conf name="\(.*\)".*/\1/p' "$ROOT/project/beside-ivy.xml"); do
  [ -d "$TARGET/$NAME" ] && continue
  echo "set-up: jars of $NAME in .build/beside (a download of 15 to 110 MB the first time)"
  rm -rf "$TARGET/$NAME.part"
  if "$JAVA" -jar "$PYSPARK"/jars/ivy-*.jar -ivy "$ROOT/project/beside-ivy.xml" -confs "$NAME" \
    -retrieve "$TARGET/$NAME.part/[artifact]-[revision](-[classifier]).[ext]" \
    >"$TARGET/$NAME.log" 2>&1; then
    mv "$TARGET/$NAME.part" "$TARGET/$NAME"
  else
    echo "set-up: $NAME could not be fetched: see .build/beside/$NAME.log" >&2
  fi
done
