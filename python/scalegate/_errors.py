"""The one exception type of the package, and what it takes from Spark's."""

from pyspark.errors import PySparkException


class ScalegateError(ValueError):
    """An argument or a set-up that cannot work: the message says what to write instead."""


def message(refused: PySparkException) -> str:
    """What the JVM said, without its stack trace, which Spark Connect puts behind it."""
    return str(refused).partition("\n\nJVM stacktrace:")[0]
