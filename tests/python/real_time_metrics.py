"""Joins two topics of Kafka in Real-Time Mode until so many events have come, and prints what
`scalegate.metrics` tells of it, while it runs and after it was stopped, as a line of JSON."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import realtime_bands
import scalegate
from pyspark.sql.streaming import StreamingQuery


def main() -> None:
    """Joins, and prints."""
    own = argparse.ArgumentParser()
    own.add_argument("--events", type=int)
    mine, rest = own.parse_known_args()
    sys.argv[1:] = rest
    options = realtime_bands.arguments()
    spark = realtime_bands.start(options.jars, master=f"local[{options.slots}]", real_time=True)
    query = realtime_bands.begin(spark, options)
    wait(query, mine.events)
    found = {per: frame(query, per) for per in ("operator", "task", "source")}
    query.stop()
    found["after"] = frame(query, "operator")
    print(json.dumps(found), flush=True)
    spark.stop()


def wait(query: StreamingQuery, events: int) -> None:
    """Until the join has told of so many events."""
    while True:
        told = scalegate.metrics(query)
        if told["left_rows"].sum() + told["right_rows"].sum() >= events:
            return
        assert query.isActive, query.exception()
        time.sleep(0.1)


def frame(query: StreamingQuery, per: Any) -> list[dict[str, Any]]:
    """The rows of a frame."""
    return json.loads(scalegate.metrics(query, per).to_json(orient="records"))


if __name__ == "__main__":
    main()
