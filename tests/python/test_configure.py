"""What `configure` puts into a session's settings, and each set-up that it refuses."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest
import scalegate
from pyspark.sql import SparkSession
from scalegate import ScalegateError, _jar


def settings(builder: SparkSession.Builder) -> dict[str, str]:
    return builder._options


def write_jar(path: Path, manifest: str) -> Path:
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", manifest)
    return path


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that the package takes for its own."""
    monkeypatch.setattr(_jar, "JAR_DIRECTORY", tmp_path)
    return tmp_path


def test_adds_its_jar_and_nothing_else() -> None:
    assert settings(scalegate.configure(SparkSession.Builder())) == {
        "spark.jars": scalegate.jar_path()
    }
    assert Path(scalegate.jar_path()).is_file()


def test_keeps_the_users_jars_extensions_and_options() -> None:
    mine = {
        "spark.jars": "/mine/a.jar,/mine/b.jar",
        "spark.sql.extensions": "mine.Extensions",
        "spark.driver.extraJavaOptions": "-Dmine=1",
    }
    configured = settings(scalegate.configure(SparkSession.Builder().config(map=mine)))
    jar = scalegate.jar_path()
    assert configured == {**mine, "spark.jars": f"/mine/a.jar,/mine/b.jar,{jar}"}


def test_keeps_the_jars_of_spark_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# jars\nspark.jars.packages  a:b:1\nspark.jars   /mine/c.jar\n", encoding="utf-8"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    configured = settings(scalegate.configure(SparkSession.Builder()))
    assert configured["spark.jars"] == f"/mine/c.jar,{scalegate.jar_path()}"


def test_configuring_twice_changes_nothing() -> None:
    once = scalegate.configure(SparkSession.Builder().config("spark.jars", "/mine/a.jar"))
    before = dict(settings(once))
    assert settings(scalegate.configure(once)) == before


def test_a_missing_jar_names_the_command_that_builds_it(jars: Path) -> None:
    with pytest.raises(ScalegateError, match=r"jar is missing from .*`make jar`"):
        scalegate.configure(SparkSession.Builder())


def test_two_jars_are_refused(jars: Path) -> None:
    for name in ("one.jar", "two.jar"):
        write_jar(jars / name, "Built-For-Spark: 4.2.0\n")
    with pytest.raises(ScalegateError, match=r"2 jars \(one\.jar, two\.jar\) where exactly one"):
        scalegate.configure(SparkSession.Builder())


def test_a_jar_for_another_spark_minor_is_refused(jars: Path) -> None:
    write_jar(jars / "scalegate.jar", "Manifest-Version: 1.0\nBuilt-For-Spark: 3.5.1\n")
    with pytest.raises(ScalegateError) as refusal:
        scalegate.configure(SparkSession.Builder())
    assert str(refusal.value).startswith(
        f"scalegate.jar was built for Spark 3.5, but PySpark {pyspark.__version__} is installed: "
        "run `pip install 'pyspark==3.5.*'`"
    )


def test_a_jar_for_another_patch_of_the_same_minor_works(jars: Path) -> None:
    same_minor = ".".join(pyspark.__version__.split(".")[:2])
    jar = write_jar(jars / "scalegate.jar", f"Built-For-Spark: {same_minor}.99\n")
    assert scalegate.jar_path() == str(jar)


def test_a_jar_that_names_no_spark_is_refused(jars: Path) -> None:
    write_jar(jars / "scalegate.jar", "Manifest-Version: 1.0\n")
    with pytest.raises(ScalegateError, match="does not say which Spark"):
        scalegate.configure(SparkSession.Builder())


def test_a_broken_jar_is_refused(jars: Path) -> None:
    (jars / "scalegate.jar").write_bytes(b"not a jar")
    with pytest.raises(ScalegateError, match="not a readable jar"):
        scalegate.configure(SparkSession.Builder())


def test_a_remote_session_is_told_where_the_jar_belongs() -> None:
    with pytest.raises(ScalegateError, match=r"start the Spark Connect server with `--jars /"):
        scalegate.configure(SparkSession.Builder().remote("sc://somewhere"))


@pytest.mark.parametrize("given", ["--jars /mine/a.jar", "--conf spark.jars=/mine/a.jar"])
def test_submit_arguments_that_would_win_are_refused(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{given} pyspark-shell")
    with pytest.raises(ScalegateError, match="PYSPARK_SUBMIT_ARGS sets jars"):
        scalegate.configure(SparkSession.Builder())


def test_submit_arguments_that_have_our_jar_work(monkeypatch: pytest.MonkeyPatch) -> None:
    jars = f"/mine/a.jar,{scalegate.jar_path()}"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--jars {jars} pyspark-shell")
    assert settings(scalegate.configure(SparkSession.Builder()))


def test_the_configured_session_has_the_package_and_the_vector_api(spark: SparkSession) -> None:
    assert scalegate.is_active(spark)
    jvm = spark._jvm
    layer = jvm.java.lang.ModuleLayer.boot()
    assert layer.findModule("jdk.incubator.vector").isPresent()
    executors = spark.sparkContext.getConf().get("spark.executor.extraJavaOptions")
    assert executors is not None
    assert "--add-modules=jdk.incubator.vector" in executors


def test_the_switch_turns_one_session_off_and_not_the_other(spark: SparkSession) -> None:
    other = spark.newSession()
    other.conf.set("spark.scalegate.enabled", "false")
    assert not scalegate.is_active(other)
    assert scalegate.is_active(spark)
    again = scalegate.configure(SparkSession.builder).getOrCreate()
    assert again.sparkContext is spark.sparkContext


def run(script: str, environment: dict[str, str], cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


START = 'SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")'
RUNNING_WITHOUT = f"""
from pyspark.sql import SparkSession
import scalegate

def refusal():
    try:
        scalegate.configure(SparkSession.builder)
    except scalegate.ScalegateError as refused:
        return str(refused)

spark = {START}.getOrCreate()
print(scalegate.is_active(spark))
print(refusal())
spark.stop()
print(refusal())
"""


def test_a_spark_that_runs_without_the_jar_is_refused(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    inactive, while_running, after_stop = run(
        RUNNING_WITHOUT, clean_environment, tmp_path
    ).splitlines()
    assert inactive == "False"
    assert while_running.startswith("Spark already runs in this process without scalegate's jar")
    assert "restart Python and call scalegate.configure(SparkSession.builder)" in while_running
    assert after_stop == while_running


ONE_AFTER_THE_OTHER = f"""
from pyspark.sql import SparkSession
import scalegate

for _ in range(2):
    spark = scalegate.configure({START}).getOrCreate()
    print(scalegate.is_active(spark), spark.conf.get("spark.sql.extensions", None))
    spark.stop()
"""


def test_a_session_after_a_stopped_one_has_the_package_too(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    assert run(ONE_AFTER_THE_OTHER, clean_environment, tmp_path) == "True None\n" * 2
