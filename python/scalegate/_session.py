"""Puts the package's jar on a session's class path before the session starts.

The jar registers its own planner extension, so the class path is all that Spark needs:
`spark.sql.extensions` stays the user's. Spark 4.2's launcher gives every JVM the Vector API
module (`--add-modules=jdk.incubator.vector`), so JVM options stay the user's too.
"""

import itertools
import os
import shlex
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from scalegate._errors import ScalegateError
from scalegate._jar import find_jar

JARS = "spark.jars"
MAIN_CLASS = "io.scalegate.spark.ScaleGate"


def jar_path() -> str:
    """The absolute path of the package's jar, for `spark-submit --jars` and Connect servers."""
    return str(find_jar())


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the package's jar to the builder's `spark.jars`, keeping the jars that are there.

    Call it before the session starts: `scalegate.configure(SparkSession.builder).getOrCreate()`.
    Calling it again, on the same builder or for a second session, changes nothing.

    Raises
    ------
    ScalegateError
        When the jar is missing or built for another Spark minor, when this process already runs a
        Spark without the jar, or when another setting would win over `spark.jars`.
    """
    jar = str(find_jar())
    options = _options(builder)
    _refuse_remote(options, jar)
    _refuse_submit_arguments(jar)
    _refuse_running_without(jar)
    jars = _split(options.get(JARS) or _default_jars())
    return builder.config(JARS, ",".join(jars if jar in jars else [*jars, jar]))


def is_active(spark: SparkSession) -> bool:
    """Whether the package plans this session's joins: jar loaded and not switched off."""
    context = getattr(spark, "_jsparkSession", None)
    if context is None:
        raise ScalegateError(
            "is_active needs a classic session: over Spark Connect look for a WindowJoin node in "
            "the output of df.explain()."
        )
    if not _running_has_package():
        return False
    jvm = SparkContext._jvm
    assert jvm is not None
    return bool(jvm.io.scalegate.spark.ScaleGate.isActive(context))


def _options(builder: SparkSession.Builder) -> dict[str, str]:
    return {key: str(value) for key, value in builder._options.items()}


def _split(jars: str) -> list[str]:
    return [jar.strip() for jar in jars.split(",") if jar.strip()]


def _default_jars() -> str:
    """`spark.jars` of spark-defaults.conf, which a builder's setting would otherwise hide."""
    directory = os.environ.get("SPARK_CONF_DIR", Path(_find_spark_home(), "conf"))
    defaults = Path(directory, "spark-defaults.conf")
    if not defaults.is_file():
        return ""
    for line in defaults.read_text(encoding="utf-8").splitlines():
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if key == JARS:
            return value.strip()
    return ""


def _refuse_remote(options: dict[str, str], jar: str) -> None:
    remote = options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")
    if remote.startswith("sc://"):
        raise ScalegateError(
            f"the session is remote ({remote}), and a client cannot add jars to its server's "
            f"class path: start the Spark Connect server with `--jars {jar}`; then SQL, the hint "
            "and the joins work without configure."
        )


def _refuse_submit_arguments(jar: str) -> None:
    arguments = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    pairs = itertools.pairwise(arguments)
    winners = [
        value.removeprefix(f"{JARS}=")
        for flag, value in pairs
        if flag == "--jars" or (flag == "--conf" and value.startswith(f"{JARS}="))
    ]
    if any(jar not in _split(winner) for winner in winners):
        raise ScalegateError(
            f"PYSPARK_SUBMIT_ARGS sets jars, and Spark lets them win over {JARS}: add {jar} to "
            f"them, or move them to `.config({JARS!r}, ...)`."
        )


def _refuse_running_without(jar: str) -> None:
    """Spark ignores `spark.jars` for the class path of a JVM that already runs."""
    if os.environ.get("PYSPARK_GATEWAY_PORT"):
        SparkContext._ensure_initialized()
    if SparkContext._jvm is None or _running_has_package():
        return
    raise ScalegateError(
        "Spark already runs in this process without scalegate's jar, and it silently ignores "
        "jars that come later: restart Python and call scalegate.configure(SparkSession.builder) "
        f"before the first session starts, or start with `spark-submit --jars {jar}`."
    )


def _running_has_package() -> bool:
    jvm = SparkContext._jvm
    if jvm is None:
        return False
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(MAIN_CLASS)
    except Py4JJavaError:
        return False
    return True
