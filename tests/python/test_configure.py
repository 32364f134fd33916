"""What `configure` puts into a session's settings, and each set-up that it refuses."""

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import programs
import pyspark
import pytest
import scalegate
from pyspark.sql import SparkSession
from scalegate import ScalegateError, _jar
from scalegate.__main__ import main
from waits import BOUND


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


def test_real_time_sets_what_is_missing() -> None:
    allowlist = "spark.sql.streaming.realTimeMode.allowlistCheck"
    wait = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
    builder = SparkSession.Builder().config(wait, "5")
    configured = settings(scalegate.configure(builder, real_time=True))
    assert configured == {
        "spark.jars": scalegate.jar_path(),
        allowlist: "false",
        wait: "5",
    }


def test_keeps_the_users_jars_extensions_and_options() -> None:
    mine = {
        "spark.jars": "/mine/a.jar,/mine/b.jar",
        "spark.jars.packages": "mine:package:1",
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
        write_jar(jars / name, f"Built-For-Spark: {pyspark.__version__}\n")
    with pytest.raises(
        ScalegateError, match=r"2 jars for Spark .* \(one\.jar, two\.jar\) where exactly one"
    ):
        scalegate.configure(SparkSession.Builder())


def test_jars_for_other_spark_minors_are_refused(jars: Path) -> None:
    for release in ("3.10.1", "3.5.1"):
        write_jar(jars / f"{release}.jar", f"Built-For-Spark: {release}\n")
    with pytest.raises(ScalegateError) as refusal:
        scalegate.configure(SparkSession.Builder())
    assert str(refusal.value).startswith(
        f"scalegate has jars for Spark 3.5, 3.10, but PySpark {pyspark.__version__} is "
        "installed: run `pip install 'pyspark==3.10.*'`"
    )


def test_the_jar_for_the_installed_spark_is_chosen(jars: Path) -> None:
    for release in ("3.5.1", pyspark.__version__):
        write_jar(jars / f"{release}.jar", f"Built-For-Spark: {release}\n")
    assert scalegate.jar_path() == str(jars / f"{pyspark.__version__}.jar")


def test_a_jar_for_another_patch_of_the_same_minor_works(jars: Path) -> None:
    same_minor = ".".join(pyspark.__version__.split(".")[:2])
    jar = write_jar(jars / "scalegate.jar", f"Built-For-Spark: {same_minor}.99\n")
    assert scalegate.jar_path() == str(jar)


@pytest.mark.parametrize(
    ("version", "minor"),
    [
        ("4.1.0.dev1", "4.1"),
        ("4.2.0rc1", "4.2"),
        ("4.3.0-preview2", "4.3"),
        ("4.3-SNAPSHOT", "4.3"),
        ("4.0.1-amzn-0", "4.0"),
        ("4.10.0.7-vendor-12", "4.10"),
    ],
)
def test_a_pre_release_and_a_vendors_build_are_of_their_minor(
    jars: Path, monkeypatch: pytest.MonkeyPatch, version: str, minor: str
) -> None:
    expected = write_jar(jars / "one.jar", f"Built-For-Spark: {minor}.1\n")
    write_jar(jars / "two.jar", "Built-For-Spark: 4.5.0\n")
    monkeypatch.setattr(pyspark, "__version__", version)
    assert scalegate.jar_path() == str(expected)


def test_a_snapshot_of_a_minor_without_a_jar_is_refused(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_jar(jars / "one.jar", "Built-For-Spark: 4.3.0\n")
    monkeypatch.setattr(pyspark, "__version__", "4.4.0-SNAPSHOT")
    with pytest.raises(ScalegateError) as refusal:
        scalegate.configure(SparkSession.Builder())
    assert str(refusal.value) == (
        "scalegate has jars for Spark 4.3, but PySpark 4.4.0-SNAPSHOT is installed: run `pip "
        "install 'pyspark==4.3.*'`, or install a scalegate that has a jar for Spark 4.4."
    )


@pytest.mark.parametrize("version", ["3.5.9", "4.99.0", "4.99.1-amzn-0"])
def test_a_spark_home_of_another_minor_than_pysparks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """PySpark would start the Spark there: one that is older, newer, or a vendor's."""
    (tmp_path / "jars").mkdir()
    core = tmp_path / "jars" / f"spark-core_2.12-{version}.jar"
    core.touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    minor = ".".join(version.split(".")[:2])
    with pytest.raises(ScalegateError) as refusal:
        scalegate.configure(SparkSession.Builder())
    assert str(refusal.value) == (
        f"PySpark {pyspark.__version__} is installed, and SPARK_HOME ({tmp_path}) holds Spark "
        f"{version}, which it would start: unset SPARK_HOME, or run `pip install "
        f"'pyspark=={minor}.*'`."
    )
    core.rename(core.with_name(f"spark-core_2.13-{pyspark.__version__}-vendor-1.jar"))
    assert scalegate.jar_path()


def test_a_jar_that_names_no_spark_is_refused(jars: Path) -> None:
    write_jar(jars / "scalegate.jar", "Manifest-Version: 1.0\n")
    with pytest.raises(ScalegateError, match="does not say which Spark"):
        scalegate.configure(SparkSession.Builder())


def test_a_broken_jar_is_refused(jars: Path) -> None:
    (jars / "scalegate.jar").write_bytes(b"not a jar")
    with pytest.raises(ScalegateError, match="not a readable jar"):
        scalegate.configure(SparkSession.Builder())


def test_a_session_of_a_server_elsewhere_is_left_as_it_is(jars: Path) -> None:
    builder = SparkSession.Builder().remote("sc://somewhere")
    before = dict(settings(builder))
    assert settings(scalegate.configure(builder)) == before


@pytest.mark.parametrize("how", [{"spark.remote": "local[2]"}, {"spark.api.mode": "connect"}])
def test_a_server_that_spark_starts_here_gets_the_jar_and_its_session_no_setting(
    monkeypatch: pytest.MonkeyPatch, how: dict[str, str]
) -> None:
    for name in ("SPARK_LOCAL_REMOTE", "PYSPARK_GATEWAY_PORT", "SPARK_API_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf a=b pyspark-shell")
    mine = {**how, "spark.jars": "/mine/a b.jar"}
    for _ in range(2):
        assert settings(scalegate.configure(SparkSession.Builder().config(map=mine))) == mine
        given = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
        jars = f"/mine/a b.jar,{scalegate.jar_path()}"
        assert given == ["--jars", jars, "--conf", "a=b", "pyspark-shell"]


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


@pytest.mark.classic("a client cannot look into the server's JVM")
def test_the_configured_session_has_the_package_and_the_vector_api(spark: SparkSession) -> None:
    assert scalegate.is_active(spark)
    jvm = spark._jvm
    layer = jvm.java.lang.ModuleLayer.boot()
    assert layer.findModule("jdk.incubator.vector").isPresent()
    executors = spark.sparkContext.getConf().get("spark.executor.extraJavaOptions")
    assert executors is not None
    assert "--add-modules=jdk.incubator.vector" in executors


@pytest.mark.connect
@pytest.mark.parametrize(
    ("name", "value", "active"),
    [
        ("spark.scalegate.enabled", "false", False),
        ("spark.scalegate.join.algorithm", "index", True),
        ("spark.scalegate.join.layout", "2x3", True),
        ("spark.scalegate.join.ansiErrors", "true", True),
        ("spark.sql.ansi.enabled", "false", True),
        ("spark.sql.adaptive.enabled", "false", True),
        ("spark.sql.optimizer.disableHints", "true", True),
        ("spark.sql.autoBroadcastJoinThreshold", "-1", True),
    ],
)
def test_a_session_is_active_unless_it_is_switched_off(
    spark: SparkSession, name: str, value: str, active: bool
) -> None:
    assert scalegate.is_active(spark)
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        assert scalegate.is_active(spark) == active
    finally:
        spark.conf.unset(name) if before is None else spark.conf.set(name, before)


@pytest.mark.classic("PySpark makes no second session over Spark Connect before 4.3")
def test_the_switch_turns_one_session_off_and_not_the_other(spark: SparkSession) -> None:
    other = spark.newSession()
    other.conf.set("spark.scalegate.enabled", "false")
    assert not scalegate.is_active(other)
    assert scalegate.is_active(spark)


def run(script: str, environment: dict[str, str], cwd: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


START = 'SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")'
RUNNING_WITHOUT = f"""
import os, subprocess, sys
from pyspark.sql import SparkSession
import scalegate
import sessions

def refusal(of):
    try:
        of()
    except scalegate.ScalegateError as refused:
        return str(refused)

spark = {START}.getOrCreate()
remote = dict(os.environ, SPARK_REMOTE=sessions.serve(spark))
subprocess.run([sys.executable, *sys.argv[1:]], env=remote, check=True)
r = spark.range(3).toDF("ts")
print(scalegate.is_active(spark))
print(refusal(lambda: scalegate.configure(SparkSession.builder)))
print(refusal(lambda: r.interval_join(r, lower=-1, upper=1)))
print(refusal(lambda: r.window_join(r, within=scalegate.rows(1))))
print(refusal(lambda: scalegate.first_by_time("ts", "ts")))
print(refusal(lambda: r.window_aggregate("1 minute", aggs=[scalegate.last("ts")])))
spark.stop()
for _ in range(2):
    spark = scalegate.configure({START}).getOrCreate()
    r = spark.range(3).toDF("ts")
    print(scalegate.is_active(spark), r.interval_join(r, lower=-1, upper=1).count())
    spark.stop()
"""


def test_a_session_without_the_jar_is_refused_and_the_next_one_has_it(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    directory = Path(__file__).parent
    paths = f"{clean_environment['PYTHONPATH']}{os.pathsep}{directory}"
    environment = {**clean_environment, "PYTHONPATH": paths}
    client = str(directory / "connect_client.py")
    said = run(RUNNING_WITHOUT, environment, tmp_path, client).splitlines()
    remote, (inactive, configured, *methods, after_stop, again) = said[:6], said[6:]
    assert remote[5] == "False"
    for refused in remote[:5]:
        assert refused == (
            f"the Spark Connect server of this session, Spark {pyspark.__version__}, runs "
            "without scalegate's jar, or with the jar for another Spark: start it with "
            '`start-connect-server.sh --jars "$(python -m scalegate jar)"`.'
        )
    assert inactive == "False"
    assert configured.startswith("Spark already has a session in this process, without")
    assert "restart Python" in configured
    assert len(methods) == 4
    for refused in methods:
        assert refused.startswith("this session runs without scalegate's jar.")
        assert "scalegate.configure(SparkSession.builder).getOrCreate()" in refused
        assert 'pyspark --jars "$(python -m scalegate jar)"' in refused
    assert after_stop == again == "True 7"


POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>mine</groupId><artifactId>package</artifactId><version>1</version>
</project>
"""
SUBMITTED = """
import scalegate
from pyspark.sql import SparkSession

spark = scalegate.configure(SparkSession.builder).getOrCreate()
r = spark.range(3).toDF("ts")
joined = r.interval_join(r, lower=-1, upper=1, algorithm="sweep")
print(scalegate.is_active(spark), joined.count())
print(spark.conf.get("spark.jars"))
r.createOrReplaceTempView("r")
pairs = "1 FROM r a JOIN r b ON a.ts - b.ts BETWEEN 0 AND 1"
for join in (joined, spark.sql(f"SELECT /*+ WINDOW_JOIN(a, b, 'sweep') */ {pairs}")):
    print("as hinted" in join._jdf.queryExecution().executedPlan().toString())
"""


def test_a_program_that_spark_submit_runs_configures_on_its_first_line(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(SUBMITTED, encoding="utf-8")
    other = write_jar(tmp_path / "other.jar", "Manifest-Version: 1.0\n")
    # Spark looks for packages in the user's own repository first.
    package = tmp_path / ".m2/repository/mine/package/1"
    package.mkdir(parents=True)
    write_jar(package / "package-1.jar", "Manifest-Version: 1.0\n")
    (package / "package-1.pom").write_text(POM, encoding="utf-8")
    home = f"{clean_environment['JAVA_TOOL_OPTIONS']} -Duser.home={tmp_path}"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    options = [*programs.options("local[1]"), "--jars", other, "--packages", "mine:package:1"]
    environment = {**clean_environment, "JAVA_TOOL_OPTIONS": home}
    done = programs.run([submit, *options, "app.py"], environment, tmp_path)
    active, jars, *hinted = done.stdout.splitlines()
    assert active == "True 7"
    assert hinted == ["True", "True"]
    assert [Path(jar).name for jar in jars.split(",")] == [
        "other.jar",
        "mine_package-1.jar",
        Path(scalegate.jar_path()).name,
    ]


def test_the_command_line_names_the_jar_and_the_versions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["jar"]) == 0
    assert main(["spark"]) == 0
    with pytest.raises(SystemExit):
        main(["--version"])
    jar, spark_version, version = capsys.readouterr().out.splitlines()
    assert jar == scalegate.jar_path()
    assert spark_version == pyspark.__version__
    assert version == f"scalegate {scalegate.__version__}"
    assert f"-{scalegate.__version__}.jar" in jar


def test_the_command_line_names_the_jar_for_a_servers_spark(
    jars: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = write_jar(jars / "one.jar", "Built-For-Spark: 4.98.1\n")
    write_jar(jars / "two.jar", "Built-For-Spark: 4.99.0\n")
    assert main(["jar", "--spark", "4.98"]) == 0
    assert main(["jar", "--spark", "4.97.1"]) == 1
    said = capsys.readouterr()
    assert said.out == f"{wanted}\n"
    assert said.err == (
        "scalegate has jars for Spark 4.98, 4.99, and none for 4.97.1: run one of these, or "
        "install a scalegate that has a jar for Spark 4.97.\n"
    )


def test_the_command_line_says_when_there_is_no_jar(
    jars: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["jar"]) == 1
    assert "jar is missing" in capsys.readouterr().err
