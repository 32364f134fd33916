"""The package beside other extensions of Spark, on each minor that they have a package for.

Each is a JVM of its own, with `beside.py` as its program: `make beside` runs these tests, and
fetches the others' jars before. What could not be fetched is skipped."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from beside import SETTINGS

if os.environ.get("SCALEGATE_BESIDE") != "1":
    pytest.skip("other extensions are tried by `make beside`", allow_module_level=True)

ROOT = Path(__file__).parents[2]
OURS = "io.scalegate.spark.ScaleGateExtensions"
pytestmark = pytest.mark.beside
OTHERS = re.findall('<conf name="(.*?)"', (ROOT / "project/beside-ivy.xml").read_text())
COMMON = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.session.timeZone": "UTC",
}


def only(pattern: str) -> Path:
    found = list(ROOT.glob(pattern))
    if len(found) != 1:
        pytest.skip(f"there is no {pattern}: `make beside` fetches it, where it is to be had")
    return found[0]


@pytest.mark.parametrize(
    ("how", "order"),
    [("configure", "theirs"), ("configure", "ours,theirs"), ("--jars", "theirs,ours")],
)
@pytest.mark.parametrize("other", OTHERS)
def test_both_extensions_work(
    other: str, how: str, order: str, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    name, minor = other.split("-")
    theirs = sorted(map(str, only(f".build/beside/{other}").glob("*.jar")))
    ours = str(only(f"python/scalegate/jars/scalegate-spark-{minor}_*.jar"))
    extensions = order.replace("theirs", SETTINGS[name]["spark.sql.extensions"])
    settings = {"spark.sql.extensions": extensions.replace("ours", OURS)}
    jars = [ours, *theirs] if how == "--jars" else theirs
    run(other, how, settings | {"spark.jars": ",".join(jars)}, clean_environment, tmp_path)


def test_what_spark_fetches_is_beside_the_package(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    """As Delta's own helper for its users sets it."""
    other = "iceberg-4.1"
    wanted = rf'<dependency org="(.*)" name="(.*)" rev="(.*)"\s+conf="{other}->'
    found = re.search(wanted, (ROOT / "project/beside-ivy.xml").read_text())
    assert found is not None
    packages = {
        "spark.jars.packages": ":".join(found.groups()),
        "spark.jars.ivy": str(ROOT / ".build/beside/ivy"),
    }
    run(other, "configure", packages, clean_environment, tmp_path)


def run(
    other: str, how: str, given: dict[str, str], environment: dict[str, str], directory: Path
) -> None:
    """The program in a session with the settings that are given, and the extension's own."""
    name, minor = other.split("-")
    pyspark = only(f".build/pyspark/{minor}.*")
    settings = {**COMMON, **SETTINGS[name], **given}
    program = [str(Path(__file__).with_name("beside.py")), name, str(directory)]
    command = [sys.executable, *program, json.dumps(settings)]
    if how == "--jars":
        jars = ["--jars", settings.pop("spark.jars")]
        confs = [word for setting in settings.items() for word in ("--conf", "=".join(setting))]
        command = [str(pyspark / "pyspark/bin/spark-submit"), *jars, *confs, *program]
    done = subprocess.run(
        command,
        env={
            **environment,
            "PYTHONPATH": os.pathsep.join(map(str, (pyspark, ROOT / "python"))),
            "PYSPARK_PYTHON": sys.executable,
        },
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-5000:]
    print(done.stdout)
