"""A real browser for the tests of pages."""

import os
import shutil

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

needs_browser = pytest.mark.skipif(
    BROWSER is None and not os.environ.get("CI"),
    reason="no chromium on this machine: install it to test pages",
)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=BROWSER,
            args=["--no-sandbox", "--disable-background-networking"],
        )
        yield browser
        browser.close()
