"""What a streaming query's operators have done, as a pandas frame."""

from typing import TYPE_CHECKING, Any, Literal, get_args

from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from scalegate import _session
from scalegate._errors import ScalegateError, message

if TYPE_CHECKING:
    from pandas import DataFrame

Per = Literal["operator", "task", "source"]

# Of an operator, and what Spark's progress calls it.
IN_PROGRESS = {
    "name": "operatorName",
    "late_rows": "numRowsDroppedByWatermark",
    "state_rows": "numRowsTotal",
    "state_bytes": "memoryUsedBytes",
}


def metrics(query: StreamingQuery, per: Per = "operator") -> "DataFrame":
    """What a streaming query's joins have done, while it runs and after.

    A join in Real-Time Mode tells the driver of itself with each heartbeat of its executors
    (`spark.executor.heartbeatInterval`, 10 seconds). Its figures are those of the batch that
    runs. Of a query in batches this is Spark's progress of the newest one, with fewer columns
    known. In SQL `SELECT * FROM stream_metrics('run id', 'task')`.

    Parameters
    ----------
    query
        A query of the active session, which has the package.
    per
        "operator" for a row for each stateful operator; "task" for each task of a join, "source"
        for each task that reads one of its inputs, both in Real-Time Mode only.

    Returns
    -------
    pandas.DataFrame
        Empty until something was told. What is not known is NaN or NaT.

        Per operator: `operator`, its number; `name`; `batch`; `at`, when this was so; `seconds`
        since the batch began; `tasks`; `left_rows`, `right_rows`, `late_rows`, `results`,
        `comparisons`, `state_rows` and `state_bytes`; `rows_per_second`, `results_per_second`;
        `share_deviation`, the standard deviation of the tasks' shares of the comparisons as a
        part of an even share; `latency_p50_ms` with `p90`, `p99` and `max`, from reading a row in
        a source's task until all that it matched was given; `event_latency_p50_ms` and so on,
        from its event time; `reached`, the event time that all sources have passed. Latencies are
        accurate to one percent, up to an hour.

        Per task the same of each `task`, with its `share` of the comparisons. Per source
        `operator`, `side`, `source`, `rows`; `promised`, the event time that it has passed;
        `lag_ms` behind the source that has come farthest; `silent_ms`; `idle`, whether the join
        goes on without it.

    Raises
    ------
    ScalegateError
        When `per` is none of these, or not "operator" for a query in batches, and when the
        session is without the package.

    Examples
    --------
    Of a query in batches, in a `folder`:

    >>> def stream(df, name):
    ...     df.write.parquet(f"{folder}/{name}")
    ...     files = spark.readStream.schema(df.schema).parquet(f"{folder}/{name}")
    ...     return files.withWatermark("ts", "1 minute")
    >>> joined = stream(trades, "sold").interval_join(
    ...     stream(quotes, "offered"), on="symbol", lower="-5 seconds")
    >>> query = (joined.writeStream.format("noop").trigger(availableNow=True)
    ...     .option("checkpointLocation", f"{folder}/measured").start())
    >>> query.awaitTermination()
    >>> scalegate.metrics(query)[["name", "comparisons", "state_rows"]]
             name  comparisons  state_rows
    0  windowJoin            2           5
    """
    spark = SparkSession.active()
    _session.require(spark)
    if per not in get_args(Per):
        raise ScalegateError(f"per is one of {', '.join(get_args(Per))}, not {per!r}")
    try:
        call = "SELECT * FROM stream_metrics(?, ?)"
        told = spark.sql(call, args=[str(query.runId), per]).toPandas()
    except IllegalArgumentException as refused:
        # A query in batches, which has ended, is known by its progress alone.
        if query.lastProgress is None:
            raise ScalegateError(message(refused)) from refused
        told = None
    if told is not None and not told.empty:
        return told
    return _of_batches(query.lastProgress, told, per)


def _of_batches(progress: Any, told: "DataFrame | None", per: Per) -> "DataFrame":
    import pandas as pd

    if progress is None:
        assert told is not None
        return told
    if per != "operator":
        raise ScalegateError(
            f"figures per {per} are those of joins in Real-Time Mode, trigger(realTime=...), "
            'which this query does not run in: leave per="operator"'
        )
    rows = [
        {"operator": number, "batch": progress["batchId"], "at": progress["timestamp"]}
        | {column: operator[of] for column, of in IN_PROGRESS.items()}
        | {"comparisons": operator["customMetrics"].get("comparisons")}
        for number, operator in enumerate(progress["stateOperators"])
    ]
    frame = pd.DataFrame(rows)
    if rows:
        frame["at"] = pd.to_datetime(frame["at"])
    return frame if told is None else frame.reindex(columns=told.columns)
