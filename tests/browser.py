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


def wait_until(page, condition: str, tries: int = 200) -> None:
    """Ask until it is so. Our pages forbid `eval`, so `wait_for_function` may not."""
    for _ in range(tries):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came to be: {condition}")
