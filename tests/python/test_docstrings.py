"""Every public docstring says what comes back, and shows a call whose output is the one shown."""

import doctest
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import scalegate
import scalegate.__main__
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.connect

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF
SECTION = re.compile(r"^(\w+)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
# These refuse nothing that they are given.
REFUSING_NOTHING = {"ByTime.alias", "__main__.main", "first", "is_active", "last", "typed"}
JOINS = (scalegate.interval_join, scalegate.band_join, scalegate.window_join)


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "__main__.main", scalegate.__main__.main
    for name in scalegate.__all__:
        value = getattr(scalegate, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and value.__module__.startswith("scalegate"):
            for method, function in vars(value).items():
                if isinstance(function, FunctionType) and not method.startswith("_"):
                    yield f"{name}.{method}", function


PUBLIC = dict(_public())


def run(text: str, names: dict[str, Any], of: str) -> int:
    """Runs the examples of a text, which add their names to those given, and counts them."""
    test = doctest.DocTestParser().get_doctest(text, names, of, None, None)
    failures: list[str] = []
    # A copy of the names is cleared after the run; these are kept.
    result = doctest.DocTestRunner(optionflags=FLAGS).run(
        test, out=failures.append, clear_globs=False
    )
    assert result.failed == 0, "".join(failures)
    names.update(test.globs)
    return result.attempted


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> dict[str, Any]:
    """What the package's own text makes: the inputs of all examples."""
    names: dict[str, Any] = {}
    assert run(str(scalegate.__doc__), names, "scalegate") > 0
    assert names["spark"] is spark
    return names


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_give_what_they_show(
    name: str, inputs: dict[str, Any], tmp_path: Path
) -> None:
    text = inspect.cleandoc(PUBLIC[name].__doc__ or "")
    assert run(text, {**inputs, "main": scalegate.__main__.main, "folder": tmp_path}, name) > 0


@pytest.mark.parametrize("name", PUBLIC)
def test_each_function_says_what_it_takes_returns_and_raises(name: str) -> None:
    function = PUBLIC[name]
    sections = dict(SECTION.findall(inspect.cleandoc(function.__doc__ or "")))
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    told = re.findall(r"^\w.*", sections.get("Parameters", ""), re.MULTILINE)
    assert {n for line in told for n in line.split(", ")} == {p.name for p in parameters}
    assert "Returns" in sections and "Examples" in sections
    assert ("Raises" in sections) == (name not in REFUSING_NOTHING)
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(positional) <= 3


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("join", JOINS, ids=[join.__name__ for join in JOINS])
def test_the_columns_are_those_that_the_texts_describe(
    spark: SparkSession, join: Callable[..., DataFrame], how: str
) -> None:
    left = spark.range(3).selectExpr("id AS ts", "CAST(id AS INT) AS k", "id * 2 AS x")
    right = spark.range(3).selectExpr("id AS ts", "id AS k", "id * 2 AS a")
    arguments: dict[Any, dict[str, Any]] = {
        scalegate.interval_join: {"on": "k", "lower": -1},
        scalegate.band_join: {"on": "k", "bands": {"x": ("a", 1)}},
        scalegate.window_join: {"within": 1},
    }
    joined = join(left, right, how=how, **arguments[join])
    found = [(f.name, f.dataType.simpleString(), f.nullable) for f in joined.schema.fields]
    once = join is not scalegate.window_join
    either = how in ("right", "full")
    lefts = [
        ("ts", "bigint", either),
        ("k", "bigint" if once and either else "int", how == "full" or (either and not once)),
        ("x", "bigint", either),
    ]
    absent = how in ("left", "full")
    rights = [
        ("ts_right", "bigint", absent),
        *([] if once else [("k_right", "bigint", absent)]),
        ("a", "bigint", absent),
    ]
    assert found == lefts + ([] if how in ("semi", "anti") else rights)


def test_the_columns_of_windows_are_those_that_the_text_describes(spark: SparkSession) -> None:
    rows = spark.range(3).selectExpr("timestamp_seconds(id) AS ts", "id AS k", "id * 2 AS x")
    aggs = [F.sum("x"), scalegate.first("x"), scalegate.last("x").alias("end")]
    window = "struct<start:timestamp,end:timestamp>"
    for slide, overlap in ((None, False), ("1 second", True)):
        windows = rows.window_aggregate("2 seconds", slide, aggs=aggs, keys="k")
        found = [(f.name, f.dataType.simpleString(), f.nullable) for f in windows.schema.fields]
        assert found == [
            ("window", window, overlap),
            ("k", "bigint", False),
            ("sum(x)", "bigint", True),
            ("first(x)", "bigint", True),
            ("end", "bigint", True),
        ]


def test_type_checkers_see_that_what_must_be_given_must_be() -> None:
    asked = {"interval_join": "lower", "window_join": "within", "window_aggregate": "aggs"}
    for function, name in asked.items():
        parameter = inspect.signature(getattr(scalegate, function)).parameters[name]
        assert parameter.default is parameter.empty
        assert None not in typing.get_args(parameter.annotation)
