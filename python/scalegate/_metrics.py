"""What joins have done, in a batch or a streaming query, as a pandas frame."""

from typing import TYPE_CHECKING, Any, Literal, get_args

from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from scalegate import _session
from scalegate._errors import ScalegateError, message

if TYPE_CHECKING:
    import pandas as pd

Per = Literal["operator", "task", "source"]

HINT = "JOIN_METRICS"

# Of an operator, and what Spark's progress calls it.
IN_PROGRESS = {
    "name": "operatorName",
    "late_rows": "numRowsDroppedByWatermark",
    "state_rows": "numRowsTotal",
    "state_bytes": "memoryUsedBytes",
}


def metrics(query: StreamingQuery | DataFrame, per: Per = "operator") -> "pd.DataFrame":
    """What the joins of a frame did when it ran, or those of a streaming query.

    Parameters
    ----------
    query
        A batch DataFrame that has run: it, or one made of it, was collected, counted or written
        by this driver, and not more than 15 other queries with joins of ours since. It is not run
        again. Or a streaming query of the active session, while it runs and after.
    per
        "operator" for a row for each join; "task" for each task of a join, in a batch for each
        thread of each task, of an operator of the papers only; "source", in Real-Time Mode only,
        for each task that reads one of the inputs.

    Returns
    -------
    pandas.DataFrame
        What is not known is NaN or NaT.

        Of a frame, per operator: `operator`, its number in the plan from the top; `algorithm`, as
        EXPLAIN has it; `seconds` that the whole query took; `results`, `comparisons`,
        `results_per_second` and `comparisons_per_second` of those seconds. Of an operator of the
        papers also `tasks`; `threads` of each; `left_rows` and `right_rows` that have a time,
        `rows_per_second`; `share_deviation`, the standard deviation of the threads' comparisons
        as a part of their mean, in each task; `peak_window_rows`, summed over the threads;
        `merges` of its indexes; `splitting`, the replicas that a key has on average, and
        `highest_splitting`; `layout_changes` of adaptive workers. Per task
        `operator`, `task`, `thread`, `seconds` of the task,
        `comparisons`, `matches`, `stored` rows, `peak_window_rows`, and the `share` of all
        comparisons.

        Of a streaming query, empty until something was told. A join in Real-Time Mode tells the
        driver of itself with each heartbeat of its executors
        (`spark.executor.heartbeatInterval`, 10 seconds), of the batch that runs; of a query in
        batches it is Spark's progress of the newest one, with fewer columns known. In SQL
        `SELECT * FROM stream_metrics('run id', 'task')`. Per operator: `operator`, its number;
        `name`; `batch`; `at`, when this was so; `seconds` since the batch began; `tasks`;
        `left_rows`, `right_rows`, `late_rows`, `results`, `comparisons`, `state_rows` and
        `state_bytes`; `rows_per_second`, `results_per_second`; `share_deviation`, the standard
        deviation of the tasks' shares of the comparisons as a part of an even share;
        `latency_p50_ms` with `p90`, `p99` and `max`, from reading a row in a source's task until
        all that it matched was given; `event_latency_p50_ms` and so on, from its event time;
        `reached`, the event time that all sources have passed. Latencies are accurate to one
        percent, up to an hour. Per task the same of each `task`, with its `share` of the
        comparisons. Per source `operator`, `side`, `source`, `rows`; `promised`, the event time
        that it has passed; `lag_ms` behind the source that has come farthest; `silent_ms`;
        `idle`, whether the join goes on without it.

    Raises
    ------
    ScalegateError
        When `per` is none of these, or not "operator" for a query in batches; when a frame has
        not run, or no join of ours in it; and when the session is without the package.

    Examples
    --------
    >>> hybrid = scalegate.operator("hp", threads=2)
    >>> joined = trades.interval_join(quotes, on="symbol", lower="-5 s", algorithm=hybrid)
    >>> joined.count()
    2
    >>> scalegate.metrics(joined)[["threads", "left_rows", "right_rows", "results"]]
       threads  left_rows  right_rows  results
    0        2          2           3        2

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
    if isinstance(query, DataFrame):
        return _of_frame(query, per)
    if not hasattr(query, "lastProgress"):
        raise ScalegateError(
            "metrics takes a DataFrame that has run or a streaming query, as writeStream.start() "
            f"returns it, not {query!r}."
        )
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


def _of_frame(df: DataFrame, per: Per) -> "pd.DataFrame":
    if df.isStreaming:
        raise ScalegateError(
            "the figures of a stream are those of its query: give what writeStream.start() "
            "returned, not the DataFrame."
        )
    if per not in ("operator", "task"):
        raise ScalegateError(
            f"per is one of operator, task for a batch DataFrame, not {per!r}; sources are those "
            "of streams."
        )
    _session.require(df.sparkSession)
    try:
        return df.hint(HINT, per).toPandas()
    except IllegalArgumentException as refused:
        raise ScalegateError(message(refused)) from refused


def _of_batches(progress: Any, told: "pd.DataFrame | None", per: Per) -> "pd.DataFrame":
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
