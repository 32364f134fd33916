"""A browser without a window, for tests of pages: Chromium or Chrome with its driver, as Debian's
packages chromium and chromium-driver install them, and GitHub's machines have them."""

import contextlib
import shutil
from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None
)
DRIVER = shutil.which("chromedriver")
FOUND = BROWSER is not None and DRIVER is not None
needs_browser = pytest.mark.skipif(not FOUND, reason="no chromium and chromedriver on the path")

WIDE = (1280, 900)
NARROW = (420, 800)

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    # What the pages ask of other hosts fails at once.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


@contextlib.contextmanager
def browser() -> Iterator[Chrome]:
    """One that reaches this machine alone."""
    options = ChromeOptions()
    options.binary_location = BROWSER
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = Chrome(options=options, service=Service(DRIVER))
    try:
        yield opened
    finally:
        opened.quit()


def show(page: Chrome, size: tuple[int, int], *, dark: bool = False) -> None:
    """What the page is seen in from now on."""
    width, height = size
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def overhang(page: Chrome) -> int:
    """By how many pixels the page is wider than what it is seen in."""
    script = "const e = document.scrollingElement; return e.scrollWidth - e.clientWidth"
    return page.execute_script(script)


def complaints(page: Chrome) -> list[str]:
    """What the browser's console has had to say since it was last asked."""
    return [entry["message"] for entry in page.get_log("browser")]
