#!/usr/bin/env bash
# Fetches, with the Ivy that ships inside PySpark, what the Kafka test needs: a broker's jars into
# .build/kafka/MINOR/broker, those of Spark's Kafka source and sink into .build/kafka/MINOR/spark. Without them that test
# is skipped. Usage: setup-kafka.sh [MINOR]   (of Spark, as 4.1; the default's unless named)
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/project/env.sh"
find_java
DEFAULT=$(version_of spark | cut -d. -f1-2)
MINOR=${1:-$DEFAULT}
if [ "$MINOR" = "$DEFAULT" ]; then
  SPARK=$(version_of kafkaSource)
  TOKENS="[4.1.0-preview1,$SPARK]"
else
  # The newest that there is of the minor, which may be older than the Spark that is tested.
  SPARK="$MINOR.+"
  TOKENS=$SPARK
fi
KAFKA=$(version_of kafka)
TARGET=$ROOT/.build/kafka/$MINOR
echo "set-up: Kafka $KAFKA for Spark $SPARK in .build/kafka/$MINOR (a download of 60 MB the first time)"
PYSPARK=$("$ROOT/.build/venv/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])')
rm -rf "$TARGET" "$TARGET.new"
mkdir -p "$TARGET.new"
LOG=$ROOT/.build/kafka-ivy.log
"$JAVA" -Dkafka.version="$KAFKA" -Dspark.version="$SPARK" -Dtokens.version="$TOKENS" -jar "$PYSPARK"/jars/ivy-*.jar \
  -ivy "$ROOT/project/kafka-ivy.xml" \
  -retrieve "$TARGET.new/[conf]/[artifact]-[revision](-[classifier]).[ext]" >"$LOG" 2>&1 ||
  { cat "$LOG" >&2; fail "Kafka $KAFKA could not be fetched (see above)."; }
mv "$TARGET.new" "$TARGET"
