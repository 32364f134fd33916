"""What users write, as type checkers see it; the tests run it, and `make check` reads it.

Each `type: ignore` is a mistake that a checker finds: it complains of one that is not needed.
"""

from datetime import timedelta

import numpy as np
import scalegate
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def joins(trades: DataFrame, quotes: DataFrame) -> list[DataFrame]:
    typed = scalegate.typed(trades)
    return [
        typed.interval_join(quotes, on="symbol", lower="-5s", how="left"),
        typed.interval_join(quotes, left_on=["symbol"], right_on=["symbol"], lower="-5s"),
        typed.band_join(quotes, {"price": ("bid", 1)}, within=timedelta(seconds=5)),
        typed.band_join(quotes, {"price": ("bid", (-1, 2.5))}, within=np.timedelta64(5, "s")),
        typed.window_join(quotes, on=F.col("price") > 0, within=scalegate.rows(2)),
        typed.window_join(quotes, within=scalegate.rows(2, per_key="symbol"), how="anti"),
        typed.window_join(quotes, within=scalegate.rows(2, per_key=["symbol", ("price", "bid")])),
        typed.window_aggregate("1min", "10s", aggs=[F.count("*"), scalegate.first("price")]),
        typed.where("price > 0").limit(1),
        scalegate.interval_join(trades, quotes, on="symbol", lower=0, algorithm="sweep"),
        scalegate.window_aggregate([trades, trades], "1 minute", aggs=[F.sum("price")]),
    ]


def mistakes(trades: DataFrame, quotes: DataFrame) -> None:
    typed = scalegate.typed(trades)
    typed.interval_join(quotes, on="symbol")  # type: ignore[call-arg]
    typed.interval_join(quotes, "symbol", ("ts", "ts"), lower="-5s")  # type: ignore[call-arg]
    typed.interval_join(quotes, lower=None)  # type: ignore[arg-type]
    typed.interval_join(quotes, lower="-5s", how="sideways")  # type: ignore[arg-type]
    typed.interval_join(quotes, lower="-5s", algorithm="magic")  # type: ignore[arg-type]
    typed.interval_join(quotes, lower="-5s", suffix=("_l", "_r"))  # type: ignore[arg-type]
    typed.window_join(quotes, F.col("price") > 0)  # type: ignore[call-arg]
    typed.band_join(quotes, {"price": ("bid", (1, 2, 3))})  # type: ignore[dict-item]
    typed.window_join(quotes, within=scalegate.rows(2, per_key=True))  # type: ignore[arg-type]
    typed.window_aggregate("1 minute")  # type: ignore[call-arg]
    typed.window_aggregate("1 minute", agg=[F.count("*")])  # type: ignore[call-arg]
