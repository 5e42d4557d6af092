"""Names that try to break a page, and marks for tests that need a browser."""

import pytest

from browser import needs_browser

NASTY = """<script>alert(1)</script> & "both" 'quotes' | %{x} `*"""
IMAGE = "<img src=x onerror=alert(2)>"
# In how many lines the text of an element stands.
LINES = """(e) => {
  const range = document.createRange();
  range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size;
}"""


def in_browser(test):
    """A test that needs a browser."""
    return pytest.mark.xdist_group("browser")(needs_browser(test))
