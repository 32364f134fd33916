"""Says of a query's joins which are run by the package, and why the others are not."""

from pyspark.sql import DataFrame

from scalegate import _session
from scalegate._errors import ScalegateError


def explain(df: DataFrame) -> None:
    """Print Spark's plan of a batch query, then a line for each join: run here, or why not.

    Parameters
    ----------
    df
        A batch DataFrame of a classic session; it is not run.

    Returns
    -------
    None
        It is printed.

    Raises
    ------
    ScalegateError
        When the session is one of Spark Connect, or without the package.

    Examples
    --------
    >>> scalegate.explain(trades.interval_join(quotes, on="symbol", lower="-5 seconds"))
    == Physical Plan ==
    ...
    == Joins ==
    ...
    """
    frame = getattr(df, "_jdf", None)
    jvm = df.sparkSession.sparkContext._jvm if frame is not None else None
    if jvm is None:
        raise ScalegateError(
            "explain needs a classic session: over Spark Connect look for a WindowJoin node in "
            "the output of df.explain()."
        )
    _session.require(df.sparkSession)
    df.explain()
    print("== Joins ==")
    print(jvm.io.scalegate.spark.PythonGateway.joins(frame) or "none")
