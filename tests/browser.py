"""A headless Chromium, for the tests of `symcount page`: Debian's chromium and its chromedriver, driven by selenium."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def browser(width=1280, height=1000):
    """A driver that collects what pages log; the test is skipped where no browser or driver is installed."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the page is driven by selenium (extra `test`)")
    from selenium.webdriver.chrome.service import Service

    binary = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    try:
        opened.set_script_timeout(60)
        yield opened
    finally:
        opened.quit()


def dark(driver, *, on):
    """What the page hears of the reader's wish for light or dark."""
    feature = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
