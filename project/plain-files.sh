#!/usr/bin/env bash
# Compiles the local file system of the tests for those that sbt does not compile for. Usage: plain-files.sh SOURCE JAR
set -euo pipefail
cd "$(dirname "$0")/.."
JARS=$(.build/venv/bin/python -c 'import os, pyspark; print(os.path.join(os.path.dirname(pyspark.__file__), "jars"))')
CLASSES=$(mktemp -d)
trap 'rm -rf "$CLASSES"' EXIT
javac --release 17 -nowarn -d "$CLASSES" -cp "$JARS/*" "$1"
jar --create --file "$2" -C "$CLASSES" .
