"""Says of a query's joins which are run by the package, and why the others are not."""

from pyspark.sql import DataFrame

from scalegate import _session

HINT = "EXPLAIN_JOINS"


def explain(df: DataFrame) -> None:
    """Print Spark's plan of a query, then a line for each join: run here, or why not.

    Parameters
    ----------
    df
        A DataFrame, of batches or streams; it is not run. Of a query that runs, its own
        ``explain()`` says more.

    Returns
    -------
    None
        It is printed.

    Raises
    ------
    ScalegateError
        When the session is without the package.
    pyspark.errors.IllegalArgumentException
        When a join of two streams would be refused as the query starts, with what to write.

    Examples
    --------
    >>> scalegate.explain(trades.interval_join(quotes, on="symbol", lower="-5 seconds"))
    == Physical Plan ==
    ...
    == Joins ==
    ...
    """
    _session.require(df.sparkSession)
    joins = df.hint(HINT).collect()
    df.explain()
    print("== Joins ==")
    print("\n".join(row[0] for row in joins) or "none")
