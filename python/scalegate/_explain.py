"""Says which joins and windows of a query the package runs, and why not the others."""

from pyspark.sql import DataFrame

from scalegate import _session
from scalegate._errors import ScalegateError

HINT = "EXPLAIN_JOINS"


def explain(df: DataFrame) -> None:
    """Print Spark's plan of a query, then a line for each join, and for each aggregate over
    sliding windows: run here, or why not.

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
    == Joins and windows ==
    ...
    """
    if not isinstance(df, DataFrame):
        raise ScalegateError(f"explain takes a DataFrame, not {df!r}.")
    _session.require(df.sparkSession)
    joins = df.hint(HINT).collect()
    df.explain()
    print("== Joins and windows ==")
    print("\n".join(row[0] for row in joins) or "none")
