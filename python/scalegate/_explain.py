"""Says of a query's joins which are run by the package, and why the others are not."""

from pyspark.sql import DataFrame

from scalegate import _session

HINT = "EXPLAIN_JOINS"


def explain(df: DataFrame) -> None:
    """Print Spark's plan of a batch query, then a line for each join: run here, or why not.

    Parameters
    ----------
    df
        A batch DataFrame; it is not run.

    Returns
    -------
    None
        It is printed.

    Raises
    ------
    ScalegateError
        When the session is without the package.

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
