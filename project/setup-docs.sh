#!/usr/bin/env bash
# Makes .build/docs-venv, with which the site is built and its notebooks are run.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_python
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "the site is built with Python 3.11 or later, and this is $("$PYTHON" --version): set PYTHON to another."
VENV=$ROOT/.build/docs-venv

echo "set-up: virtual environment for the site in .build/docs-venv"
rm -rf "$VENV"
"$PYTHON" -m venv "$VENV"
"$VENV/bin/python" -m pip --disable-pip-version-check install --quiet \
  --requirement "$ROOT/python/requirements-docs.txt"
