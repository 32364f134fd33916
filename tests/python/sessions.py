"""The tests' sessions, classic ones and those of a Spark Connect server in a process of its own;
and what both say of a frame's plan."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import scalegate
from kafka_node import free_addresses
from pyspark.sql import DataFrame, SparkSession

# Spark's default for local files asks for each whether it is a link, by a process: a third of the
# time of a stream's tests. Those that are killed keep the default.
NO_LINKS = (
    "spark.sql.streaming.checkpointFileManagerClass",
    "org.apache.spark.sql.execution.streaming."
    f"{'' if pyspark.__version__.startswith('4.0.') else 'checkpointing.'}"
    "FileSystemBasedCheckpointFileManager",
)
# What costs each of thousands of small queries something, and shows none of them anything: a
# task's broadcast has blocks of 4 MB by default, and Spark's UI, which is off, is told of each
# query's plan at length, and keeps a thousand of them.
SMALL = {
    "spark.broadcast.blockSize": "128k",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.ui.retainedExecutions": "50",
}
PORT = "spark.connect.grpc.binding.port"


def classic(warehouse: Path, jars: list[Path], java_options: str) -> SparkSession:
    """A session in this process, made as users make theirs."""
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("scalegate-tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", java_options)
        .config("spark.jars", ",".join(map(str, jars)))
        .config("spark.sql.shuffle.partitions", "3")
        .config(*NO_LINKS)
        .config(map=SMALL)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(warehouse))
    )
    session = scalegate.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if any(jar.name == "plain-files.jar" for jar in jars):
        # Not before: what reads the jar's own name would ask for it.
        files = session.sparkContext._jsc.hadoopConfiguration()
        files.set("fs.file.impl", "io.scalegate.spark.PlainFileSystem")
        session.sparkContext._jvm.org.apache.hadoop.fs.FileSystem.closeAll()
    return session


def serve(spark: SparkSession) -> str:
    """Lets a classic session's JVM answer Spark Connect, too; where."""
    (address,) = free_addresses(1)
    context = spark.sparkContext._jsc.sc()
    context.conf().set(PORT, address.split(":")[1])
    spark._jvm.org.apache.spark.sql.connect.service.SparkConnectService.start(context)
    return f"sc://{address}"


@contextlib.contextmanager
def plain(spark: SparkSession) -> Iterator[None]:
    """Without the package: for frames that are planned within."""
    spark.conf.set("spark.scalegate.enabled", "false")
    try:
        yield
    finally:
        spark.conf.unset("spark.scalegate.enabled")


@contextlib.contextmanager
def served(
    warehouse: Path, jars: list[Path], java_options: str, environment: dict[str, str]
) -> Iterator[str]:
    """Where a server in a process of its own answers Spark Connect."""
    given = [str(warehouse), ",".join(map(str, jars)), java_options]
    script = str(Path(__file__).with_name("connect_server.py"))
    errors = warehouse.with_suffix(".err")
    with (
        errors.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            [sys.executable, script, *given],
            env={**environment, "PYSPARK_PYTHON": sys.executable},
            cwd=warehouse,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        said = iter(server.stdout.readline, "")
        address = next((line.strip() for line in said if line.startswith("sc://")), None)
        assert address is not None, errors.read_text(encoding="utf-8")[-3000:]
        yield address


def plan(df: DataFrame) -> str:
    """The physical plan, of a classic frame or of one of Spark Connect."""
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        df.explain()
    return shown.getvalue()
