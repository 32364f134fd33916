"""Band, interval and window joins of timed events, and aggregates over windows, for Spark.

The joins and aggregates are typed functions here, and methods of the same names on every
`DataFrame` once this module is imported (`typed` shows them to type checkers)::

    spark = scalegate.configure(SparkSession.builder).getOrCreate()
    trades.interval_join(quotes, on="symbol", lower="-5 seconds", upper="0 seconds")

The examples in the functions' own texts have these inputs:

>>> from pyspark.sql import SparkSession
>>> from pyspark.sql import functions as F
>>> import scalegate
>>> spark = scalegate.configure(SparkSession.builder).getOrCreate()
>>> trades = spark.sql('''SELECT * FROM VALUES
...     (TIMESTAMP'2024-05-01 12:00:03', 'A', 10.5D),
...     (TIMESTAMP'2024-05-01 12:00:09', 'B', 20.0D) AS t(ts, symbol, price)''')
>>> quotes = spark.sql('''SELECT * FROM VALUES
...     (TIMESTAMP'2024-05-01 12:00:01', 'A', 10.4D),
...     (TIMESTAMP'2024-05-01 12:00:02', 'A', 10.7D),
...     (TIMESTAMP'2024-05-01 12:00:08', 'A', 19.9D) AS t(ts, symbol, bid)''')
>>> readings = spark.sql('''SELECT * FROM VALUES
...     (TIMESTAMP'2024-05-01 12:00:10', 'm1', 0.2D),
...     (TIMESTAMP'2024-05-01 12:00:40', 'm1', 0.3D),
...     (TIMESTAMP'2024-05-01 12:00:50', 'm2', 0.9D) AS t(ts, meter, kwh)''')

Arguments are checked against the two schemas before any job runs; a refused argument raises
`ScalegateError`, whose message says what to write instead.
"""

from scalegate._aggregates import (
    ByTime,
    first,
    first_by_time,
    last,
    last_by_time,
    window_aggregate,
)
from scalegate._asof import AsOfType, Direction, asof_join, nearest_join
from scalegate._attach import Frame, attach_methods, typed
from scalegate._cube import cube_join
from scalegate._errors import ScalegateError
from scalegate._explain import explain
from scalegate._interval_aggregate import interval_aggregate
from scalegate._joins import band_join, interval_join, window_join
from scalegate._metrics import metrics
from scalegate._operators import Operator, operator
from scalegate._schema import Algorithm, JoinType
from scalegate._session import configure, is_active, jar_path
from scalegate._state import join_state
from scalegate._version import version
from scalegate._widths import Rows, rows

__all__ = [
    "Algorithm",
    "AsOfType",
    "ByTime",
    "Direction",
    "Frame",
    "JoinType",
    "Operator",
    "Rows",
    "ScalegateError",
    "__version__",
    "asof_join",
    "band_join",
    "configure",
    "cube_join",
    "explain",
    "first",
    "first_by_time",
    "interval_aggregate",
    "interval_join",
    "is_active",
    "jar_path",
    "join_state",
    "last",
    "last_by_time",
    "metrics",
    "nearest_join",
    "operator",
    "rows",
    "typed",
    "window_aggregate",
    "window_join",
]

__version__ = version()

attach_methods()
