"""What a streaming join's checkpoint holds, as a DataFrame."""

from pathlib import Path

from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession

from scalegate import _session
from scalegate._errors import ScalegateError, message


def join_state(
    spark: SparkSession, checkpoint: str | Path, side: str = "left", *, operator: int = 0
) -> DataFrame:
    """The rows of one side that the last batch of a streaming join left in its checkpoint.

    Spark's own `statestore` source gives the chunks that the rows are written in; this takes them
    apart. In SQL `SELECT * FROM join_state('checkpoint', 'left')`.

    Parameters
    ----------
    spark
        A session that has the package.
    checkpoint
        The query's checkpoint location, as the session's driver finds it.
    side
        "left" or "right".
    operator
        Which of the query's stateful operators the join is, from 0.

    Returns
    -------
    DataFrame
        One row for each row that is held, and each partition that holds it: `partition_id` INT
        and `batch` BIGINT, which wrote the row, then the columns of that side that the query
        reads, with their types. Rows that have expired are among them until the chunk that they
        were written in has.

    Raises
    ------
    ScalegateError
        When the operator is no streaming join, the side is neither, or the session is without
        the package.

    Examples
    --------
    The state of a join of two streams of files, in a `folder`:

    >>> def stream(df, name):
    ...     df.write.parquet(f"{folder}/{name}")
    ...     files = spark.readStream.schema(df.schema).parquet(f"{folder}/{name}")
    ...     return files.withWatermark("ts", "1 minute")
    >>> joined = stream(trades, "trades").interval_join(
    ...     stream(quotes, "quotes"), on="symbol", lower="-5 seconds")
    >>> query = (joined.writeStream.format("noop").trigger(availableNow=True)
    ...     .option("checkpointLocation", f"{folder}/checkpoint").start())
    >>> query.awaitTermination()
    >>> state = scalegate.join_state(spark, f"{folder}/checkpoint", "left")
    >>> state.drop("partition_id").orderBy("ts").show()
    +-----+-------------------+------+-----+
    |batch|                 ts|symbol|price|
    +-----+-------------------+------+-----+
    |    0|2024-05-01 12:00:03|     A| 10.5|
    |    0|2024-05-01 12:00:09|     B| 20.0|
    +-----+-------------------+------+-----+
    """
    _session.require(spark)
    query = "SELECT * FROM join_state(?, ?, ?)"
    try:
        rows = spark.sql(query, args=[str(checkpoint), side, operator])
        _ = rows.schema  # over Spark Connect nothing has looked at the checkpoint before
    except IllegalArgumentException as refused:
        raise ScalegateError(message(refused)) from refused
    return rows
