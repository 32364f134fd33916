"""The site's pages in a browser, as `make docs` built them: light and dark, wide and narrow."""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import browsers
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = Path(__file__).parents[2] / ".build/site"
PAGES = [
    page.relative_to(SITE).as_posix()
    for page in sorted(SITE.rglob("*.html"))
    if "api" not in page.relative_to(SITE).parts and page.name not in ("404.html", "api.html")
]

pytestmark = [
    pytest.mark.skipif("SCALEGATE_PAGES" not in os.environ, reason="make test-pages"),
    browsers.needs_browser,
]

MISSING_PICTURES = """
return [...document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src)
"""
# Blocks of code as wide as the house writes them that a reader would have to scroll.
SCROLLED = """
return [...document.querySelectorAll('.highlight pre > code')]
  .filter(c => c.scrollWidth > c.clientWidth + 1)
  .filter(c => Math.max(...c.innerText.split('\\n').map(l => l.length)) <= 98)
  .map(c => c.innerText)
"""
# Texts whose contrast with what is behind them is less than WCAG 2.1's level AA asks for.
FAINT = """
const channels = c => c.match(/[\\d.]+/g).map(Number);
const over = (top, under) => {
  const a = top.length < 4 ? 1 : top[3];
  return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a));
};
const behind = e => {
  if (!e) return [255, 255, 255];
  const own = channels(getComputedStyle(e).backgroundColor);
  return own.length < 4 || own[3] === 1 ? own : over(own, behind(e.parentElement));
};
const light = c => c.slice(0, 3)
  .map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = e => {
  const back = behind(e);
  const pair = [light(over(channels(getComputedStyle(e).color), back)), light(back)];
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
};
return [...document.querySelectorAll('article :is(p, li, td, th, h1, h2, h3, a, code)')]
  .filter(e => e.innerText.trim() && !e.matches('.headerlink, .md-button'))
  .filter(e => contrast(e) < 4.5)
  .map(e => `${contrast(e).toFixed(1)}: <${e.tagName}> ${e.innerText.slice(0, 40)}`)
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def page() -> Iterator[Chrome]:
    with browsers.browser() as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [browsers.WIDE, browsers.NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_can_be_read(
    page: Chrome, site: str, name: str, size: tuple[int, int], dark: bool
) -> None:
    browsers.complaints(page)
    browsers.show(page, size, dark=dark)
    page.get(f"{site}/{name}")
    scheme = page.find_element(By.TAG_NAME, "body").get_attribute("data-md-color-scheme")
    assert scheme == ("slate" if dark else "default")
    assert browsers.overhang(page) <= 0, "wider than the window"
    assert page.execute_script(MISSING_PICTURES) == []
    assert page.execute_script(FAINT) == []
    assert browsers.complaints(page) == []
    if size == browsers.WIDE:
        assert page.execute_script(SCROLLED) == []


def test_the_search_finds_a_setting(page: Chrome, site: str) -> None:
    browsers.show(page, browsers.WIDE)
    page.get(f"{site}/index.html")
    page.find_element(By.CSS_SELECTOR, "[data-md-component=search-query]").click()
    page.switch_to.active_element.send_keys("autoBroadcastJoinThreshold")
    found = (By.CSS_SELECTOR, ".md-search-result__link")
    hits = WebDriverWait(page, 30).until(lambda p: p.find_elements(*found))
    assert any("html" in hit.get_attribute("href") for hit in hits)


def test_a_page_is_turned_dark_by_its_button(page: Chrome, site: str) -> None:
    browsers.show(page, browsers.WIDE)
    page.get(f"{site}/index.html")
    for name in ("Read it in the light", "Read it in the dark"):
        page.find_element(By.CSS_SELECTOR, f"label[title='{name}']").click()
    scheme = (By.CSS_SELECTOR, "body[data-md-color-scheme=slate]")
    WebDriverWait(page, 10).until(lambda p: p.find_elements(*scheme))
    page.execute_script("localStorage.clear()")
