"""A checkpoint that an earlier version wrote goes on: the rows of the first run and of the second
are together those of all events at rest. `old_checkpoint.py` wrote them, for each minor of Spark;
docs/compatibility.md says for how many versions they are kept."""

from pathlib import Path

import old_checkpoint
import pytest
from packaging.version import Version
from pyspark.sql import SparkSession

pytestmark = pytest.mark.streaming

VERSIONS = sorted(
    old_checkpoint.FIXTURES.glob(f"*-spark-{old_checkpoint.MINOR}"),
    key=lambda directory: Version(directory.name.split("-spark-")[0]),
)
"""Those that left checkpoints; 0.1.0-alpha has the form from before the first release."""

ARCHIVES = [archive for version in VERSIONS for archive in sorted(version.glob("*.zip"))]
OLDEST = [archive for archive in ARCHIVES if archive.stem == "key-full"][:1]


@pytest.mark.parametrize(
    "archive",
    [
        pytest.param(
            archive,
            id=f"{archive.parent.name}-{archive.stem}",
            marks=[pytest.mark.smoke] if archive in OLDEST else [],
        )
        for archive in ARCHIVES
    ],
)
def test_a_checkpoint_of_an_earlier_version_goes_on(
    spark: SparkSession, tmp_path: Path, archive: Path
) -> None:
    kind = archive.stem
    first = old_checkpoint.unpack(archive, tmp_path)
    second = old_checkpoint.run(spark, tmp_path, kind, old=False)
    expected = old_checkpoint.at_rest(spark, tmp_path / "rest", kind)
    assert old_checkpoint.given(kind, first + second) == expected
    alone = old_checkpoint.at_rest(spark, tmp_path / "alone", kind, since=old_checkpoint.OLD)
    assert old_checkpoint.given(kind, second) - alone, "no row of the state was used"


def test_there_is_a_checkpoint_of_each_kind_for_this_minor() -> None:
    assert VERSIONS, f"no checkpoints for Spark {old_checkpoint.MINOR}: run `make checkpoints`"
    newest = {archive.stem for archive in VERSIONS[-1].glob("*.zip")}
    assert newest == set(old_checkpoint.KINDS)
    assert all(archive.stat().st_size < 60_000 for archive in ARCHIVES)
