#!/usr/bin/env bash
# Makes .build/venv (Python with every pinned requirement) and .build/wheelhouse (PySpark and what it
# needs as wheels, from which the packaging test installs with no index).
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
find_python
BUILD=$ROOT/.build
VENV=$BUILD/venv
SPARK=$(version_of spark)

echo "set-up: virtual environment ($("$PYTHON" --version)) in .build/venv"
rm -rf "$VENV"
"$PYTHON" -m venv "$VENV"
PIP=("$VENV/bin/python" -m pip --disable-pip-version-check)

echo "set-up: wheelhouse with PySpark $SPARK (a download of 450 MB the first time)"
mkdir -p "$BUILD/wheelhouse"
"${PIP[@]}" install --quiet --requirement "$ROOT/python/requirements-build.txt"
"${PIP[@]}" wheel --quiet --wheel-dir "$BUILD/wheelhouse" --find-links "$BUILD/wheelhouse" \
  --constraint "$ROOT/python/requirements-dev.txt" "pyspark==$SPARK"

echo "set-up: pinned requirements"
"${PIP[@]}" install --quiet --no-build-isolation --find-links "$BUILD/wheelhouse" \
  "pyspark==$SPARK" --requirement "$ROOT/python/requirements-dev.txt"

# Where the build looks for the jars of a release.
mkdir -p "$BUILD/pyspark/$SPARK"
ln -sfn "$("$VENV/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])')" \
  "$BUILD/pyspark/$SPARK/pyspark"
