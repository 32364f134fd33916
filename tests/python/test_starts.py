"""Each way to start Spark that README names: the package plans a join there.

Every start is a JVM of its own: `make soak` tries all of them, `make test` the shell, which has a
session before its first line."""

import os
import sys
from pathlib import Path

import loopback_cluster
import programs
import pyspark
import pytest
import scalegate
import sessions
from pyspark.sql import SparkSession

pytestmark = pytest.mark.cluster

BIN = Path(pyspark.__file__).parent / "bin"
JOIN = (
    "SELECT /*+ WINDOW_JOIN(r, s, 'sweep') */ * FROM range(3) r JOIN range(3) s "
    "ON abs(r.id - s.id) <= 1"
)
PLANNED = "sweep over sorted"
CONF = ["--conf"]

PYTHON = f'''
import scalegate
frame = spark.range(3).toDF("ts")
print(scalegate.is_active(spark), frame.interval_join(frame, lower=-1, upper=1).count(), "rows")
spark.sql("""{JOIN}""").explain()
'''
SCALA = f'''
spark.sql("""{JOIN}""").explain()
println("true".capitalize + " " + spark.sql("""{JOIN}""").count() + " rows")
'''
CONFIGURED = """
import scalegate
from pyspark.sql import SparkSession
spark = scalegate.configure(SparkSession.builder).getOrCreate()
"""

# What a Python that reads from a terminal does first: the shell makes its session there.
STARTUP = """
import os
exec(open(os.environ["PYTHONSTARTUP"]).read())
"""

# The program, what it is given as its arguments, and what it reads.
STARTS = {
    "pyspark": ("pyspark", [], STARTUP + PYTHON),
    "spark-shell": ("spark-shell", [], SCALA),
    "spark-sql": (
        "spark-sql",
        ["-e", f"EXPLAIN {JOIN}; SELECT true, count(*), 'rows' FROM ({JOIN})"],
        "",
    ),
}
TRIED = list(STARTS) if os.environ.get("SCALEGATE_STARTS") == "all" else ["pyspark"]
slow = pytest.mark.skipif(TRIED == ["pyspark"], reason="takes a cluster or a kernel: `make soak`")


@pytest.mark.parametrize("start", TRIED)
def test_what_is_started_with_the_jar_has_the_package(
    start: str, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    program, arguments, stdin = STARTS[start]
    jars = ["--jars", scalegate.jar_path()]
    command = [str(BIN / program), *programs.options("local[1]"), *jars, *arguments]
    said = programs.run(command, clean_environment, tmp_path, stdin).stdout
    assert PLANNED in said
    assert "true 7 rows" in " ".join(said.lower().split())


@slow
def test_an_interactive_python_configures_its_session(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    """As a notebook's kernel does: line by line, in a process that starts the JVM."""
    lines = CONFIGURED.replace("builder)", 'builder.master("local[1]"))') + PYTHON
    said = programs.run([sys.executable, "-i", "-q"], clean_environment, tmp_path, lines).stdout
    assert PLANNED in said and "True 7 rows" in said


@slow
def test_a_program_starts_a_server_of_spark_connect_and_is_warned_of_nothing(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    program = CONFIGURED.replace("builder)", 'builder.remote("local[1]"))') + PYTHON
    free_port = {**clean_environment, "SPARK_TESTING": "1"}
    strict = [sys.executable, "-W", "error::UserWarning"]
    said = programs.run([*strict, "-c", program], free_port, tmp_path).stdout
    assert PLANNED in said and "True 7 rows" in said


@slow
@pytest.mark.skipif(sys.platform != "linux", reason="loopback has one address only")
@pytest.mark.parametrize("how", ["configure", "--jars", "spark.jars"])
def test_a_program_that_is_submitted_to_a_cluster_has_the_package_on_its_executors(
    how: str, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    app = CONFIGURED if how == "configure" else CONFIGURED.replace("scalegate.configure", "")
    (tmp_path / "app.py").write_text(app + PYTHON, encoding="utf-8")
    jar = scalegate.jar_path()
    given = {"configure": [], "--jars": ["--jars", jar], "spark.jars": [*CONF, f"{how}={jar}"]}
    environment = {**clean_environment, "PYSPARK_PYTHON": sys.executable}
    with loopback_cluster.cluster(tmp_path, environment) as master:
        command = [str(BIN / "spark-submit"), *programs.options(master), *given[how], "app.py"]
        said = programs.run(command, environment, tmp_path).stdout
    assert PLANNED in said and "True 7 rows" in said


def check_client(address: str, environment: dict[str, str], cwd: Path) -> None:
    client = str(Path(__file__).with_name("connect_client.py"))
    said = programs.run(
        [sys.executable, client], {**environment, "SPARK_REMOTE": address}, cwd
    ).stdout
    *joined, aggregated, first, active = said.splitlines()
    assert joined == ["7", "7", "5"]
    assert (aggregated, first) == ("2", "0")
    assert active == "True"


@pytest.mark.classic("the session's own JVM is the server")
def test_a_client_of_spark_connect_needs_only_the_servers_jar(
    spark: SparkSession, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    check_client(sessions.serve(spark), clean_environment, tmp_path)


@slow
def test_a_server_of_spark_connect_is_started_with_the_jar(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    submit, jars = BIN / "spark-submit", [scalegate.jar_path()]
    with programs.connect_server(submit, jars, clean_environment, tmp_path) as address:
        check_client(address, clean_environment, tmp_path)
