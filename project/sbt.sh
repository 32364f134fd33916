#!/usr/bin/env bash
# Runs sbt with the given commands: the sbt on the PATH, else the launcher that setup-sbt.sh fetched,
# with the JVM options of .jvmopts (an installed sbt reads that file itself). SBT_PROJECT names the folder of another
# build than this one.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
VERSION=$(sed -n 's/^sbt.version=//p' "$ROOT/project/build.properties")
LAUNCHER=$ROOT/.build/sbt/sbt-launch-$VERSION.jar
cd "${SBT_PROJECT:-$ROOT}"
OPTIONS=(-Dsbt.color=false -Dsbt.supershell=false)
if command -v sbt >/dev/null 2>&1; then
  exec sbt "${OPTIONS[@]}" "$@" </dev/null
fi
[ -f "$LAUNCHER" ] || "$ROOT/project/setup-sbt.sh"
mapfile -t JVM_OPTIONS <"$ROOT/.jvmopts"
exec "$JAVA" "${JVM_OPTIONS[@]}" "${OPTIONS[@]}" -jar "$LAUNCHER" "$@" </dev/null
