"""The tab *ScaleGate* of Spark's UI, of an application that runs and in the history server."""

import contextlib
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import browsers
import pyspark
import pytest
import scalegate
from kafka_node import free_addresses
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from waits import BOUND, wait_until

pytestmark = pytest.mark.cluster

PROGRAM = str(Path(__file__).with_name("ui_program.py"))
SPARK_CLASS = Path(pyspark.__file__).parent / "bin/spark-class"
HISTORY = "org.apache.spark.deploy.history.HistoryServer"
BATCHES = {
    "WindowJoin",
    "AsOfJoin",
    "IntervalAggregate",
    "PaneWindows",
    "DesignWindows",
    "CubeJoin",
}
# Where the picture in the docs is written to, when it is to be made anew.
PICTURE = os.environ.get("SCALEGATE_UI_PICTURE")


@contextlib.contextmanager
def application(environment: dict[str, str], directory: Path) -> Iterator[str]:
    """Where the UI of one that has run its queries and runs a stream is."""
    (directory / "events").mkdir()
    with subprocess.Popen(
        [sys.executable, PROGRAM, str(directory)],
        env={**environment, "PYSPARK_PYTHON": sys.executable},
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(directory / "program.err").open("w"),
        text=True,
    ) as program:
        assert program.stdout is not None
        lines = iter(program.stdout.readline, "")
        url = next((line for line in lines if line.startswith("http")), None)
        assert url, (directory / "program.err").read_text(encoding="utf-8")[-3000:]
        yield url.strip()
        program.communicate("", timeout=BOUND)
        assert program.returncode == 0


@contextlib.contextmanager
def history_server(environment: dict[str, str], directory: Path) -> Iterator[str]:
    """Where one that has the package's jar on its class path shows these event logs."""
    (address,) = free_addresses(1)
    options = {
        "fs.logDirectory": (directory / "events").as_uri(),
        "fs.update.interval": "1s",
        "ui.port": address.split(":")[1],
    }
    given = " ".join(f"-Dspark.history.{name}={value}" for name, value in options.items())
    jar = {"SPARK_DAEMON_CLASSPATH": scalegate.jar_path(), "SPARK_HISTORY_OPTS": given}
    with (directory / "history.err").open("w") as log:
        server = subprocess.Popen(
            [SPARK_CLASS, HISTORY], env={**environment, **jar}, stdout=log, stderr=log
        )
        try:
            yield f"http://{address}"
        finally:
            server.kill()
            server.wait()


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=BOUND) as answer:
        return answer.read().decode()


def logged(server: str) -> str:
    """The number of the application that the history server has read."""
    known: list[str] = []

    def shown() -> bool:
        with contextlib.suppress(OSError):
            known.extend(one["id"] for one in json.loads(read(f"{server}/api/v1/applications")))
        return bool(known)

    wait_until(shown, "an application in the history server")
    return known[0]


def operators(page: Chrome) -> set[str]:
    cells = page.find_elements(By.CSS_SELECTOR, ".scalegate-query tbody td:first-child")
    return {cell.text.partition("(")[0] for cell in cells}


def look(page: Chrome, url: str) -> None:
    """From the first of Spark's pages to the tab, and from there to a query."""
    browsers.show(page, browsers.WIDE)
    page.get(url)
    page.find_element(By.LINK_TEXT, "ScaleGate").click()
    waiting = WebDriverWait(page, 60)
    waiting.until(lambda p: operators(p) >= {*BATCHES, "StreamingWindowJoin"})
    assert page.title.endswith("ScaleGate"), "a script in a query's name was run"
    texts = [block.text for block in page.find_elements(By.CLASS_NAME, "scalegate-query")]
    assert "events beside events" in texts[0] and "rows of state: " in texts[0]
    assert any("joined as of a time" in text and "as of: last" in text for text in texts)
    for size in (browsers.NARROW, browsers.WIDE):
        browsers.show(page, size)
        blocks = page.find_elements(By.CLASS_NAME, "scalegate-query")
        assert all(block.size["width"] <= size[0] for block in blocks), "wider than the window"
    if PICTURE and "/history/" not in url:
        page.save_screenshot(PICTURE)
    page.find_element(By.PARTIAL_LINK_TEXT, "query ").click()
    waiting.until(lambda p: "execution/?id=" in p.current_url and "WindowJoin" in p.page_source)


def names(html: str) -> set[str]:
    return set(re.findall(r"<td[^>]*>\s*(\w+)", html))


def test_the_tab_of_what_runs_and_of_what_the_history_server_shows(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(browsers.browser()) if browsers.FOUND else None
        with application(clean_environment, tmp_path) as url:
            assert names(read(f"{url}/ScaleGate/")) >= BATCHES
            if page:
                look(page, url)
        with history_server(clean_environment, tmp_path) as server:
            url = f"{server}/history/{logged(server)}"
            assert names(read(f"{url}/ScaleGate/")) >= BATCHES
            if page:
                look(page, f"{url}/jobs/")
