"""What the site's pages take from the code: nothing is missing, and nothing is there twice."""

import re
import typing
from collections import Counter
from pathlib import Path

import scalegate
from docsite import fill, scala_sources
from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
ERRORS = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
SQL = (ROOT / "docs/reference/sql.md").read_text(encoding="utf-8")
# Exceptions that are raised for users; others are mistakes of ours, or never leave the package.
RAISED = re.compile(r"new (?:IllegalArgument|Spark|Arithmetic|UnsupportedOperation)Exception\(")
WITHIN = "scala/io/scalegate/spark/join/stream/hotkeys/HotKeys.scala"  # becomes Errors.hotKeyFile


def test_the_page_on_errors_has_every_message_once() -> None:
    named = Counter(fill.named(ERRORS))
    assert set(fill.messages(ROOT)) - set(named) == set(), "not on the page"
    assert set(named) - set(fill.messages(ROOT)) == set(), "no longer in the code"
    assert [name for name, times in named.items() if times > 1] == []


def test_each_message_is_followed_by_its_cause_and_its_cure() -> None:
    entries = re.split(r"^### ", ERRORS, flags=re.MULTILINE)[1:]
    assert len(entries) > 40
    for entry in entries:
        entry = re.split(r"^## ", entry, flags=re.MULTILINE)[0]
        form = r".+\n\n```message\n[^`]+```\n\n\*\*Cause\.\*\* .+\n\n\*\*Cure\.\*\* .+"
        assert re.fullmatch(form, entry.strip(), re.DOTALL), entry


def test_the_messages_are_read_as_they_are_raised() -> None:
    messages = fill.messages(ROOT)
    assert messages["_bands.not_negative"] == (
        "‹argument›=‹given› is negative: a width is zero or more."
    )
    assert messages["_schema.threads"] == (
        "threads=‹count›: give a whole number of threads from 1 to 1024."
    )
    assert messages["Errors.hintAlgorithm"] == (
        "WINDOW_JOIN('‹name›') cannot run this join: ‹why›. Ask for another of auto, broadcast, "
        "index, sweep, matrix, scalejoin, dp-join, pim, pim1, im, bplus, chained, roundrobin, "
        "kp, dp, hp, scale-oij, celljoin, handshake, llhj, splitjoin, or leave the choice out"
    )
    assert all(len(text) > 20 and "\n" not in text for text in messages.values())


def test_the_jvm_raises_errors_for_users_nowhere_else() -> None:
    main = fill.jvm(ROOT)
    raising = {
        file.relative_to(main).as_posix()
        for file in main.rglob("*.scala")
        if RAISED.search(file.read_text(encoding="utf-8"))
    }
    assert raising - {WITHIN} <= set(scala_sources.MESSAGE_FILES)


def test_every_setting_is_on_its_page_with_a_default_that_works(spark: SparkSession) -> None:
    settings = scala_sources.settings(fill.jvm(ROOT))
    assert {s.key for s in settings} == scala_sources.setting_keys(fill.jvm(ROOT))
    page = fill.settings_list(ROOT)
    given = [s for s in settings if re.fullmatch(r"\w+", s.default) and s.default != "none"]
    assert len(given) > 7
    for setting in settings:
        assert f"## `{setting.key}`\n\nUnless set: **{setting.default}**. {setting.text}" in page
    for setting in given:
        spark.conf.set(setting.key, setting.default)
    try:
        joined = spark.sql(
            "SELECT * FROM range(9) r JOIN range(9) s ON s.id BETWEEN r.id - 1 AND r.id + 1"
        )
        assert joined.count() == 25
    finally:
        for setting in given:
            spark.conf.unset(setting.key)


def test_the_page_says_of_each_function_what_the_session_says(spark: SparkSession) -> None:
    known = scala_sources.functions(fill.jvm(ROOT))
    shown = [row.function for row in spark.sql("SHOW USER FUNCTIONS").collect()]
    said = {name: described(spark, name) for name in shown}
    ours = {name for name, text in said.items() if "Class: io.scalegate." in text}
    assert len(ours) == 8
    assert set(fill.FUNCTION.findall(SQL)) == ours == set(known)
    for name, function in known.items():
        assert f"{name}{function.signature} - {function.result}" in said[name]
        assert len(function.arguments) >= 2
        for argument, text in function.arguments.items():
            assert f"* {argument} - {text}\n" in said[name]
            assert f"- `{argument}`: {text}" in fill.function_text(name, ROOT)


def described(spark: SparkSession, name: str) -> str:
    rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect()
    return "\n".join(row[0] for row in rows)


def test_everything_public_is_on_the_page_of_python() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    public = {name for name in scalegate.__all__ if not name.startswith("__")}
    assert set(re.findall(r"^::: scalegate\.(\w+)$", page, re.M)) == public


def test_every_algorithm_is_told_of() -> None:
    told = scala_sources.algorithm_texts(fill.jvm(ROOT))
    assert {"auto", *told} == set(typing.get_args(typing.get_args(scalegate.Algorithm)[0]))
    assert all(
        f"| `'{name}'` | {text} |" in fill.algorithms_table(ROOT) for name, text in told.items()
    )
