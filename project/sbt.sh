#!/usr/bin/env bash
# Runs sbt with the given commands: the sbt on the PATH, else the launcher that setup-sbt.sh fetched,
# with the JVM options of .jvmopts (an installed sbt reads that file itself).
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
cd "$ROOT"
OPTIONS=(-Dsbt.color=false -Dsbt.supershell=false)
if command -v sbt >/dev/null 2>&1; then
  exec sbt "${OPTIONS[@]}" "$@" </dev/null
fi
VERSION=$(sed -n 's/^sbt.version=//p' project/build.properties)
[ -f ".build/sbt/sbt-launch-$VERSION.jar" ] || project/setup-sbt.sh
mapfile -t JVM_OPTIONS <.jvmopts
exec "$JAVA" "${JVM_OPTIONS[@]}" "${OPTIONS[@]}" -jar ".build/sbt/sbt-launch-$VERSION.jar" "$@" \
  </dev/null
