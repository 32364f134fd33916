"""Versions that do not go together, each met as users meet it: one message says what to do.

Each is a JVM of its own, of another Spark than the tests' own: `make other-sparks` runs them."""

import os
import shlex
import sys
from pathlib import Path

import programs
import pyspark
import pytest
import scalegate

if os.environ.get("SCALEGATE_STARTS") != "all":
    pytest.skip("other Sparks are tried by `make other-sparks`", allow_module_level=True)

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).parents[2]
HERE = ".".join(pyspark.__version__.split(".")[:2])
JOIN = """
import scalegate, sys
from pyspark.sql import SparkSession

builder = SparkSession.builder
if sys.argv[1:]:
    builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = scalegate.configure(builder.config(sys.argv[1], sys.argv[2]))
spark = builder.getOrCreate()
r = spark.range(3).toDF("ts")
try:
    print(r.interval_join(r, lower=-1, upper=1).count())
except scalegate.ScalegateError as refused:
    print(refused)
"""
PROGRAM = (sys.executable, "-c", JOIN)


def jar(minor: str) -> Path:
    found = list((ROOT / "python/scalegate/jars").glob(f"scalegate-spark-{minor}_*.jar"))
    if not found:
        pytest.skip(f"there is no jar for Spark {minor}: `make jars` builds it")
    return found[0]


def other_home(minor: str) -> Path:
    found = list(ROOT.glob(f".build/pyspark/{minor}.*/pyspark"))
    if not found:
        pytest.skip(f"there is no Spark {minor}: project/setup-spark.sh fetches it")
    return found[0]


def said(environment: dict[str, str], cwd: Path, *command: str) -> str:
    done = programs.run(command, environment, cwd)
    return done.stdout + done.stderr


@pytest.mark.parametrize("first", [True, False])
def test_two_jars_on_one_class_path_are_refused(
    first: bool, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    """Whichever comes first: an executor may take them in another order."""
    two = [str(jar("4.0")), scalegate.jar_path()]
    jars = ",".join(two if first else reversed(two))
    output = said(clean_environment, tmp_path, *PROGRAM, "spark.jars", jars)
    assert output.count("scalegate is on the class path more than once, so it adds nothing") == 2
    for each, minor in zip(two, ("4.0", HERE)):
        assert f"{scalegate.__version__} for Spark {minor}=" in output
        assert Path(each).name in output


@pytest.mark.parametrize("with_jar", [False, True])
def test_a_client_of_another_minor_than_its_server_is_told_which_jar_that_needs(
    with_jar: bool, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    minor = "4.2"
    home = other_home(minor)
    environment = {**clean_environment, "SPARK_HOME": str(home)}
    jars = [str(jar(minor))] if with_jar else []
    submit = home / "bin/spark-submit"
    with programs.connect_server(submit, jars, environment, tmp_path) as address:
        remote = {**clean_environment, "SPARK_REMOTE": address}
        output = said(remote, tmp_path, *PROGRAM).splitlines()[0]
    if with_jar:
        assert output == "7"
    else:
        assert output.startswith(f"the Spark Connect server of this session is Spark {minor}.")
        assert output.endswith(f'--jars "$(python -m scalegate jar --spark {minor})"`.')


def test_a_spark_with_scala_2_12_is_left_as_it_is(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    home = other_home("3.5")
    assert list(home.glob("jars/scala-library-2.12.*.jar"))
    environment = {**clean_environment, "SPARK_HOME": str(home)}
    command = [
        str(home / "bin/spark-sql"),
        *programs.options("local[1]"),
        "--jars",
        scalegate.jar_path(),
    ]
    output = said(environment, tmp_path, *command, "-e", "SELECT sum(id) FROM range(5)")
    assert "\n10\n" in f"\n{output}"
    assert f"is built for Spark {HERE} and this is Spark 3.5." in output
    assert "Failed to load session extension" not in output


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="takes away the network")
def test_an_installed_package_needs_no_network(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    command = shlex.join([*PROGRAM, "spark.app.name", "offline"])
    alone = f"ip link set lo up && exec {command}"
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    environment = {**clean_environment, **local}
    output = said(environment, tmp_path, "/usr/bin/unshare", "--net", "sh", "-c", alone)
    assert output.startswith("7\n")
