#!/usr/bin/env bash
# Fetches, with the Ivy that ships inside PySpark, what the Kafka test needs: a broker's jars into .build/kafka/broker,
# those of Spark's Kafka source and sink into .build/kafka/spark. Without them that test is skipped.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
SPARK=$(version_of kafkaSource)
KAFKA=$(version_of kafka)
TARGET=$ROOT/.build/kafka
echo "set-up: Kafka $KAFKA for Spark $SPARK in .build/kafka (a download of 60 MB the first time)"
PYSPARK=$("$ROOT/.build/venv/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])')
rm -rf "$TARGET" "$TARGET.new"
mkdir -p "$TARGET.new"
LOG=$ROOT/.build/kafka-ivy.log
"$JAVA" -Dkafka.version="$KAFKA" -Dspark.version="$SPARK" -jar "$PYSPARK"/jars/ivy-*.jar \
  -ivy "$ROOT/project/kafka-ivy.xml" \
  -retrieve "$TARGET.new/[conf]/[artifact]-[revision](-[classifier]).[ext]" >"$LOG" 2>&1 ||
  { cat "$LOG" >&2; fail "Kafka $KAFKA could not be fetched (see above)."; }
mv "$TARGET.new" "$TARGET"
