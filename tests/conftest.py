"""One Spark session for all tests of this process: a classic one, or, with `--connect`, one of
Spark Connect on a server that the tests start. Then only tests run that have the session."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest
import scalegate
import sessions
from pyspark.sql import SparkSession

# Where this says nothing workers are the first python3 on the path, with its packages.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--connect",
        action="store_true",
        help="run the tests that have a session over Spark Connect, and no others",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("connect"):
        return
    has_session = [("spark" in getattr(item, "fixturenames", ()), item) for item in items]
    config.hook.pytest_deselected(items=[item for has, item in has_session if not has])
    items[:] = [item for has, item in has_session if has]
    for item in items:
        classic = item.get_closest_marker("classic")
        if classic is not None:
            item.add_marker(pytest.mark.skip(reason=classic.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What failed, a line each: Spark's messages have stack traces of a hundred lines."""
    for report in terminalreporter.stats.get("failed", []):
        message = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
        terminalreporter.write_line(f"{report.nodeid}: {message[:500].splitlines()[:3]}")


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def java_options(root: Path) -> str:
    """What spares JVMs of small queries, each of other code, the most time."""
    options = [
        # The second compiler costs more than it saves. Without it the JVM's default is a small
        # code cache, which is swept, and its methods compiled again: a quarter of the CPU time.
        "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=240m",
        # Heaps are small, and processors few: threads that collect cost more than they spare.
        "-XX:+UseSerialGC",
        # Hadoop starts a process for each file that it renames or whose rights it sets.
        "-Djdk.lang.Process.launchMechanism=VFORK",
    ]
    archive = root / ".build/spark.jsa"
    if archive.is_file():
        # What has another class path would say that where programs write their results.
        options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:disable"]
    return " ".join(options)


@pytest.fixture(scope="session")
def clean_environment(root: Path, java_options: str) -> dict[str, str]:
    """An environment for subprocesses: the source package, and no Spark settings of the user."""
    ours = ("SPARK_", "PYSPARK_", "PYTHON")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    sources = [root / "python", Path(pyspark.__file__).parent.parent]
    given = {
        "PYTHONPATH": os.pathsep.join(map(str, sources)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAVA_TOOL_OPTIONS": f"{kept.get('JAVA_TOOL_OPTIONS', '')} {java_options}".strip(),
    }
    return {**kept, **given}


@pytest.fixture(scope="session")
def kafka_jars(root: Path) -> list[Path]:
    """Spark's Kafka source and sink; none where they could not be fetched."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    return sorted(root.glob(f".build/kafka/{minor}/spark/*.jar"))


@pytest.fixture(scope="session")
def plain_files(root: Path) -> list[Path]:
    """The jar of a local file system that starts no process for a file's rights, where it is."""
    return sorted(root.glob(".build/plain-files.jar"))


@pytest.fixture(scope="session")
def spark(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    kafka_jars: list[Path],
    plain_files: list[Path],
    java_options: str,
    clean_environment: dict[str, str],
) -> Iterator[SparkSession]:
    given = tmp_path_factory.mktemp("warehouse"), kafka_jars + plain_files, java_options
    with ExitStack() as stack:
        if request.config.getoption("connect"):
            os.environ["SPARK_REMOTE"] = stack.enter_context(
                sessions.served(*given, clean_environment)
            )
            session = scalegate.configure(SparkSession.builder).getOrCreate()
        else:
            session = sessions.classic(*given)
        yield session
        session.stop()
