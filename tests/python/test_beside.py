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
    pyspark = only(f".build/pyspark/{minor}.*")
    ours = str(only(f"python/scalegate/jars/scalegate-spark-{minor}_*.jar"))
    extensions = order.replace("theirs", SETTINGS[name]["spark.sql.extensions"])
    settings = {**COMMON, **SETTINGS[name]}
    settings["spark.sql.extensions"] = extensions.replace("ours", OURS)
    program = [str(Path(__file__).with_name("beside.py")), name, str(tmp_path)]
    if how == "configure":
        given = json.dumps({**settings, "spark.jars": ",".join(theirs)})
        command = [sys.executable, *program, given]
    else:
        confs = [word for setting in settings.items() for word in ("--conf", "=".join(setting))]
        submit = str(pyspark / "pyspark/bin/spark-submit")
        command = [submit, "--jars", ",".join([ours, *theirs]), *confs, *program]
    options = f"{clean_environment['JAVA_TOOL_OPTIONS']} -XX:ReservedCodeCacheSize=240m"
    done = subprocess.run(
        command,
        env={
            **clean_environment,
            "PYTHONPATH": os.pathsep.join(map(str, (pyspark, ROOT / "python"))),
            "PYSPARK_PYTHON": sys.executable,
            "JAVA_TOOL_OPTIONS": options,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-5000:]
    print(done.stdout)
