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
from pyspark import __version__ as pyspark_version
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from scalegate._errors import ScalegateError
from scalegate._jar import find_jar, minor

JARS = "spark.jars"
MAIN_CLASS = "io.scalegate.spark.PythonGateway"
WITH_JAR = '--jars "$(python -m scalegate jar)"'
# What Real-Time Mode needs for the package's joins, and for rows to leave a shuffle at once.
REAL_TIME = {
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
}
# No setting but the package's switch leaves this join to Spark.
PROBE = (
    "EXPLAIN SELECT /*+ WINDOW_JOIN(l, r, 'broadcast') */ * FROM VALUES (1D) AS l(x) "
    "JOIN VALUES (1D) AS r(x) ON abs(l.x - r.x) <= 1D"
)

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


def configure(builder: SparkSession.Builder, *, real_time: bool = False) -> SparkSession.Builder:
    """Add the package's jar to the builder's `spark.jars`, keeping the jars that are there.

    Call it before the session starts: `scalegate.configure(SparkSession.builder).getOrCreate()`,
    in a script, a notebook or a program that `spark-submit` runs. Calling it again, on the same
    builder or for a second session, changes nothing. Nor does calling it for a session of Spark
    Connect on a server that runs elsewhere, `remote("sc://...")`: that is started with the jar.
    Where Spark starts the server in this process, `remote("local")`, it gets the jar by the
    environment's PYSPARK_SUBMIT_ARGS.

    Parameters
    ----------
    builder
        Of a session that is not started yet.
    real_time
        Whether queries are to run under `trigger(realTime=...)`, Spark's Real-Time Mode, which
        Spark has from 4.3 on. Sets what that needs, unless the builder has set it: that Spark's
        list of operators is not held against the package's, and that a shuffle sends a row after
        a millisecond. The package refuses what else Spark's lists do not allow beside its joins.

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
    options = _options(builder)
    if real_time:
        _set_missing(builder, REAL_TIME)
    if _is_of_a_server(options):
        return builder
    jar = str(find_jar())
    _add_to_running(jar)
    if "SPARK_LOCAL_REMOTE" in os.environ and _running_has_package():
        # This process has started its Spark Connect server, with the jar. Spark would warn that a
        # client cannot change `spark.jars`.
        return builder
    given = _refuse_submit_arguments(jar)
    jars = _split(options.get(JARS) or _default_jars())
    if jar not in jars:
        jars.append(jar)
    if not _starts_a_server(options):
        return builder.config(JARS, ",".join(jars))
    if not given:
        # Spark gives what the builder has to the server's session, too, and warns that it cannot.
        arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {shlex.quote(','.join(jars))} {arguments}"
    return builder


def is_active(spark: SparkSession) -> bool:
    """Whether the package plans this session's joins: jar loaded and not switched off.

    Parameters
    ----------
    spark
        A session, which is asked for the plan of a small join.

    Returns
    -------
    bool
        False, too, with `spark.scalegate.enabled=false`, and on another Spark minor than the
        jar was built for.

    Examples
    --------
    >>> scalegate.is_active(spark)
    True
    """
    plan = spark.sql(PROBE).first() if _has_package(spark) else None
    return plan is not None and "WindowJoin" in plan[0]


def require(spark: SparkSession) -> None:
    """Refuses a session without the package: it would run joins as Spark does, or fail."""
    if not _has_package(spark):
        raise ScalegateError(_without(spark))


def _has_package(spark: SparkSession) -> bool:
    """Whether the session has the package's functions, be the package switched on or off."""
    if spark not in _with_package:
        if not spark.catalog.functionExists("first_by_time"):
            return False
        _with_package.add(spark)
    return True


def _without(spark: SparkSession) -> str:
    if not hasattr(spark, "_jsparkSession") and minor(spark.version) != minor(pyspark_version):
        return (
            f"the Spark Connect server of this session is Spark {spark.version} and runs without "
            f"scalegate's jar for it; this client's PySpark {pyspark_version} needs another: "
            "start the server with `start-connect-server.sh --jars "
            f'"$(python -m scalegate jar --spark {minor(spark.version)})"`.'
        )
    if not hasattr(spark, "_jsparkSession"):
        return (
            f"the Spark Connect server of this session, Spark {spark.version}, runs without "
            "scalegate's jar, or with the jar for another Spark: start it with "
            f"`start-connect-server.sh {WITH_JAR}`."
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


def _set_missing(builder: SparkSession.Builder, settings: dict[str, str]) -> None:
    given = _options(builder)
    for setting, value in settings.items():
        if setting not in given:
            builder.config(setting, value)


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


def _is_of_a_server(options: dict[str, str]) -> bool:
    """Whether the session is to be one of a Spark Connect server that runs somewhere."""
    remote = options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")
    return remote.startswith("sc://")


def _starts_a_server(options: dict[str, str]) -> bool:
    """Whether the session is to be one of a Spark Connect server that this process starts."""
    if os.environ.get("PYSPARK_GATEWAY_PORT") or options.get("spark.local.connect.reuse"):
        return False
    remote = options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")
    mode = options.get("spark.api.mode") or os.environ.get("SPARK_API_MODE", "")
    return remote.startswith("local") or mode.lower() == "connect"


def _refuse_submit_arguments(jar: str) -> bool:
    """Whether there are any that set jars, ours among them."""
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
    return bool(winners)


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
