"""Puts the package's jar on a session's class path, before the session starts.

The jar registers its own planner extension, so the class path is all that Spark needs:
`spark.sql.extensions` stays the user's. Spark 4.2's launcher gives every JVM the Vector API
module (`--add-modules=jdk.incubator.vector`), so JVM options stay the user's too.
"""

import itertools
import os
import shlex
from pathlib import Path
from typing import Any
from weakref import WeakSet

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from scalegate._errors import ScalegateError
from scalegate._jar import find_jar

JARS = "spark.jars"
MAIN_CLASS = "io.scalegate.spark.PythonGateway"
WITH_JAR = '--jars "$(python -m scalegate jar)"'

# Sessions that were seen to have the package, which they keep.
_with_package: WeakSet[Any] = WeakSet()


def jar_path() -> str:
    """The absolute path of the package's jar, for `spark-submit --jars` and Connect servers.

    Returns
    -------
    str
        The path of a file that is there.

    Raises
    ------
    ScalegateError
        When the jar is missing, is not the only one, or was built for another Spark minor.

    Examples
    --------
    >>> scalegate.jar_path()
    '/.../scalegate/jars/scalegate-spark-....jar'
    """
    return str(find_jar())


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the package's jar to the builder's `spark.jars`, keeping the jars that are there.

    Call it before the session starts: `scalegate.configure(SparkSession.builder).getOrCreate()`,
    in a script, a notebook or a program that `spark-submit` runs. Calling it again, on the same
    builder or for a second session, changes nothing.

    Parameters
    ----------
    builder
        Of a classic session that is not started yet.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    ScalegateError
        When the jar is missing or built for another Spark minor, when this process already has a
        session without the jar, or when another setting would win over `spark.jars`.

    Examples
    --------
    >>> builder = SparkSession.builder.appName("trades")
    >>> scalegate.configure(builder) is builder
    True
    """
    jar = str(find_jar())
    options = _options(builder)
    _refuse_remote(options)
    _add_to_running(jar)
    _refuse_submit_arguments(jar)
    jars = _split(options.get(JARS) or _default_jars())
    return builder.config(JARS, ",".join(jars if jar in jars else [*jars, jar]))


def is_active(spark: SparkSession) -> bool:
    """Whether the package plans this session's joins: jar loaded and not switched off.

    Parameters
    ----------
    spark
        A classic session.

    Returns
    -------
    bool
        False, too, with `spark.scalegate.enabled=false`, and on another Spark minor than the
        jar was built for.

    Raises
    ------
    ScalegateError
        When the session is one of Spark Connect.

    Examples
    --------
    >>> scalegate.is_active(spark)
    True
    """
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
    return bool(jvm.io.scalegate.spark.PythonGateway.isActive(context))


def require(spark: SparkSession) -> None:
    """Refuses a session without the package, which would run these joins as Spark does, or fail.

    The session is asked for a function of the package's: one of Spark Connect can be, too.
    """
    if spark in _with_package:
        return
    if not spark.catalog.functionExists("first_by_time"):
        raise ScalegateError(_without(spark))
    _with_package.add(spark)


def _without(spark: SparkSession) -> str:
    if not hasattr(spark, "_jsparkSession"):
        return (
            "the Spark Connect server of this session runs without scalegate's jar: start it "
            f"with `start-connect-server.sh {WITH_JAR}`."
        )
    jvm = SparkContext._jvm
    if jvm is not None and _running_has_package():
        other = jvm.io.scalegate.spark.PythonGateway.obstacle()
        if other is not None:
            return str(other) + "."
    return f"this session runs without scalegate's jar. {_start()}"


def _start() -> str:
    return (
        "Start the session with scalegate.configure(SparkSession.builder).getOrCreate(), before "
        "any other in this process; where the session is made for you, as in the `pyspark` shell "
        f"and in some notebooks, start Spark with the jar: pyspark {WITH_JAR}."
    )


def _options(builder: SparkSession.Builder) -> dict[str, str]:
    return {key: str(value) for key, value in builder._options.items()}


def _split(jars: str) -> list[str]:
    return [jar.strip() for jar in jars.split(",") if jar.strip()]


def _default_jars() -> str:
    """`spark.jars` of what `spark-submit` was given, or of spark-defaults.conf, which a builder's
    setting would otherwise hide."""
    if os.environ.get("PYSPARK_GATEWAY_PORT"):
        return SparkConf().get(JARS, "") or ""
    directory = os.environ.get("SPARK_CONF_DIR", Path(_find_spark_home(), "conf"))
    defaults = Path(directory, "spark-defaults.conf")
    if not defaults.is_file():
        return ""
    for line in defaults.read_text(encoding="utf-8").splitlines():
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if key == JARS:
            return value.strip()
    return ""


def _refuse_remote(options: dict[str, str]) -> None:
    remote = options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")
    if remote.startswith("sc://"):
        raise ScalegateError(
            f"the session is remote ({remote}), and a client cannot add jars to its server's "
            "class path: start the Spark Connect server with `start-connect-server.sh "
            f"{WITH_JAR}`; then SQL, the hint and the joins work without configure."
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


def _add_to_running(jar: str) -> None:
    """`spark-submit` has started the JVM before the program, and Spark ignores `spark.jars` for
    the class path of a JVM that runs. The class loader that it gave the program's threads takes
    more jars, until the first session has looked there for extensions."""
    if os.environ.get("PYSPARK_GATEWAY_PORT"):
        SparkContext._ensure_initialized()
    jvm = SparkContext._jvm
    if jvm is None or _running_has_package():
        return
    contexts = getattr(getattr(jvm.org.apache.spark, "SparkContext$"), "MODULE$")
    if contexts.getActive().isEmpty():
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        try:
            loader.addURL(jvm.java.io.File(jar).toURI().toURL())
        except Py4JError as refused:
            raise ScalegateError(
                f"Spark's JVM runs without scalegate's jar and takes no more jars: {_start()}"
            ) from refused
        return
    raise ScalegateError(
        "Spark already has a session in this process, without scalegate's jar, and takes no "
        f"extensions any more: restart Python. {_start()}"
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
