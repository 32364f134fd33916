#!/usr/bin/env bash
# Checks what a release publishes, after it was made, and writes the wheel's bill of materials beside those of Maven's
# artifacts. With a tag, as v0.1.0, it has to be the version's, and the changelog has to have the version's date.
# Usage: release-check.sh TAG WHEEL STAGED
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT"
. project/env.sh
TAG=$1
WHEEL=$2
STAGED=$3
BIN=.build/release/bin
VERSION=$(version_of project)

if [ -n "$TAG" ]; then
  [ "$TAG" = "v$VERSION" ] ||
    fail "the tag is $TAG, but project/Versions.scala says $VERSION: raise that, or tag v$VERSION."
  grep -Eq "^## \[${VERSION//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
    fail "CHANGELOG.md has no heading '## [$VERSION] - YYYY-MM-DD': give Unreleased that name."
fi

"$BIN/twine" check --strict "$WHEEL"

# What pip would install with the wheel, from the wheelhouse, as exact versions.
SBOM=dist/sbom
rm -rf "$SBOM" && mkdir -p "$SBOM"
.build/venv/bin/python -m pip install --quiet --dry-run --ignore-installed --no-index \
  --find-links .build/wheelhouse --report "$SBOM/report.json" "$WHEEL"
.build/venv/bin/python - "$SBOM/report.json" <<'PY' >"$SBOM/requirements.txt"
import json, pathlib, sys
for found in json.loads(pathlib.Path(sys.argv[1]).read_text())["install"]:
    print(f"{found['metadata']['name']}=={found['metadata']['version']}")
PY
"$BIN/cyclonedx-py" requirements --output-reproducible --validate --output-format JSON \
  --output-file "$SBOM/scalegate.cdx.json" "$SBOM/requirements.txt"
rm "$SBOM/report.json" "$SBOM/requirements.txt"
find "$STAGED" -name '*-cyclonedx.json' -exec cp {} "$SBOM" \;
echo "release-check: $VERSION"
ls -1 "$WHEEL" "$SBOM"/*
